# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""The impact-aware controller: one command for each measured state."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from math import inf, nan
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from impact_qp.control.acceleration import AccelerationSolver
from impact_qp.control.approach import (
    PREVIEW,
    RAMP,
    ApproachTasks,
    highest_press_force,
    press_acceleration,
)
from impact_qp.control.command import Acceleration, Command
from impact_qp.control.estimate import MotionEstimate
from impact_qp.control.phases import Phase, Situation, next_phase
from impact_qp.control.plan import Plan, geometry_refusal
from impact_qp.guards.envelope import Envelope
from impact_qp.guards.measured import PlausibleState
from impact_qp.guards.stall import HeldBackWatch, StallWatch
from impact_qp.guards.takeover import cannot_be_made_safe
from impact_qp.guards.tracking import TrackingWatch, looks_every
from impact_qp.interface import HELD_LEAD, LEAD
from impact_qp.limits import ApproachSpeedLimit, ImpactLimit, Limit
from impact_qp.tasks import Task
from impact_robots.dynamics import ArmDynamics
from impact_robots.robot import Robot
from impact_robots.state.state import PointState

if TYPE_CHECKING:
    from impact_robots.state.packed_state import PackedState

_new = tuple.__new__  # half the time of the constructor
AT_REST = 0.01  # fraction of the velocity limits
FAR = 1.01  # leads of a commanded position beyond which the arm was moved externally
PAUSE = 100_000_000  # time without a command after which the arm may be anywhere [ns]


class LeftContact(NamedTuple):
    """A contact that a touch found, in which a servo holds a force; base axes, shape (3,) each."""

    into: np.ndarray  # unit direction
    free: np.ndarray  # contact point without contact [m]


