# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""A plant that keeps the truth about its first contact, step by step."""

from __future__ import annotations

import numpy as np

from impact_sim.direct_run import Touch
from impact_sim.plant import FlexibleJointPlant


class WatchedPlant(FlexibleJointPlant):
    """Moves exactly as :class:`FlexibleJointPlant` does, and remembers what it touched.

    A step's force acts from the step's beginning, so the touch is the beginning of the first step
    with a force, and the sum of the forces times the step is the impulse that the arm got.
    """

    touch: Touch | None = None  # the instant of the first contact
    contacts = 0  # how often the tool touched the surface so far

    def reset(self, q: np.ndarray, dq: np.ndarray | None = None) -> None:
        """Put the arm somewhere and forget what was touched."""
        super().reset(q, dq)
        self.touch, self.contacts = None, 0
        self._forces: list[np.ndarray] = []

    @property
    def force(self) -> np.ndarray:
        """Force on the robot during the first contact, base axes, one row a step, (K, 3) [N]."""
        return np.array(self._forces).reshape(-1, 3)

    @property
    def impulse(self) -> np.ndarray:
        """Impulse on the robot of the first contact, base axes, shape (3,) [N.s]."""
        return self.force.sum(axis=0) * self.contact_step

    @property
    def contact_duration(self) -> float:
        """Time from the first touch to the first release, or until now [s]."""
        return len(self._forces) * self.contact_step

    def _force(self) -> np.ndarray:
        """Return the force of the wall, and remember it; the step has not moved the arm yet."""
        touched, force = np.count_nonzero(self.contact_force), super()._force()
        if np.count_nonzero(force):
            if self.touch is None:
                self.touch = Touch(self.time, self.q, self.dq)
            self.contacts += not touched
            if self.contacts == 1:
                self._forces.append(force)
        return force
