# SPDX-License-Identifier: Apache-2.0
"""A joint acceleration at every cycle, whatever the state: which limit gives way, and when."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from impact_qp.build import build
from impact_qp.exceptions import NoSolutionFound
from impact_qp.limits import JointLimit, Limit, TorqueLimit
from impact_qp.program import solve
from impact_qp.tasks import Task
from impact_robots.dynamics import ArmState
from impact_robots.robot import Robot

BRAKING_RATE = 10.0  # of the fall-back that only brakes [1/s]


@dataclass(frozen=True)
class Acceleration:
    """What one cycle asks of the arm."""

    ddq: np.ndarray  # shape (n,) [rad/s^2]
    active: tuple[str, ...]  # rows that bind
    slack: float  # by how much the yielding rows gave way, in their unit; 0 if they held
    relaxed: tuple[str, ...]  # what gave way


class AccelerationSolver:
    """Solves tasks under limits; impact rows give way first, then kinematic ones, torque never."""

    def __init__(self, robot: Robot, period: float) -> None:
        """Create the hardware limits for a control period [s]."""
        self.robot = robot
        self.joint_limit = JointLimit(robot, period)
        self.torque_limit = TorqueLimit(robot, period)

    def reset(self) -> None:
        """Forget the last cycle: no rate is limited in the next one."""
        self.joint_limit.previous = None
        self.torque_limit.previous = None

    def solve(
        self, state: ArmState, tasks: Sequence[Task], impact_limits: Sequence[Limit] = ()
    ) -> Acceleration:
        """Return the best acceleration; never raises for a finite state."""
        hardware = (self.joint_limit, self.torque_limit)
        try:
            solution = solve(build(state, tasks, (*hardware, *impact_limits)))
            return Acceleration(solution.x[: len(state.q)], solution.active, 0.0, ())
        except NoSolutionFound:
            pass
        try:
            return self._softened(state, tasks, (*hardware, *impact_limits))
        except NoSolutionFound:
            return self._braking(state)

    def _softened(
        self, state: ArmState, tasks: Sequence[Task], limits: Sequence[Limit]
    ) -> Acceleration:
        """Return the acceleration with the least violation of the yielding rows."""
        solution = solve(build(state, tasks, limits, soften=True))
        relaxed = tuple(name for name in solution.active if name.startswith("impact"))
        return Acceleration(
            solution.x[: len(state.q)], solution.active, max(0.0, float(solution.x[-1])), relaxed
        )

    def _braking(self, state: ArmState) -> Acceleration:
        """Return a braking acceleration within the torque limits, when these exclude the box."""
        inertia = state.M + np.diag(self.robot.apparent_motor_inertia)
        wanted = np.clip(-BRAKING_RATE * state.dq, *self.joint_limit.box(state))
        torque = np.clip(inertia @ wanted + state.h, *self.torque_limit.box(state))
        ddq = np.linalg.solve(inertia, torque - state.h)
        return Acceleration(ddq, ("torque",), 0.0, ("tasks", "joint limits", "impact"))
