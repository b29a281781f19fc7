# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""A plant that keeps the truth about what its joints felt in the first impact."""

from __future__ import annotations

import numpy as np

from impact_predictor.joint_load.load import DURATION, JointLoad
from impact_sim.exceptions import SimulationError
from impact_sim.watched_plant import WatchedPlant


class LoadedPlant(WatchedPlant):
    """Moves exactly as :class:`WatchedPlant` does, and remembers the torque in its springs.

    Remembered from the touch on, once a step, for as long as an impact's load is looked for.
    """

    def reset(self, q: np.ndarray, dq: np.ndarray | None = None) -> None:
        """Put the arm somewhere and forget what was felt."""
        super().reset(q, dq)
        self._felt: list[tuple[float, np.ndarray]] = []

    @property
    def torque_before(self) -> np.ndarray:
        """Torque in the springs at the touch, shape (n,) [N.m]."""
        return self._felt[0][1]

    @property
    def load(self) -> JointLoad:
        """What the joints felt up to now; impulse and force of the first contact, in its axes.

        Raises:
            SimulationError: nothing was touched.
        """
        if self.wall is None or self.touch is None:
            raise SimulationError("load: nothing was touched")
        times, torques = (np.array(column) for column in zip(*self._felt, strict=True))
        change, since = torques - torques[0], times - self.touch.time
        forces = self.force @ self.wall.surface.rotation
        return JointLoad(
            change.max(axis=0),
            change.min(axis=0),
            since[change.argmax(axis=0)],
            since[change.argmin(axis=0)],
            forces.sum(axis=0)[None] * self.contact_step,
            forces[:, 2].max(keepdims=True),
            np.array([self.contact_duration]),
            None,
        )

    def advance_contact(self) -> None:
        """Integrate one small step."""
        before = self.joint_torque if self.touch is None else None
        super().advance_contact()
        if self.touch is None:
            return
        if before is not None:
            self._felt.append((self.touch.time, before))
        self._feel()

    def advance_free(self, duration: float) -> None:
        """Integrate ``duration`` [s] without looking at the surface."""
        super().advance_free(duration)
        if self.touch is not None:
            self._feel()

    def _feel(self) -> None:
        """Remember the torque of this instant, if it is soon enough after the touch."""
        time = self.time
        if self.touch is not None and time <= self.touch.time + DURATION:
            self._felt.append((time, self.joint_torque))
