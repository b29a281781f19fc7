# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""A joint acceleration at every cycle, whatever the state: which limit gives way, and when."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from impact_qp.build import ProgramBuilder
from impact_qp.limits import JointLimit, Limit, TorqueLimit
from impact_qp.program import NoSolutionFound, solve
from impact_qp.tasks import Task
from impact_robots.robot import Robot
from impact_robots.state import RobotState

YIELDING = ("impact", "collision")  # how the names of rows that give way begin
BRAKING_RATE = 10.0  # of the fall-back that only brakes [1/s]


class Acceleration(NamedTuple):
    """What one cycle asks of the arm."""

    ddq: np.ndarray  # shape (n,) [rad/s^2]
    active: tuple[str, ...]  # rows that bind
    slack: float  # by how much the yielding rows gave way, in their unit; 0 if they held
    relaxed: tuple[str, ...]  # what gave way


class AccelerationSolver:
    """Solves tasks under limits; impact rows give way first, then kinematic ones, torque never."""

    def __init__(
        self,
        robot: Robot,
        period: float,
        tasks: Sequence[Task],
        impact_limit: Limit | None = None,
        solver: str = "quadprog",
    ) -> None:
        """Create the hardware limits for a control period [s], and the programs."""
        self.robot, self._by = robot, solver
        self.joint_limit = JointLimit(robot, period)
        self.torque_limit = TorqueLimit(robot, period)
        n, limits = robot.dof, (self.joint_limit, self.torque_limit)
        self._bound: list[tuple[int, ...]] = [
            (),
            (),
        ]  # rows of the last cycle, without impact, with
        self._without = self._with = self._softened = ProgramBuilder(n, tasks, limits)
        if impact_limit is not None:
            self._with = ProgramBuilder(n, tasks, (*limits, impact_limit))
            self._softened = ProgramBuilder(n, tasks, (*limits, impact_limit), soften=True)

    def reset(self) -> None:
        """Forget the last cycle: no rate is limited in the next one."""
        self.joint_limit.previous = None
        self.torque_limit.previous = None
        self._bound = [(), ()]

    def solve(
        self, state: RobotState, *, impact: bool = False, added: np.ndarray | None = None
    ) -> Acceleration:
        """Return the best acceleration; never raises for a finite state.

        Args:
            state: dynamics of the arm.
            impact: the impact limit is in force.
            added: to what the tasks ask for, under the same limits, shape (n,) [rad/s^2].
        """
        n = len(state.q)
        try:
            program = (self._with if impact else self._without).build(state, added)
            x, active, self._bound[impact] = solve(program, self._by, self._bound[impact])
            return Acceleration(x[:n], active, 0.0, ())
        except NoSolutionFound:
            self._bound[impact] = ()
            if not impact:
                return self._braking(state)
        try:
            x, active, _ = solve(self._softened.build(state, added), self._by)
        except NoSolutionFound:
            return self._braking(state)
        relaxed = tuple(name for name in active if name.startswith(YIELDING))
        return Acceleration(x[:n], active, max(0.0, float(x[-1])), relaxed)

    def _braking(self, state: RobotState) -> Acceleration:
        """Return a braking acceleration within the torque limits, when these exclude the box.

        What the torques really do may be beyond the acceleration limits; what the next cycle is
        told is not, so that nothing grows from one cycle to the next.
        """
        inertia = state.inertia(self.robot.apparent_motor_inertia)
        wanted = np.clip(-BRAKING_RATE * state.dq, *self.joint_limit.box(state))
        torque = np.clip(inertia @ wanted + state.h, *self.torque_limit.box(state))
        most = self.robot.limits.acceleration
        ddq = np.clip(np.linalg.solve(inertia, torque - state.h), -most, most)
        return Acceleration(ddq, ("torque",), 0.0, ("tasks", "joint limits", "impact"))
