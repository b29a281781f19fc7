# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""How an arm that is sent torques moves, and what it bears: both beyond what is measured."""

from __future__ import annotations

import numpy as np

from impact_qp.control.phases import Phase
from impact_qp.control.unexplained import UnexplainedLoad
from impact_qp.control.velocity_filter import VelocityFilter
from impact_robots.robot import Robot
from impact_robots.state import PointState


class MotionEstimate:
    """Joint velocities without noise or lag, and the load that no model explains.

    Right after an impact, when velocities jump, and while pressing, when the surface takes up what
    is commanded, velocities are the measured ones, and there is no such load.
    """

    def __init__(self, robot: Robot, period: float) -> None:
        """Set up for an arm and a control period [s]."""
        self._filter, self._load = VelocityFilter(period), UnexplainedLoad(robot)
        self._none, self._motor = np.zeros(robot.dof), robot.apparent_motor_inertia
        self.forget()

    def forget(self) -> None:
        """Forget the motion, not the load."""
        self._filter.reset()
        self._ddq = self._opposed = self._none

    def reset(self) -> None:
        """Forget both."""
        self.forget()
        self._load.reset()

    @property
    def bears(self) -> bool:
        """Whether there is a load."""
        return self._load.counts

    def velocity(
        self, q: np.ndarray, dq: np.ndarray, phase: Phase, periods: int, *, impact: bool
    ) -> np.ndarray:
        """Return joint velocities, shape (n,) [rad/s].

        Args:
            q: measured positions, shape (n,) [rad].
            dq: measured velocities, shape (n,) [rad/s].
            phase: of the last cycle.
            periods: since then.
            impact: the detector holds that the arm has hit something.
        """
        if impact or phase.follows:
            self._filter.reset()
        self._filter.alert = phase.stands
        return self._filter.update(q, dq, self._ddq, periods)

    def loaded(
        self, state: PointState, phase: Phase, *, look: bool, surface: np.ndarray | None = None
    ) -> tuple[PointState, str]:
        """Return the state with the load that the arm bears, and a note on it.

        A moving arm's load is followed slowly, so it is not looked at in every cycle.

        Args:
            state: of the contact point.
            phase: of this cycle.
            look: at the load of a moving arm.
            surface: outward normal, base axes, shape (3,), of one that the point may touch.
        """
        unexplained, load = self._filter.unexplained, self._load
        self._opposed = self._none
        if unexplained is None or phase.follows:
            load.reset()
            return state, ""
        if look or phase.stands:
            if surface is not None and phase.stands:
                unexplained = self._without_push(state, unexplained, surface)
            load.look(state, unexplained)
        if not load.counts:
            return state, ""
        self._opposed = load.opposed
        return load.on(state), load.note

    def _without_push(
        self, state: PointState, unexplained: np.ndarray, normal: np.ndarray
    ) -> np.ndarray:
        """Return unexplained accelerations (n,) [rad/s^2] without a surface's push on the point.

        Who opposes that push presses the harder, and is pushed the more.
        """
        J = state.J[:3]
        mobility = np.linalg.solve(state.robot_state.inertia(self._motor), J.T)
        force = np.linalg.pinv(J @ mobility) @ (J @ unexplained)
        return unexplained - mobility @ normal * max(0.0, float(normal @ force))

    @property
    def left_over(self) -> np.ndarray | None:
        """Accelerations (n,) [rad/s^2] that are neither explained nor opposed."""
        unexplained = self._filter.unexplained
        if self._opposed is self._none or unexplained is None:
            return unexplained
        return unexplained - self._opposed

    def remember(self, ddq: np.ndarray) -> None:
        """Note what was commanded, shape (n,) [rad/s^2]."""
        self._ddq = ddq
        if self._opposed is not self._none:
            self._ddq = ddq - self._opposed  # by the model without the load that is borne
