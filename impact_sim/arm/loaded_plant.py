# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""A plant that records the true joint torques of the first impact."""

from __future__ import annotations

import numpy as np

from impact_predictor.joint_load.drive import drive_of
from impact_predictor.joint_load.elastic_arm import elastic_arm
from impact_predictor.joint_load.load import DURATION, JointLoad, window
from impact_robots.dynamics import ArmDynamics
from impact_sim.arm.direct_run import ContactStart
from impact_sim.arm.watched_plant import WatchedPlant
from impact_sim.exceptions import SimulationError
from impact_sim.plant.step_records import Steps


class LoadedPlant(WatchedPlant):
    """Moves exactly as :class:`WatchedPlant` does, and records the torque in its springs.

    Recorded from contact on, at each step, for the duration in which the load of an impact counts.

    Attributes:
        window: that duration, longer behind a soft cover of the tool [s].
    """

    window = DURATION
    always_looks = True

    def forget(self) -> None:
        """Clear the record."""
        super().forget()
        self._felt: list[tuple[float, np.ndarray]] = []

    @property
    def torque_before(self) -> np.ndarray:
        """Torque in the springs at contact, shape (n,) [N.m]."""
        return self._felt[0][1]

    @property
    def load(self) -> JointLoad:
        """Joint torques up to now; impulse and force of the first contact, in its axes.

        Raises:
            SimulationError: there was no contact.
        """
        if self.wall is None or self.contact_start is None:
            raise SimulationError("load: there was no contact")
        times, torques = (np.array(column) for column in zip(*self._felt, strict=True))
        change, since = torques - torques[0], times - self.contact_start.time
        forces = self.force @ self.wall.surface.rotation
        return JointLoad(
            change.max(axis=0),
            change.min(axis=0),
            since[change.argmax(axis=0)],
            since[change.argmin(axis=0)],
            forces.sum(axis=0)[None] * self.contact_step,
            forces[:, 2].max(keepdims=True),
            np.array([self.contact_duration]),
            np.zeros(1),
            np.array([self.cover_compression]),
            None,
        )

    def _watch(self, steps: Steps) -> None:
        """Record the joint torques."""
        before = self.contact_start is not None
        super()._watch(steps)
        if self.contact_start is None:
            return
        if not before:
            self._lengthen(self.contact_start)
        new = steps.time >= self.contact_start.time
        new[0] &= not before  # known as the end of what was before
        for time, torque in zip(steps.time[new].tolist(), steps.torque[new], strict=True):
            self._feel(time, torque)
        self._feel(self.time, self.joint_torque)

    def _lengthen(self, start: ContactStart) -> None:
        """Set the window of a tool with a cover, from where the contact starts."""
        cover = self.robot.cover_at(self.contact.frame or self.robot.contact_frame)
        if cover is None or self.wall is None:
            return
        point = ArmDynamics(self.robot).state(start.q, start.dq).at(*self.contact)
        arm = elastic_arm(
            self.robot, point.robot_state, drive_of(self.robot, "torque"), covered=True
        )
        self.window = window(arm.mass(self.wall.surface.normal @ point.J[:3]), cover.stiffness)

    def advance_free(self, duration: float) -> None:
        """Integrate ``duration`` [s] without looking at the surface."""
        super().advance_free(duration)
        self._feel(self.time, self.joint_torque)

    def _feel(self, time: float, torque: np.ndarray) -> None:
        """Record the torque (n,) [N.m] of a time [s], if it is soon enough after contact."""
        if self.contact_start is not None and time <= self.contact_start.time + self.window:
            self._felt.append((time, torque))