class ImpactController:
    """One cycle per measured state; holds no clock and no I/O.

    Attributes:
        touched: contact of the last touch, of this controller or of one before; None: none.
        every: so many cycles of a moving arm it looks for unexplained loads and for speeding.
    """

    def __init__(
        self,
        robot: Robot,
        plan: Plan,
        *,
        period: float = 1e-3,
        approach: ApproachTasks | None = None,
        tasks: Sequence[Task] = (),
        limits: Sequence[Limit] = (),
        phases: Callable[[Situation, Plan], Phase] = next_phase,
    ) -> None:
        """Create the controller; ``reset`` before the first cycle.

        Args:
            robot: the arm.
            plan: of the motion.
            period: of control [s].
            approach: tasks that the phases drive; none: those of the plan.
            tasks: additional ones; the caller sets their references.
            limits: in all phases but COAST, beside those of joints, torques and impact.
            phases: the phase of a cycle, from the situation and the plan.

        Raises:
            RobotError: a required limit or parameter of the robot is unknown.
        """
        from impact_qp.compiled.guards import within  # loads slowly

        self._within = within
        robot.require("impact_qp")
        plan = plan.resolved(robot)
        self.robot, self.plan, self.period = robot, plan, period
        self._measured = PlausibleState(robot.dof)
        self._period_ns = round(period * 1e9)
        self._dynamics = ArmDynamics(robot, compiled=True)
        self._packed = self._dynamics.packer()
        self._next_phase = phases
        self._approach = ApproachTasks(robot, plan, period) if approach is None else approach
        self.impact_limit = plan.impact_limit(robot, period)
        self.interface = plan.sends(robot, period)
        self._envelope = Envelope(robot, self.impact_limit, plan.contact, plan.speed_cap)
        self._solver = AccelerationSolver(
            robot,
            period,
            (*self._approach.tasks, *tasks),
            self.impact_limit,
            plan.solver,
            limits=(*limits, *plan.approach_cap()),
            envelope=self._envelope.row,
            sent=self.interface,
        )
        self._normal = plan.contact.normal
        self._near = self._acts_below(self.impact_limit)
        self._level = -plan.contact.gap(np.zeros(3))  # of the surface along it [m]
        self._slowest = AT_REST * robot.limits.velocity
        self._positioned = False  # not started, but the last position is known
        self._state: PackedState | None = None  # of the last cycle
        self._motion = MotionEstimate(robot, period)
        self._stall = StallWatch(period, plan.stall_time)
        self._held_back = HeldBackWatch()
        self.every = looks_every(period)
        self._tracking = TrackingWatch(plan.sends, self.every * period)
        self._stopping = False
        self.anew = True  # the last command was the first one from the measured state
        self.touched: LeftContact | None = None
        self.release()
        self.reset()

    def _acts_below(self, limit: ImpactLimit | None) -> float:
        """Return the gap below which a limit is active [m]: a bound on the speed always is."""
        if limit is None:
            return -inf
        return inf if isinstance(limit, ApproachSpeedLimit) else self.plan.activation_distance

    def reset(self) -> None:
        """Restart: the approach begins at the next state."""
        self._begin_anew()
        self._state, self._stopping = None, False
        self.refused = ""  # why the arm was stopped, see `update`

    def _begin_anew(self) -> None:
        """Restart at the next state, wherever the arm is then; a stop continues there."""
        self._forget_motion()
        self._phase, self.interface.started, self._positioned = Phase.APPROACH, False, False
        self._impact, self._count, self._looks = False, 0, False
        self._motion.reset()
        self._stall.reset()
        self._phase_time = self._since_look = 0.0
        self._approach.reset()

    def adopt(self, other: ImpactController) -> None:
        """Continue from another controller of the same robot; ``reset`` before."""
        mine, its = self.interface, other.interface
        mine.torque, mine.gravity = its.torque, its.gravity
        self._motion, other._motion = other._motion, self._motion  # with the load
        self._forget_motion()
        self._impact, self.touched = other._impact, other.touched
        if its.started:
            mine.position, mine.velocity, self._positioned = its.position, its.velocity, True

    def start_refusal(self, touched: LeftContact | None) -> str:
        """Return why it cannot take over from one that ``touched``, "" if it can."""
        return ""

    def release(self) -> None:
        """Continue from ``rest``, which the robot was sent instead of this controller's command.

        A stop restarts with the next state: the arm may be anywhere then.
        """
        self.interface.torque = np.zeros(self.robot.dof)
        self._begin_anew()

    def _forget_motion(self) -> None:
        """Forget the last cycle, except for the torque sent: its rate is limited from there on."""
        self._solver.reset()
        self._solver.torque_limit.previous = self.interface.torque
        self._motion.forget()
        self.interface.velocity = np.zeros(self.robot.dof)

    def rest(self) -> np.ndarray | None:
        """Return the command that leaves the arm at rest, see ``CommandInterface.rest``, (n,)."""
        return self.interface.rest()

    def settle(self) -> Iterator[np.ndarray]:
        """Yield commands, one per period, from the last command to ``rest``, (n,) each.

        Torques go there at their rate limit, velocities at the acceleration limit; positions are
        those of such velocities. Nothing for a position interface that was never sent a position.
        """
        last = None
        for last in self.interface.settle():
            yield last
        self.release()
        rest = self.rest()
        if rest is not None and (last is None or not np.array_equal(last, rest)):
            yield rest

    @property
    def hears_impact(self) -> bool:
        """Whether an impact was detected in the last cycle."""
        return self._impact

    @property
    def last_state(self) -> PointState | None:
        """State of the contact point in the last cycle, None before the first one."""
        return None if self._state is None else self._state.point

    def stop(self) -> None:
        """Brake and hold, from the next cycle on, until ``reset``."""
        self._stopping = True

    def update(
        self,
        q: np.ndarray,
        dq: np.ndarray,
        *,
        impact: bool = False,
        ready: bool = True,
        elapsed: int | None = None,
    ) -> Command:
        """Return the command for one measured state.

        Args:
            q: joint positions, shape (n,) [rad].
            dq: joint velocities, shape (n,) [rad/s].
            impact: an impact is detected.
            ready: the detector is ready; without it the arm does not approach.
            elapsed: time since the last command [ns]; after less than a period torques change by
                less, after more the missed ones are predicted. None: one period.

        Raises:
            ControlError: the state is not n finite numbers, or implausible for any arm; the
                controller is unchanged.
        """
        q, dq = self._measured(q, dq)
        sent, periods, fraction = self.interface, 1, 1.0
        if sent.started and (sent.returns or (elapsed or 0) > PAUSE):
            self._look_back(elapsed, q)
        if elapsed is not None:
            periods = max(1, round(elapsed / self._period_ns))
            fraction = min(max(0.0, elapsed / self._period_ns), 1.0)
        self._solver.torque_limit.fraction = fraction
        velocity = sent.velocity  # a servo's measured one has the lag of its loop, not to feed back
        if not (sent.servo and (sent.started or self._positioned)):
            velocity = self._motion.velocity(q, dq, self._phase, periods, impact=impact)
        state = self._state = self._packed(q, velocity)
        place, normal_speed = state.along(self._normal)
        gap = place - self._level
        self.anew = begins = not sent.started
        if begins:
            self._look_before_approaching(state.point, dq, gap)
        taken = periods * self.period
        self._watch_for_stall(gap, ready, taken)
        pushed = self._phase.holds and self._pushed(state.point, dq, taken)
        phase = self._next_phase(self._situation(state, gap, impact, pushed), self.plan)
        self._phase_time += taken
        self._since_look += taken
        self._count += 1
        self._looks = self._count % self.every == 0
        if phase is not self._phase or begins:
            self._enter(phase, state.point, dq)
        command = self._command(state, dq, gap, normal_speed, ready)
        self._remember(command)
        if self._looks:
            if phase.moves:
                self._watch_motion(state, command)
            self._since_look = 0.0
        return command

    def _look_back(self, elapsed: int | None, q: np.ndarray) -> None:
        """Restart after a pause, or if a position-controlled arm was moved externally.

        The motion in a pause is unknown; only an approach continues.
        """
        if elapsed is not None and elapsed > PAUSE:
            self._stopping |= not self._phase.approaches
            self._begin_anew()
        elif self.interface.returns and not self.interface.may_follow(q, FAR, self.period):
            self._stopping = True
            self._begin_anew()

    def measure(self, time: int, q: np.ndarray, dq: np.ndarray, effort: np.ndarray | None) -> None:
        """Take a measured state before its :meth:`update`; a controller of its own may look at it.

        Args:
            time: of the measurement [ns].
            q: joint positions, shape (n,) [rad].
            dq: joint velocities, shape (n,) [rad/s].
            effort: joint torques as they were measured, shape (n,) [N.m]; None: unknown.
        """

    def catch_up(self, until: float = inf) -> None:
        """Deferred work, run after the command has been sent.

        Before the next :meth:`update`, or it is done there first, with the same results.

        Args:
            until: time by :func:`time.perf_counter` after which only a first piece is begun; the
                rest is left for the next call, and results depend on the machine's speed, on the
                safe side; minus infinity: none of it is done [s].
        """
        if self.impact_limit is not None:
            self.impact_limit.catch_up(until)
        self._envelope.catch_up(until)

    def _look_before_approaching(self, state: PointState, dq: np.ndarray, gap: float) -> None:
        """Stop instead, if the surface is not in front, or the arm is too fast and too near."""
        if self._stopping or not self._phase.approaches:
            return
        measured = self._dynamics(state.q, dq)
        self.refused = geometry_refusal(self.plan, self.robot, state) or cannot_be_made_safe(
            self.robot, self.impact_limit, measured, gap, self.interface.reaction
        )
        self._stopping = bool(self.refused)

    def _pushed(self, state: PointState, dq: np.ndarray, taken: float) -> bool:
        """Return whether a holding arm must be held at its new position."""
        if self._approach.pushed(state):
            return True
        sent = self.interface
        drifts = sent.servo and not sent.returns
        return drifts and self._held_back.update(sent.velocity, dq, taken)

    def _situation(self, state: PackedState, gap: float, impact: bool, pushed: bool) -> Situation:
        """Return the inputs of the phase machine."""
        asked = self._stopping or not self._phase.approaches
        detected, self._impact = impact and not self._impact, impact
        inputs = (
            self._phase,
            self._phase_time,
            gap,
            impact,
            self._stopping,
            self._stall.time >= self.plan.stall_time,  # blocked
            asked and self._within(state.dq, self._slowest, 1.0),  # at rest
            detected,
            pushed,
        )
        return _new(Situation, inputs)

    def _watch_for_stall(self, gap: float, ready: bool, taken: float) -> None:
        """Compare the travel of the contact point along the normal with the expected one."""
        if not self._phase.moves or not ready or not self.interface.started:
            self._stall.reset()
            return
        approaching = self._phase.approaches
        sign, bound = (-1.0, inf) if approaching else (1.0, nan)  # what the envelope allows
        if approaching and gap < self._near and self.impact_limit is not None:
            bound = self.impact_limit.bound.speed  # of the last cycle
        self._stall.update(sign * gap, sign * self._approach.speed, bound, taken)

    def _enter(self, phase: Phase, state: PointState, dq: np.ndarray) -> None:
        """Start a phase from this state, measured with velocities ``dq`` (n,) [rad/s]."""
        sent = self.interface
        if not sent.started:
            self.anew = not (self._positioned and sent.may_follow(state.q))
            if self.anew:
                sent.position = state.q
        self._stall.reset()
        self._held_back.reset()
        self._tracking.reset(float(np.linalg.norm(state.J[:3].dot(dq))))
        at_rest = not sent.started and self._within(state.dq, self._slowest, 1.0)
        sent.velocity = np.zeros(self.robot.dof) if at_rest else state.dq
        sent.started = True
        self._phase, self._phase_time = phase, 0.0
        if self.impact_limit is not None:
            self.impact_limit.preview = self.plan.preview * (
                PREVIEW if phase is Phase.PRESS else 1.0
            )
        self._approach.enter(phase, state)

    def _command(
        self, state: PackedState, dq: np.ndarray, gap: float, normal_speed: float, ready: bool
    ) -> Command:
        """Return the command of the current phase."""
        phase, limit, note = self._phase, None, ""
        if gap < self._near and phase.faces:
            limit = self.impact_limit
        elif self.impact_limit is not None and (phase.approaches or phase.coasts):
            self.impact_limit.look(state.point)
        if not self.interface.servo:
            if self._looks or self._motion.has_load or phase.stands:
                surface = self._normal if gap <= self.plan.overrun else None
                state, note = self._motion.loaded(state, phase, look=self._looks, surface=surface)
            if limit is not None:
                limit.unexplained = self._motion.left_over
        if phase.leaves:
            self._envelope.look(state)
        if phase.coasts:
            pulse, borne = self._approach.coasting, self._motion.borne
            result = self._solver.coast(state, borne if pulse is None else borne + pulse)
        else:
            self._approach.update(phase, state, ready)
            result = self._solved(state, limit)
        torque, reference = result.torques or self._solver.torques(state, result.ddq)
        motion = result.motion
        if motion is None:
            lead = HELD_LEAD if phase.stands else LEAD
            motion = self.interface.next_motion(result.ddq, state.q, dq, lead)
        compensated, gravity = self.robot.driver_compensates_gravity, state.g
        driver_torque = torque - gravity if compensated else torque
        arrays = torque, driver_torque, *motion, result.ddq, reference, gravity
        rows = result.active, result.relaxed, result.slack
        speed_bound = nan if limit is None else limit.bound.speed
        near = phase.approaches and gap <= self.plan.overrun  # the surface may be off by that
        reports = normal_speed, speed_bound, gap, near or phase.coasts, note
        return _new(Command, (*arrays, phase, *rows, *reports))

    def _solved(self, state: PackedState, limit: ImpactLimit | None) -> Acceleration:
        """Return the best acceleration within the envelope, whose row is needed in few cycles."""
        acts, added = limit is not None, None
        if self._phase.presses:
            added = self._press(state.point)
        result = self._solver.solve(state, impact=acts, added=added)
        if (ahead := result.ahead) is not None and self._envelope.holds(ahead[0], ahead[1], acts):
            return result
        for _ in range(self._envelope.tries):
            moving = result.ddq if added is None else result.ddq - added  # the surface takes it
            if not self._envelope.exceeded(state.point, moving, bounded=acts):
                break
            result = self._solver.solve(state, impact=acts, envelope=True, added=added)
        return result

    def _watch_motion(self, state: PackedState, command: Command) -> None:
        """Stop an arm that moves faster than it is commanded."""
        velocity = self._approach.velocity.reference
        if self.interface.servo:
            velocity = state.J[:3].dot(command.velocity)
        problem = self._tracking.problem(state.position, velocity, self._since_look)
        if problem and not self._stopping:
            self.refused, self._stopping = problem, True

    def _press(self, state: PointState) -> np.ndarray:
        """Return the additional accelerations (n,) [rad/s^2] for pressing."""
        limit, again = self.impact_limit, inf
        if isinstance(limit, ApproachSpeedLimit):
            again = limit.present_bound(state).speed
        highest, _ = highest_press_force(self.robot, again, state, self._normal, self.plan.preview)
        force = min(self.plan.press_force, highest) * min(1.0, self._phase_time / RAMP)
        return force * press_acceleration(self.robot, state, self._normal)

    def _remember(self, command: Command) -> None:
        """Store the reference of the next cycle's rates."""
        self.interface.remember(command)
        self._solver.remember(command.ddq, self.interface.torque)
        self._motion.remember(command.ddq)
