# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""A plant that records the truth about its first contact, step by step."""

from __future__ import annotations

import numpy as np

from impact_sim.arm.direct_run import ContactStart
from impact_sim.plant.plant import FlexibleJointPlant
from impact_sim.plant.step_records import Steps


class WatchedPlant(FlexibleJointPlant):
    """Moves exactly as :class:`FlexibleJointPlant` does, and records its contacts.

    A step's force acts from the step's beginning, so contact is the beginning of the first step
    with a force, and the sum of the forces times the step is the impulse that the arm got.
    """

    always_looks = False  # at the motion of small steps: also after the first contact
    contact_start: ContactStart | None = None  # the instant of the first contact
    contacts = 0  # number of contacts so far

    def reset(self, q: np.ndarray, dq: np.ndarray | None = None) -> None:
        """Put the arm somewhere and clear the record."""
        super().reset(q, dq)
        self.forget()

    def forget(self) -> None:
        """Clear the record: the next contact is the first one."""
        self.contact_start, self.contacts = None, 0
        self.looks_at_motion = True
        self._forces = [np.empty((0, 3))]

    @property
    def force(self) -> np.ndarray:
        """Force on the robot during the first contact, base axes, one row a step, (K, 3) [N]."""
        return np.concatenate(self._forces)

    @property
    def impulse(self) -> np.ndarray:
        """Impulse on the robot of the first contact, base axes, shape (3,) [N.s]."""
        return self.force.sum(axis=0) * self.contact_step

    @property
    def contact_duration(self) -> float:
        """Time from first contact to the first release, or until now [s]."""
        return sum(map(len, self._forces)) * self.contact_step

    def _watch(self, steps: Steps) -> None:
        """Record the forces of steps, and the first contact."""
        if steps is self._flight or not np.count_nonzero(steps.force):  # quicker than ``any``
            return
        pushed = np.any(steps.force, axis=1)
        if self.contact_start is None:
            first = int(pushed.argmax())
            self.contact_start = ContactStart(
                float(steps.time[first]), steps.q[first], steps.dq[first]
            )
            self.looks_at_motion = self.always_looks
        began = pushed & ~np.append(self.contact_force.any(), pushed[:-1])
        contact = self.contacts + np.cumsum(began)  # the number of each step's
        self.contacts = int(contact[-1])
        self._forces.append(steps.force[pushed & (contact == 1)])
