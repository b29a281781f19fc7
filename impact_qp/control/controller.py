# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""The impact-aware controller: one command for each measured state."""

from __future__ import annotations

from collections.abc import Iterator
from math import inf, nan
from typing import Any, NamedTuple

import numpy as np

from impact_qp.control.acceleration import Acceleration, AccelerationSolver
from impact_qp.control.lead import HELD_LEAD, LEAD, led_position, led_velocity
from impact_qp.control.phases import MOVING, STANDING, Phase, Situation, next_phase
from impact_qp.control.plan import IMPACT_LIMITS, Plan
from impact_qp.control.press import PREVIEW, RAMP, highest_press_force, press_acceleration
from impact_qp.control.stall import StallWatch
from impact_qp.control.takeover import cannot_be_made_safe
from impact_qp.control.velocity_filter import VelocityFilter
from impact_qp.exceptions import ControlError
from impact_qp.limits import ImpactLimit, RobustImpactLimit
from impact_qp.limits.torque import KEPT
from impact_qp.tasks import OrientationTask, PostureTask, Task, VelocityTask
from impact_robots.dynamics import ArmDynamics
from impact_robots.robot import Robot
from impact_robots.state import PointState

VELOCITY_MARGIN = 0.02  # of robust limits; an arm follows velocities within 1 %, and then 1 %
AT_REST = 0.01  # share of the velocity limits
POSTURE_DAMPING, BRAKING_RATE = 6.3, 20.0  # of the joints, that of a braking arm [1/s]
HOLDING = 5.0  # speed back to the held position, of the distance to it [1/s]
PLAUSIBLE = 1e3  # no arm has such positions [rad; m] or velocities [rad/s; m/s]


class Command(NamedTuple):
    """What one cycle sends and tells; arrays of shape (n,)."""

    torque: np.ndarray  # u, gravity included [N.m]
    driver_torque: np.ndarray  # what the driver is sent: without gravity if it adds it [N.m]
    velocity: np.ndarray  # for a velocity interface [rad/s]
    position: np.ndarray  # for a position interface [rad]
    ddq: np.ndarray  # [rad/s^2]
    reference_torque: np.ndarray  # M qddot + h: what the joint sensors should read [N.m]
    gravity: np.ndarray  # g, part of ``torque`` [N.m]
    phase: Phase
    active: tuple[str, ...]
    relaxed: tuple[str, ...]
    slack: float  # [m/s] for the one-row limits
    normal_speed: float  # of the contact point along the normal [m/s]
    speed_bound: float  # of the impact limit, NaN without one [m/s]
    gap: float  # [m]
    due: bool  # the impact: the surface is that near, or was hit a moment ago


def _impact_limit(robot: Robot, plan: Plan, period: float) -> ImpactLimit | None:
    """Return the plan's impact limit, none if it is unaware."""
    kind = IMPACT_LIMITS[plan.impact_limits]
    if kind is None:
        return None
    options: dict[str, Any] = {
        "preview": plan.preview,
        "generators": plan.generators,
        "period": period,
    }
    if kind is RobustImpactLimit and plan.interface != "torque":
        options["margin"] = VELOCITY_MARGIN
    return kind(robot, plan.contact, **options)


