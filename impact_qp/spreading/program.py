# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""The quadratic program of an arm by reference spreading."""

from __future__ import annotations

from functools import lru_cache
from math import sqrt
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from impact_qp.compiled.records import (
    Preview,
    SpreadArrays,
    SpreadProgram,
    SpreadReferenceState,
)
from impact_qp.limits.approach_cap import ApproachCapLimit
from impact_qp.limits.braking import BrakingLimit
from impact_qp.limits.command_torque import CommandTorqueLimit
from impact_qp.limits.one_cycle import OneCycleLimit
from impact_qp.program.build import REGULARISATION, ProgramBuilder, weights_of
from impact_qp.program.program import (
    ROW_TOLERANCE,
    TRIES,
    NoSolutionFound,
    QuadraticProgram,
    numbers_of,
    solve,
)
from impact_qp.references import ReferenceState
from impact_qp.spreading.force import force_acceleration
from impact_qp.spreading.friction import TASKS
from impact_qp.spreading.plan import SpreadPlan
from impact_qp.tasks import OrientationTask
from impact_qp.tasks.redundancy import RedundancyTask
from impact_qp.tasks.tracking import TrackingTask
from impact_robots.compiling.direct_call import direct
from impact_robots.robot import Robot

if TYPE_CHECKING:
    from impact_robots.state.packed_state import PackedState

_new = tuple.__new__  # half the time of the constructor
_SINGULAR = 1e-8  # damping of the reference's joint velocities, where the arm is singular
_BRAKING = 20.0  # of the joints where the program has no solution [1/s]


class SpreadTask(NamedTuple):
    """Targets of the tasks in one cycle."""

    motion: ReferenceState  # of [p; xi], shape (4,) each
    stiffness: np.ndarray  # of position, orientation and first joint, shape (3,) [1/s^2]
    fade: float  # gamma, fraction of the velocity feedback [-]
    feedforward: np.ndarray  # a_f of all tasks, shape (7,) [m/s^2], [rad/s^2]
    wrench: np.ndarray  # on the object, [force; moment], base axes, shape (6,)
    capped: bool  # the approach speed is limited
    rotation: np.ndarray | None = None  # target of the contact frame, (3, 3); None: the plan's


class SpreadSolution(NamedTuple):
    """Result of the program."""

    ddq: np.ndarray  # joint accelerations, shape (n,) [rad/s^2]
    active: tuple[str, ...]  # limits that bind
    solved: bool  # false: there is no solution, and the joints are braked
    feedback: np.ndarray  # of position, orientation, first joint, shape (7,) [m/s^2], [rad/s^2]
    joint_velocity: np.ndarray  # of an arm that follows the reference, shape (n,) [rad/s]


class SpreadingProgram:
    """Point, orientation and first joint follow a motion, within the limits of the arm.

    One compiled call solves it if rows near those of the last cycle bind; else a solver does.
    """

    def __init__(self, robot: Robot, plan: SpreadPlan, period: float) -> None:
        """Set up for a plan and a control period [s]."""
        from impact_qp.compiled.spreading_program import spreading_minimum  # loads slowly

        gains, self._minimum = plan.gains, direct(spreading_minimum)
        self._n, self._motor = robot.dof, robot.apparent_motor_inertia
        self._orientation = np.array(plan.reference.rotation, dtype=float)
        self._position = TrackingTask(weight=gains.position_weight)
        self._turn = OrientationTask(weight=gains.orientation_weight)
        self._turn.reference = self._orientation
        self._joint = RedundancyTask(weight=gains.joint_weight)
        tasks = self._position, self._turn, self._joint
        self._cap = ApproachCapLimit(plan.guard.into, plan.guard.speed)
        cycle, torque = OneCycleLimit(robot, period), CommandTorqueLimit(robot)
        braking = BrakingLimit(robot)
        limits = cycle, torque, braking, self._cap
        self._builder = ProgramBuilder(robot.dof, tasks, limits)
        into, speed, preview = self._cap.figures
        joint_limits, dt = cycle.figures
        figures, ahead = braking.figures
        self._program = SpreadProgram(
            weights=weights_of(tasks),
            regularisation=REGULARISATION,
            motor_inertia=self._motor,
            singular=_SINGULAR,
            joint_limits=joint_limits,
            dt=dt,
            torques=torque.box,
            braking=figures,
            braking_preview=ahead,
            cap=Preview(into, preview, np.zeros(robot.dof)),
            speed=speed,
            tolerance=ROW_TOLERANCE,
            tries=TRIES,
        )
        names = tuple(name for limit in limits for name in limit.names)
        self._named = lru_cache(maxsize=256)(lambda rows: tuple([names[i] for i in rows]))
        self._binding = np.empty(robot.dof, dtype=np.int64)
        self.reset()

    def reset(self) -> None:
        """Forget which rows bound in the last cycle."""
        self._rows: tuple[int, ...] = ()

    def solve(self, state: PackedState, wanted: SpreadTask) -> SpreadSolution:
        """Return accelerations of the arm in a state."""
        motion, new = wanted.motion, np.empty
        orientation = self._orientation if wanted.rotation is None else wanted.rotation
        reference = *motion, orientation, wanted.feedforward, wanted.stiffness
        others = wanted.fade, wanted.wrench, wanted.capped
        written = new(self._n), new(TASKS), new(self._n), self._binding
        ddq, feedback, joint_velocity, _ = written
        count = self._minimum(
            state.block,
            _new(SpreadReferenceState, (*reference, *others)),
            self._program,
            numbers_of(self._rows),
            _new(SpreadArrays, written),
        )
        if count < 0:
            return SpreadSolution(*self._by_solver(state, wanted), feedback, joint_velocity)
        self._rows = rows = tuple(self._binding[:count].tolist())
        return _new(SpreadSolution, (ddq, self._named(rows), True, feedback, joint_velocity))

    def build(self, state: PackedState, wanted: SpreadTask) -> QuadraticProgram:
        """Return the program of an arm in a state; it is overwritten by the next one."""
        self._tell(wanted)
        point = state.point
        added = force_acceleration(point, self._motor, wanted.wrench)
        return self._builder.build(point.robot_state, added)

    def _by_solver(
        self, state: PackedState, wanted: SpreadTask
    ) -> tuple[np.ndarray, tuple[str, ...], bool]:
        """Return accelerations, binding limits, and whether there is a solution."""
        try:
            found = solve(self.build(state, wanted))
        except NoSolutionFound:
            self._rows = ()
            return -_BRAKING * state.dq, (), False
        self._rows = found.rows
        return found.x, found.active, True

    def _tell(self, wanted: SpreadTask) -> None:
        """Set the targets of tasks and cap."""
        position, turn, joint = self._position, self._turn, self._joint
        (place, velocity, acceleration), fade = wanted.motion, wanted.fade
        position.position, position.velocity = place[:3], velocity[:3]
        position.acceleration, position.feedforward = acceleration[:3], wanted.feedforward[:3]
        joint.position, joint.velocity = float(place[3]), float(velocity[3])
        joint.acceleration, joint.feedforward = float(acceleration[3]), float(wanted.feedforward[6])
        turn.feedforward = wanted.feedforward[3:6]
        turn.reference = self._orientation if wanted.rotation is None else wanted.rotation
        position.stiffness, turn.stiffness, joint.stiffness = wanted.stiffness.tolist()
        position.fade = joint.fade = fade
        turn.damping = fade * 2.0 * sqrt(turn.stiffness)
        self._cap.active = wanted.capped
