# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Controller of one arm by reference spreading: one command for each measured state."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import inf, isfinite
from typing import TYPE_CHECKING

import numpy as np

from impact_qp.exceptions import ControlError
from impact_qp.guards.measured import PlausibleState
from impact_qp.interface import RATE_FRACTION, TorqueInterface
from impact_qp.references import Quintics, ReferenceState
from impact_qp.spreading.command import SpreadCommand
from impact_qp.spreading.force import WRENCH
from impact_qp.spreading.friction import TASKS
from impact_qp.spreading.modes import AFTER, DETECTING, Mode, StopReason, Variant, fade, mode_at
from impact_qp.spreading.plan import SpreadPlan
from impact_qp.spreading.program import SpreadingProgram, SpreadSolution, SpreadTask
from impact_qp.spreading.stopping import HOLD_DISTANCE, ArmStop
from impact_qp.spreading.watch import SpreadWatch
from impact_robots.compiling.direct_call import direct
from impact_robots.dynamics import ArmDynamics
from impact_robots.robot import Robot
from impact_robots.state.state import PointState

if TYPE_CHECKING:
    from impact_robots.state.packed_state import PackedState

GAP = 0.1  # longest time between two states that is used [s]
_new = tuple.__new__  # half the time of the constructor


class SpreadingController:
    """Follows a :class:`SpreadPlan` with one arm; holds no clock and no I/O.

    Several arms have a controller each; :func:`~impact_qp.spreading.heard` distributes detected
    impacts, and :func:`join` makes them stop together.
    """

    def __init__(
        self,
        robot: Robot,
        plan: SpreadPlan,
        *,
        period: float = 1e-3,
        hold_distance: float = HOLD_DISTANCE,
    ) -> None:
        """Create the controller.

        Args:
            robot: the arm.
            plan: of the motion.
            period: of control [s].
            hold_distance: displacement of a holding arm beyond which it holds its new position [m].

        Raises:
            RobotError: a required limit or parameter of the robot is unknown.
        """
        from impact_qp.compiled.torque_box import torques_in_step  # loads slowly

        self._torques_in_step = direct(torques_in_step)
        robot.require("impact_qp")
        self._measured = PlausibleState(robot.dof)
        self.robot, self.plan, self.period = robot, plan, period
        self._packed, self._timing = ArmDynamics(robot, compiled=True).packer(), plan.timing
        self._program = SpreadingProgram(robot, plan, period)
        gains = plan.gains
        before, after = gains.orientation, gains.orientation_after
        self._stiffness, self._stiffness_after = (
            np.array([gains.position, turn, gains.joint]) for turn in (before, after)
        )
        self._fields = plan.fields
        self._none = np.zeros(TASKS), np.zeros(WRENCH)  # known friction, and wrench
        self._watch = SpreadWatch(plan.guard, plan.contact, period)
        self._stopping = ArmStop(robot, period, cap=plan.guard.cap, distance=hold_distance)
        self.partners: tuple[SpreadingController, ...] = ()  # the other arms, see `join`
        self._step = RATE_FRACTION * robot.limits.torque_rate * period
        self.reset()

    def reset(self) -> None:
        """Restart, with an arm whose driver compensates gravity only."""
        self.impact_time: float | None = None  # when the impact was detected [s]
        self.interface = TorqueInterface(self.robot, self.period)
        if self._fields is not None:
            self._fields.reset()
        self._hears = False  # last detection status
        self._time, self._periods = inf, 1  # of the last state [s], from the one before to it
        self._program.reset()
        self._watch.reset()
        self._stopping.reset()

    @property
    def stop(self) -> StopReason | None:
        """Why the arm brakes and holds; None: it does not."""
        return self._watch.stop

    @property
    def held(self) -> bool:
        """Whether the arm has braked and is held where it was then."""
        return self._stopping.held

    def halt(self) -> None:
        """Brake and hold from the next cycle on, until ``reset``."""
        self._watch.halt()

    def hold_anew(self) -> None:
        """Restart the stop at the position of the next state."""
        self._stopping.reset()

    def settle(self) -> Iterator[np.ndarray]:
        """Yield torques, one per period, until gravity alone is left, shape (n,) each [N.m].

        For an arm without states. If they return, a stop starts at the arm's position.
        """
        yield from self.interface.settle()
        self._stopping.reset()

    def update(
        self, time: float, q: np.ndarray, dq: np.ndarray, *, impact: bool = False
    ) -> SpreadCommand:
        """Return the command for one measured state.

        Args:
            time: of the plan [s].
            q: joint positions, shape (n,) [rad].
            dq: joint velocities, shape (n,) [rad/s].
            impact: an impact of this arm is detected; the first time counts.

        Raises:
            ControlError: the time or the state is not finite or of the wrong shape, or the
                plan's force or friction has a wrong shape.
        """
        q, dq = self._measured(q, dq)
        if not isfinite(time):
            raise ControlError(f"time: expected a finite number, got {time}")
        since, self._time = min(max(time - self._time, 0.0), GAP), time  # a clock may jump
        self._periods = max(1, round(since / self.period))
        state = self._packed(q, dq)
        if impact and not self._hears:
            self._hear(time, state.point)
        self._hears = impact
        now, hit = self._motion_times(time, state)
        mode = mode_at(self.plan.variant, self._timing, now, hit)
        stopped = any([each.stop for each in self.partners])  # a generator takes longer
        if self._watch.look(mode, self.impact_time, state, stopped):
            mode = Mode.STOP
        wanted = self._wanted(mode, time, state, (now, hit))
        watched = self._watched(wanted.motion, state)
        self._watch.follow(mode, state, watched, self._periods * self.period)
        loaded = self._stopping.loaded(state, self._periods) if mode is Mode.STOP else state
        command = self._command(loaded, mode, wanted, self._program.solve(loaded, wanted))
        if mode is Mode.STOP:
            self._stopping.sent(state.point, command.torque)
        return command

    def _hear(self, time: float, point: PointState) -> None:
        """Handle an impact: the first is the plan's; any later one ends the motion."""
        if self._stopping.begun:
            self._stopping.hold(point)
        elif self.impact_time is None:
            self.impact_time = time
            if self._fields is not None:
                self._fields.hear(time, point)
        else:
            self._watch.hit_again()

    @property
    def _hits(self) -> list[float | None]:
        """When impacts were detected, of this arm and then of its partners [s]."""
        return [each.impact_time for each in (self, *self.partners)]

    def _motion_times(self, time: float, state: PackedState) -> tuple[float, float | None]:
        """Return the time of the motion and of its impact: the clock's, or by the place [s]."""
        if self._fields is None:
            return time, self.impact_time
        return self._fields.time(time, state.point, self._hits), self._fields.impact_at

    def _watched(self, motion: ReferenceState, state: PackedState) -> ReferenceState:
        """Return the motion with a position to compare with, which fields do not have."""
        if self._fields is None:
            return motion
        elapsed, all_hit = self._periods * self.period, None not in self._hits
        along = self._fields.watched(state.point, elapsed, all_hit=all_hit)
        return motion._replace(position=np.append(along, motion.position[3]))

    def reference_velocities(self, time: float) -> tuple[np.ndarray, np.ndarray]:
        """Return those of the contact point before and after the impact, (3,) each [m/s]."""
        known = None if self._fields is None else self._fields.velocities()
        if known is not None:
            return known
        reference = self.plan.reference
        return reference.ante(time).velocity[:3], reference.post(time).velocity[:3]

    def _wanted(
        self, mode: Mode, time: float, state: PackedState, motion_times: tuple[float, float | None]
    ) -> SpreadTask:
        """Return the targets of the tasks; times by the clock, and as of `_motion_times`."""
        plan, (known, wrench) = self.plan, self._none
        if mode is Mode.STOP:
            motion, rotation = self._stopping.wanted(
                state.point, self._watch.braking_time, self._stiffness, self._periods
            )
            return SpreadTask(motion, self._stiffness, 1.0, known, wrench, False, rotation)
        after, (now, hit) = mode in AFTER, motion_times
        fields, friction = self._fields, plan.post_friction if after else plan.ante_friction
        motion = self._reference(mode)(now) if fields is None else fields(state.point, after=after)
        if friction is not None:
            known = _vector(friction(now), TASKS, "friction")
        if after and not self._waits(time):
            pressed = motion if fields is None else fields.pressed(motion, state.point, now)
            wrench = _vector(plan.force(pressed), WRENCH, "force")
        gamma = fade(mode, self._timing, now, hit)
        if fields is not None and not after:
            gamma = fields.gamma(motion, state.point, now)
        stiffness = self._stiffness_after if after else self._stiffness
        capped = self.impact_time is None and plan.guard.speed < inf
        return _new(SpreadTask, (motion, stiffness, gamma, known, wrench, capped, None))

    def _reference(self, mode: Mode) -> Quintics:
        """Return the reference of a mode other than stop."""
        plan = self.plan
        if plan.variant is Variant.CONTINUOUS and plan.smooth is not None:
            return plan.smooth
        return plan.reference.ante if mode is Mode.ANTE else plan.reference.post

    def _waits(self, time: float) -> bool:
        """Tell whether it is too early for the force: not all arms have hit, or only just now."""
        settle = self.plan.guard.settle
        if settle is None or self.plan.variant not in DETECTING:
            return False
        return any([each is None or time < each + settle for each in self._hits])

    def _command(
        self, state: PackedState, mode: Mode, wanted: SpreadTask, found: SpreadSolution
    ) -> SpreadCommand:
        """Return the command: the torque of the accelerations, its rate limited for each joint."""
        robot, interface, ddq, g = self.robot, self.interface, found.ddq, state.g
        box = interface.torque, self._step, robot.limits.torque
        motor = robot.apparent_motor_inertia
        torque, reference = self._torques_in_step(state.block, motor, ddq, *box)
        driver_torque = interface.torque = torque - g
        if not robot.driver_compensates_gravity:
            interface.gravity, driver_torque = g, torque
        torques = torque, g, driver_torque, ddq, reference
        follows = mode, wanted.motion, found.joint_velocity, found.feedback, wanted.fade
        result = state.velocity, found.active, found.solved
        stops = self.stop, self.held, self._stopping.note
        return _new(SpreadCommand, (*torques, *follows, *result, *stops))


def _vector(values: np.ndarray, size: int, name: str) -> np.ndarray:
    """Return values of a plan as a float array for compiled functions."""
    vector = np.asarray(values, dtype=float)
    if vector.shape != (size,):
        raise ControlError(f"{name}: expected {size} numbers, got shape {vector.shape}")
    return vector


def join(controllers: Sequence[SpreadingController]) -> None:
    """Make arms that hit one object stop together, and wait for the others' impacts.

    An arm that is updated before another one reacts one cycle later.
    """
    for each in controllers:
        each.partners = tuple(other for other in controllers if other is not each)