class ImpactController:
    """One cycle per measured state; holds no clock and no I/O."""

    def __init__(self, robot: Robot, plan: Plan, *, period: float = 1e-3) -> None:
        """Create the controller for a control period [s]; ``reset`` before the first cycle.

        Raises:
            RobotError: a limit or another figure of the robot that it needs is unknown.
        """
        robot.require("impact_qp")
        self.robot, self.plan, self.period = robot, plan, period
        self._period_ns = round(period * 1e9)
        self._dynamics = ArmDynamics(robot)
        self._filter = VelocityFilter(period)
        self._velocity_task = VelocityTask()
        self._orientation_task = OrientationTask()
        self._posture_task = PostureTask(robot.dof, damping=POSTURE_DAMPING)
        self._tasks: tuple[Task, ...] = (
            self._velocity_task,
            self._orientation_task,
            self._posture_task,
        )
        self.impact_limit = _impact_limit(robot, plan, period)
        self._solver = AccelerationSolver(
            robot, period, self._tasks, self.impact_limit, plan.solver
        )
        self._normal = plan.contact.rotation[:, 2].copy()
        self._motor = robot.apparent_motor_inertia
        self._slowest = AT_REST * robot.limits.velocity
        self._position = np.zeros(robot.dof)  # last commanded, once started
        self._velocity: np.ndarray = np.zeros(robot.dof)  # last commanded
        self._sent: np.ndarray = np.zeros(robot.dof)  # last torque beyond gravity
        self._hangs: np.ndarray | None = None  # gravity torque, where the driver has none
        self._started = self._positioned = False
        self._stall = StallWatch(period)
        self.let_go()
        self.reset()

    def reset(self) -> None:
        """Start over: the next state is where the approach begins."""
        self._forget_motion()
        self._positioned |= self._started
        self._phase, self._started = Phase.APPROACH, False
        self._stall.reset()
        self._phase_time = 0.0
        self._stopping = False
        self._speed = 0.0
        self._held: np.ndarray | None = None  # contact point in HOLD, base axes [m]
        self.refused = ""  # why the approach did not begin, see `cannot_be_made_safe`

    def take_over(self, other: ImpactController) -> None:
        """Begin where another controller of the same robot has left it; ``reset`` before."""
        self._sent, self._hangs = other._sent, other._hangs
        self._forget_motion()
        if other._started:
            self._position, self._positioned = other._position, True
            self._velocity = other._velocity

    def let_go(self) -> None:
        """Go on from ``rest``, which the robot was sent instead of this controller's command."""
        self._sent = np.zeros(self.robot.dof)
        self._forget_motion()

    def _forget_motion(self) -> None:
        """Forget the last cycle, but for the torque sent: its rate is limited from there on."""
        self._solver.reset()
        self._solver.torque_limit.previous = self._sent
        self._filter.reset()
        self._ddq = np.zeros(self.robot.dof)
        self._velocity = np.zeros(self.robot.dof)

    def rest(self) -> np.ndarray | None:
        """Return what leaves the arm to gravity compensation, or to zero velocity, (n,).

        With a driver that does not compensate gravity: the gravity torque at the last state. With
        a position interface the last commanded position, none if there was none.
        """
        if self.plan.interface == "position":
            return self._position if self._started else None
        return np.zeros(self.robot.dof) if self._hangs is None else self._hangs

    def settle(self) -> Iterator[np.ndarray]:
        """Yield what to send, once a period, to get from the last command to ``rest``, (n,) each.

        Torques go there at their rate limit, velocities at the acceleration limit; positions are
        those of such velocities. Nothing for a position interface that was never sent a position.
        """
        limits, dt = self.robot.limits, self.period
        if self.plan.interface == "torque":
            step = KEPT * limits.torque_rate * dt
            while self._sent.any():
                self._sent = self._sent - np.clip(self._sent, -step, step)
                yield self._sent if self._hangs is None else self._sent + self._hangs
        else:
            step = limits.acceleration * dt
            while self._started and self._velocity.any():
                self._velocity = self._velocity - np.clip(self._velocity, -step, step)
                self._position = self._position + self._velocity * dt
                if self._velocity.any() or self.plan.interface == "velocity":
                    yield self._values_at_rest()
        self.let_go()
        rest = self.rest()
        if rest is not None:
            yield rest

    def _values_at_rest(self) -> np.ndarray:
        return self._velocity if self.plan.interface == "velocity" else self._position

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
            impact: the detector holds that the arm has hit something.
            ready: the detector would see an impact; without it the arm does not approach.
            elapsed: time since the last command [ns]; after less than a period torques change by
                less. None: a period.

        Raises:
            ControlError: the state is not n finite numbers, or beyond what any arm does; the
                controller is as before.
        """
        if not self._usable(q) or not self._usable(dq):
            raise ControlError(
                f"state: expected {self.robot.dof} finite positions and velocities"
                f" below {PLAUSIBLE:g}"
            )
        self._solver.torque_limit.share = self._share(elapsed)
        state = self._dynamics(q, self._estimate(q, dq, impact))
        gap = self.plan.contact.gap(state.position)
        if not self._started:
            self._look_before_approaching(state, dq, gap)
        self._watch_for_stall(state, dq, gap, ready)
        phase = next_phase(self._situation(state, gap, impact), self.plan)
        self._phase_time += self.period
        if phase is not self._phase or not self._started:
            self._enter(phase, state)
        command = self._command(state, dq, gap, ready)
        self._remember(command, state)
        return command

    def _share(self, elapsed: int | None) -> float:
        """Return the share of a period that has gone by, at most 1."""
        if elapsed is None or elapsed >= self._period_ns:
            return 1.0
        return max(0.0, elapsed / self._period_ns)

    def _look_before_approaching(self, state: PointState, dq: np.ndarray, gap: float) -> None:
        """Stop instead, if the arm already moves too fast and too near to be slowed down."""
        if self._stopping or self._phase is not Phase.APPROACH:
            return
        measured = self._dynamics(state.q, dq)
        self.refused = cannot_be_made_safe(self.robot, self.impact_limit, measured, gap)
        self._stopping = bool(self.refused)

    def _situation(self, state: PointState, gap: float, impact: bool) -> Situation:
        """Return what the next phase depends on."""
        return Situation(
            self._phase,
            self._phase_time,
            gap,
            impact=impact,
            stopping=self._stopping,
            blocked=self._stall.time >= self.plan.stall_time,
            at_rest=bool((np.abs(state.dq) < self._slowest).all()),
        )

    def _estimate(self, q: np.ndarray, dq: np.ndarray, impact: bool) -> np.ndarray:
        """Return the joint velocities to plan from, shape (n,) [rad/s].

        With a torque interface the filtered measurement; right after an impact, when velocities
        jump, and while pressing, when the surface takes up what is commanded, the measurement
        itself. A velocity- or position-controlled arm follows the command with the lag of its own
        loop, which must not be fed back: there the last command.
        """
        if self.plan.interface != "torque" and (self._started or self._positioned):
            return self._velocity
        if impact or self._phase in (Phase.COAST, Phase.PRESS):
            self._filter.reset()
        return self._filter.update(q, dq, self._ddq)

    def _usable(self, values: np.ndarray) -> bool:
        if np.shape(values) != (self.robot.dof,):
            return False
        return float(values.dot(values)) < PLAUSIBLE**2  # NaN: no

    def _watch_for_stall(self, state: PointState, dq: np.ndarray, gap: float, ready: bool) -> None:
        """Hold the measured speed along the normal against what it should be."""
        if self._phase not in MOVING or not ready or not self._started:
            self._stall.reset()
            return
        approaching = self._phase is Phase.APPROACH
        sign, bound = -1.0 if approaching else 1.0, inf
        if approaching and self.impact_limit is not None and self._impact_limit_acts(gap):
            bound = self.impact_limit.bound.speed  # of the last cycle
        speed = sign * float(self._normal.dot(state.J[:3].dot(dq)))
        self._stall.update(speed, sign * self._speed, bound)

    def _enter(self, phase: Phase, state: PointState) -> None:
        """Start a phase from this state."""
        if not self._started and not (self._positioned and self._is_near(state.q)):
            self._position = state.q
        self._started = True
        self._stall.reset()
        self._velocity = state.dq
        self._phase, self._phase_time, self._speed = phase, 0.0, 0.0
        self._held = state.position if phase is Phase.HOLD else None
        self._posture_task.damping = BRAKING_RATE if phase is Phase.BRAKE else POSTURE_DAMPING
        self._stay_at(state)

    def _stay_at(self, state: PointState) -> None:
        """Let orientation and posture be what they are now."""
        self._orientation_task.reference = state.rotation
        self._posture_task.reference = state.q

    def _is_near(self, q: np.ndarray) -> bool:
        """Return whether the last commanded position is one that the arm may be following."""
        return bool((np.abs(q - self._position) <= LEAD * self.robot.limits.velocity).all())

    def _command(self, state: PointState, dq: np.ndarray, gap: float, ready: bool) -> Command:
        """Return the command of the present phase."""
        limit = self.impact_limit if self._impact_limit_acts(gap) else None
        if limit is not None and self.plan.interface == "torque":
            limit.unexplained = self._filter.unexplained
        if self._phase is Phase.COAST:
            result = self._coast(state)
        else:
            self._set_reference(state, ready)
            added = self._press(state)
            result = self._solver.solve(state.robot_state, impact=limit is not None, added=added)
        torque, reference = self._torques(state, result.ddq)
        velocity, position = self._motion(state, dq, result.ddq)
        compensated = state.g if self.robot.driver_compensates_gravity else 0.0
        return Command(
            torque=torque,
            driver_torque=torque - compensated,
            velocity=velocity,
            position=position,
            ddq=result.ddq,
            reference_torque=reference,
            gravity=state.g,
            phase=self._phase,
            active=result.active,
            relaxed=result.relaxed,
            slack=result.slack,
            normal_speed=float(self._normal.dot(state.velocity)),
            speed_bound=nan if limit is None else limit.bound.speed,
            gap=gap,
            due=self._is_due(gap),
        )

    def _motion(
        self, state: PointState, dq: np.ndarray, ddq: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        """Return the velocities [rad/s] and positions [rad] to command, (n,) each."""
        dt, limits, last = self.period, self.robot.limits, self._velocity
        if self.plan.interface == "torque":
            step = ddq * dt
            return last + step, self._position + (last + step * 0.5) * dt
        if self.plan.interface == "velocity":
            velocity = led_velocity(last + ddq * dt, last, dq, limits, dt)
            return velocity, self._position + velocity * dt
        most = HELD_LEAD if self._phase in STANDING else LEAD
        wanted = last + ddq * dt
        return led_position(wanted, last, self._position, state.q, limits, dt, most=most)

    def _is_due(self, gap: float) -> bool:
        """Return whether contact is meant now: the surface may be off by the overrun."""
        near = self._phase is Phase.APPROACH and gap <= self.plan.overrun
        return near or self._phase is Phase.COAST

    def _impact_limit_acts(self, gap: float) -> bool:
        """Return whether the impact limit is in force."""
        near = gap < self.plan.activation_distance
        towards = self._phase in (Phase.APPROACH, Phase.PRESS, Phase.BRAKE)
        return towards and near and self.impact_limit is not None

    def _coast(self, state: PointState) -> Acceleration:
        """Return the acceleration that gravity compensation alone leaves: u = g."""
        inertia = state.robot_state.inertia(self._motor)
        ddq = np.linalg.solve(inertia, state.g - state.h)
        return Acceleration(ddq, active=(), slack=0.0, relaxed=())

    def _set_reference(self, state: PointState, ready: bool) -> None:
        """Ramp the reference velocity towards the phase's speed along the normal, or hold."""
        plan, task = self.plan, self._velocity_task
        if self._held is not None:
            task.reference = HOLDING * (self._held - state.position)
            task.feedforward = np.zeros(3)
            return
        if self._phase is Phase.BRAKE:  # from wherever it is: no way back while it brakes
            self._stay_at(state)
        approach = -plan.speed if ready else 0.0
        targets = {Phase.APPROACH: approach, Phase.RETRACT: plan.retract_speed}
        change, most = targets.get(self._phase, 0.0) - self._speed, plan.ramp * self.period
        step = min(max(change, -most), most)
        self._speed += step
        task.reference = self._speed * self._normal
        task.feedforward = step / self.period * self._normal

    def _press(self, state: PointState) -> np.ndarray | None:
        """Return the accelerations (n,) [rad/s^2] that pressing adds, none in other phases."""
        pressing, limit = self._phase is Phase.PRESS, self.impact_limit
        if limit is not None:
            limit.preview = self.plan.preview * (PREVIEW if pressing else 1.0)
        if not pressing:
            return None
        most, _ = highest_press_force(self.robot, limit, state, self._normal, self.plan.preview)
        force = min(self.plan.press_force, most) * min(1.0, self._phase_time / RAMP)
        return force * press_acceleration(self.robot, state, self._normal)

    def _torques(self, state: PointState, ddq: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return u and the links' share of it, each of shape (n,) [N.m].

        u = (M + B_theta) qddot + h, clipped to torque and rate; the links' share is without
        B_theta and not clipped.
        """
        links = state.M.dot(ddq) + state.h
        lower, upper = self._solver.torque_limit.box(state.robot_state)
        return np.minimum(np.maximum(links + self._motor * ddq, lower), upper), links

    def _remember(self, command: Command, state: PointState) -> None:
        """Keep what the next cycle's rates are measured from."""
        self._sent = command.torque - state.g
        self._solver.joint_limit.previous = command.ddq
        self._solver.torque_limit.previous = self._sent
        self._ddq = command.ddq
        self._velocity, self._position = command.velocity, command.position
        if self.plan.interface == "torque" and not self.robot.driver_compensates_gravity:
            self._hangs = state.g
