# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""A joint acceleration in every cycle for any state: which limits are relaxed, and when."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from impact_qp.control.command import Acceleration
from impact_qp.control.standard_program import StandardProgram
from impact_qp.interface import CommandInterface
from impact_qp.limits import JointLimit, Limit, RateLimit, TorqueLimit
from impact_qp.program.build import ProgramBuilder
from impact_qp.program.program import NoSolutionFound, QuadraticProgram, solve
from impact_qp.tasks import Task
from impact_robots.compiling.direct_call import direct
from impact_robots.robot import Robot
from impact_robots.state.state import RobotState, with_motors

if TYPE_CHECKING:
    from impact_robots.state.packed_state import PackedState

BRAKING_RATE = 10.0  # of the braking fall-back [1/s]


class _Program:
    """The program of some limits, strict and softened, and which rows bound in the last cycle."""

    def __init__(
        self,
        robot: Robot,
        tasks: Sequence[Task],
        limits: Sequence[Limit],
        sent: CommandInterface | None,
    ) -> None:
        self._limits = limits
        self.bound: tuple[int, ...] = ()
        self.standard = StandardProgram.of(robot, tasks, limits, sent)
        self.plain = ProgramBuilder(robot.dof, tasks, limits)
        self.softened: ProgramBuilder | None = None
        if any(limit.yields for limit in limits):
            self.softened = ProgramBuilder(robot.dof, tasks, limits, soften=True)

    @property
    def yielding(self) -> set[str]:
        """Names of the rows that may be relaxed."""
        return {name for limit in self._limits if limit.yields for name in limit.names}


class AccelerationSolver:
    """Solves tasks under limits: relaxes yielding ones first, then kinematic ones, torque never.

    Attributes:
        joint_limit: box of the joint accelerations; also used by the braking fall-back.
        torque_limit: box of the torques, also respected by the fall-back.
    """

    def __init__(
        self,
        robot: Robot,
        period: float,
        tasks: Sequence[Task],
        impact_limit: Limit | None = None,
        solver: str = "quadprog",
        *,
        limits: Sequence[Limit] = (),
        envelope: Limit | None = None,
        joint_limit: JointLimit | None = None,
        sent: CommandInterface | None = None,
    ) -> None:
        """Create the programs.

        Args:
            robot: the arm.
            period: of control [s].
            tasks: what to do.
            impact_limit: active if :meth:`solve` says so.
            solver: one of ``impact_qp.program.program.SOLVERS``.
            limits: always in force, beside those of joints and torques.
            envelope: active if :meth:`solve` says so.
            joint_limit: instead of the robot's.
            sent: interface of the arm; None: torques, after nothing was sent.
        """
        from impact_qp.compiled.torque_box import torques_of  # loads slowly

        self._torques_of = direct(torques_of)
        self.robot, self._by = robot, solver
        self.joint_limit = JointLimit(robot, period) if joint_limit is None else joint_limit
        self.torque_limit = TorqueLimit(robot, period)
        always = (self.joint_limit, self.torque_limit, *limits)
        with_impact = always if impact_limit is None else (*always, impact_limit)
        self._rates = [each for each in with_impact if isinstance(each, RateLimit)]
        around = () if envelope is None else (envelope,)
        self._programs = tuple(
            _Program(robot, tasks, each, sent)
            for each in (always, with_impact, (*always, *around), (*with_impact, *around))
        )

    def reset(self) -> None:
        """Forget the last cycle: no rate is limited in the next one."""
        for limit in self._rates:
            limit.reset()
        for program in self._programs:
            program.bound = ()

    def remember(self, ddq: np.ndarray, torque: np.ndarray) -> None:
        """Take what was commanded: accelerations [rad/s^2], torques beyond gravity [N.m], (n,)."""
        for limit in self._rates:
            limit.remember(ddq, torque)

    def solve(
        self,
        state: PackedState,
        *,
        impact: bool = False,
        envelope: bool = False,
        added: np.ndarray | None = None,
    ) -> Acceleration:
        """Return the best acceleration; never raises for a finite state.

        Args:
            state: of the arm.
            impact: the impact limit is active.
            envelope: the row of the envelope is, too.
            added: to the tasks' accelerations, under the same limits, shape (n,) [rad/s^2].
        """
        program = self._programs[impact + 2 * envelope]
        if added is None and program.standard is not None:
            found = program.standard.solve(state, program.bound)
            if found is not None:
                acceleration, program.bound = found
                return acceleration
        robot_state, n = state.point.robot_state, state.n
        try:
            x, active, program.bound = solve(
                program.plain.build(robot_state, added), self._by, program.bound
            )
            return Acceleration(x[:n], active, 0.0, ())
        except NoSolutionFound:
            program.bound = ()
            if program.softened is None:
                return self._braking(robot_state)
        try:
            x, active, _ = solve(program.softened.build(robot_state, added), self._by)
        except NoSolutionFound:
            return self._braking(robot_state)
        relaxed = tuple(name for name in active if name in program.yielding)
        return Acceleration(x[:n], active, max(0.0, float(x[-1])), relaxed)

    def coast(self, state: PackedState, beyond: np.ndarray) -> Acceleration:
        """Return the acceleration that gravity compensation leaves: u = g, and torques beyond it.

        Args:
            state: of the arm.
            beyond: torques, shape (n,) [N.m].
        """
        inertia = with_motors(state.M, self.robot.apparent_motor_inertia)
        ddq = np.linalg.solve(inertia, state.g + beyond - state.h)
        return Acceleration(ddq, active=(), slack=0.0, relaxed=())

    def torques(
        self, state: RobotState | PackedState, ddq: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        """Return u and the part of it that moves the links, each of shape (n,) [N.m].

        u = (M + B_theta) qddot + h, clipped to torque and rate; the links' part is without
        B_theta and not clipped.
        """
        box, motor = self.torque_limit.box(state), self.robot.apparent_motor_inertia
        whole, links = self._torques_of(state.M, motor, state.h, ddq, box)
        return whole, links

    def _braking(self, state: RobotState) -> Acceleration:
        """Return the closest to braking that the torque limits allow, if these exclude the box.

        The true effect of the torques may exceed the acceleration limits; the value stored for the
        next cycle does not, so that nothing grows from one cycle to the next.
        """
        wanted = np.clip(-BRAKING_RATE * state.dq, *self.joint_limit.box(state))
        torque, _ = self.torques(state, self._within_torques(state, wanted))
        motor, highest = self.robot.apparent_motor_inertia, self.robot.limits.acceleration
        ddq = np.linalg.solve(state.inertia(motor), torque - state.h)
        gave_way = ("tasks", "joint limits", "impact")
        torques = torque, torque - motor * ddq
        return Acceleration(np.clip(ddq, -highest, highest), ("torque",), 0.0, gave_way, torques)

    def _within_torques(self, state: RobotState, wanted: np.ndarray) -> np.ndarray:
        """Return the allowed accelerations nearest to the wanted ones under torque limits, (n,).

        Clipping torques joint by joint instead would let one joint's braking drive another one.
        """
        rows = self.torque_limit.rows(state)
        program = QuadraticProgram(np.eye(len(wanted)), -wanted, rows.G, rows.h, rows.names)
        try:
            return solve(program, self._by).x
        except NoSolutionFound:  # the torques are clipped anyway
            return wanted
