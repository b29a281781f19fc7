# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""The program of an approach, used in most cycles, in one compiled call."""

from __future__ import annotations

from collections.abc import Sequence
from math import inf, nan
from typing import TYPE_CHECKING

import numpy as np

from impact_qp.compiled.records import (
    ApproachProgram,
    ApproachReference,
    ApproachSolution,
    ImpulseSet,
    Memory,
    Preview,
)
from impact_qp.control.command import Acceleration
from impact_qp.interface import CommandInterface, TorqueInterface
from impact_qp.limits import (
    ApproachSpeedLimit,
    ImpactLimit,
    JointLimit,
    Limit,
    TorqueLimit,
    WorstCaseImpactLimit,
)
from impact_qp.program.build import REGULARISATION, weights_of
from impact_qp.program.program import ROW_TOLERANCE, TRIES, numbers_of
from impact_qp.tasks import OrientationTask, PostureTask, Task, VelocityTask
from impact_robots.compiling.direct_call import direct
from impact_robots.robot import Robot

if TYPE_CHECKING:
    from impact_robots.state.packed_state import PackedState

_new = tuple.__new__  # half the time of the constructor
EXACTLY = (VelocityTask, OrientationTask, PostureTask, JointLimit, TorqueLimit)


class StandardProgram:
    """A program of these tasks, of joint and torque limits, and of a limit of the approach speed.

    Solves it if similar rows bind as in the last cycle; other programs and cycles use
    ``ProgramBuilder`` and ``solve``, with the same result.
    """

    def __init__(
        self,
        robot: Robot,
        tasks: tuple[VelocityTask, OrientationTask, PostureTask],
        limits: tuple[JointLimit, TorqueLimit],
        impact: ApproachSpeedLimit | None,
        sent: CommandInterface,
    ) -> None:
        """Set up.

        Args:
            robot: the arm.
            tasks: in the order of their rows.
            limits: the same.
            impact: on the approach speed; None: it is not limited.
            sent: whose last command the motion goes on from.
        """
        from impact_qp.compiled.standard_program import standard_minimum  # loads slowly

        self._minimum = direct(standard_minimum)
        self._velocity, self._orientation, self._posture = tasks
        self._joint, self._torque = limits
        self._sent = sent
        self._impact, self._worst = impact, _in_closed_form(impact)
        self._n, self._binding = robot.dof, np.empty(robot.dof, dtype=np.int64)
        self._rows: tuple[int, ...] = ()  # that bound in the last cycle
        self._named = ""  # the name of that on the approach speed
        self._active: tuple[str, ...] = ()  # the names of those that bound
        none = np.zeros(robot.dof)
        self._no_preview = Preview(np.zeros(3), 0.0, none)
        form = None if self._worst is None else self._worst.closed_form
        no_impulses = ImpulseSet(np.zeros((3, 0)), 0.0, none, none, 0.0, np.zeros(0))
        _, _, torque_step, torque_limits, adds_gravity = self._torque.figures
        _, joint_limits, dt = self._joint.figures
        self._program = ApproachProgram(
            motor_inertia=robot.apparent_motor_inertia,
            weights=weights_of(tasks),
            regularisation=REGULARISATION,
            joint_limits=joint_limits,
            dt=dt,
            torque_step=torque_step,
            torque_limits=torque_limits,
            adds_gravity=adds_gravity,
            limited=impact is not None,
            impulses=no_impulses if form is None else form,
            tolerance=ROW_TOLERANCE,
            tries=TRIES,
        )

    @classmethod
    def of(
        cls,
        robot: Robot,
        tasks: Sequence[Task],
        limits: Sequence[Limit],
        sent: CommandInterface | None = None,
    ) -> StandardProgram | None:
        """Return the program of tasks and limits, None if it is another one.

        ``sent`` is the interface of the arm; None: torques, after nothing was sent.
        """
        if not (all(map(_is_plain, tasks)) and all(map(_is_plain, limits))):
            return None
        match list(tasks), list(limits):
            case (
                [
                    VelocityTask() as velocity,
                    OrientationTask() as turning,
                    PostureTask() as posture,
                ],
                [JointLimit() as joint, TorqueLimit() as torque, *others],
            ):
                sent = TorqueInterface(robot, joint.period) if sent is None else sent
                program = (robot, (velocity, turning, posture), (joint, torque))
                match others:
                    case []:
                        return cls(*program, None, sent)
                    case [ApproachSpeedLimit() as impact]:
                        return cls(*program, impact, sent)
        return None

    def solve(
        self, state: PackedState, guess: tuple[int, ...]
    ) -> tuple[Acceleration, tuple[int, ...]] | None:
        """Return the solution and the binding rows, near those of the guess; None: not found."""
        impact, worst = self._impact, self._worst
        preview, speed, before, period = self._no_preview, inf, None, 0.0
        if impact is not None:
            preview, before, period = impact.figures, impact.bound, impact.period
            if worst is None:
                impact.take(impact.packed_bound(state))
                speed = impact.bound.speed
        velocity, turning, posture = self._velocity, self._orientation, self._posture
        wanted = (
            velocity.reference,
            velocity.feedforward,
            velocity.gain,
            turning.reference,
            turning.feedforward,
            turning.stiffness,
            turning.damping,
            posture.reference,
            posture.stiffness,
            posture.damping,
        )
        bound, torque, sent = nan if before is None else before.speed, self._torque, self._sent
        last = self._joint.last, torque.last, torque.fraction
        limited = preview, speed, bound, period
        memory = (*last, *limited, sent.velocity, sent.position, numbers_of(guess))
        n, new = self._n, np.empty
        ddq, torques, motion = new(n), (new(n), new(n)), (new(n), new(n))
        count, as_guessed, bound, row, speed_ahead, along = self._minimum(
            state.block,
            _new(ApproachReference, wanted),
            self._program,
            _new(Memory, memory),
            _new(ApproachSolution, (ddq, *torques, *motion, self._binding)),
        )
        if count < 0:
            if impact is not None and before is not None:
                impact.bound = before  # undo the attempt
            return None
        if worst is not None:
            worst.take_row(bound, row)
        name = "" if impact is None else impact.names[0]
        rows = guess if as_guessed else tuple(self._binding[:count].tolist())
        if rows is not self._rows or name is not self._named:
            self._rows, self._named = rows, name
            names = (*self._joint.names, *self._torque.names, name)
            self._active = tuple([names[i] for i in rows])
        known = torques, (speed_ahead, along), None if sent.servo else motion
        return _new(Acceleration, (ddq, self._active, 0.0, (), *known)), rows


def _is_plain(part: Task | Limit) -> bool:
    """Tell whether a task or limit behaves as its class in the suite does, at the contact point."""
    if isinstance(part, ApproachSpeedLimit):
        kind = type(part)
        same = kind.fill is ApproachSpeedLimit.fill and kind.approach is ImpactLimit.approach
        return same and kind.allowed is ApproachSpeedLimit.allowed and part.frame is None
    return type(part) in EXACTLY and getattr(part, "frame", None) is None


def _in_closed_form(limit: ApproachSpeedLimit | None) -> WorstCaseImpactLimit | None:
    """Return a limit whose bound the compiled program can compute, None for any other."""
    if not isinstance(limit, WorstCaseImpactLimit) or limit.closed_form is None:
        return None
    kind, own = type(limit), WorstCaseImpactLimit
    same = kind.speed_bound is own.speed_bound and kind.present_bound is own.present_bound
    return limit if same else None
