# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""The impact-aware controller: one command for each measured state."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from math import inf, nan

import numpy as np

from impact_qp.control.acceleration import AccelerationSolver
from impact_qp.control.approach import ApproachTasks
from impact_qp.control.command import Command
from impact_qp.control.lead import HELD_LEAD, LEAD, next_motion
from impact_qp.control.phases import MOVING, STANDING, Phase, Situation, next_phase
from impact_qp.control.plan import Plan
from impact_qp.control.press import PREVIEW, RAMP, highest_press_force, press_acceleration
from impact_qp.control.stall import StallWatch
from impact_qp.control.takeover import cannot_be_made_safe
from impact_qp.control.velocity_filter import VelocityFilter
from impact_qp.exceptions import ControlError
from impact_qp.limits import ApproachSpeedLimit, Limit
from impact_qp.limits.torque import KEPT
from impact_qp.tasks import Task
from impact_robots.dynamics import ArmDynamics
from impact_robots.robot import Robot
from impact_robots.state import PointState

AT_REST = 0.01  # share of the velocity limits
PLAUSIBLE = 1e3  # no arm has such positions [rad; m] or velocities [rad/s; m/s]
_PLAUSIBLE = PLAUSIBLE**2
_TOWARDS = (Phase.APPROACH, Phase.PRESS, Phase.BRAKE)  # the surface, or not yet away from it


class ImpactController:
    """One cycle per measured state; holds no clock and no I/O."""

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
            plan: what it is to do.
            period: of control [s].
            approach: tasks that the phases drive; none: those of the plan.
            tasks: beside them; who gives them sets their references.
            limits: in all phases but COAST, beside those of joints, torques and impact.
            phases: the phase of a cycle, from the situation and the plan.

        Raises:
            RobotError: a limit or another figure of the robot that it needs is unknown.
        """
        from impact_qp.compiled.guards import within  # loads slowly

        self._within = within
        robot.require("impact_qp")
        plan = plan.resolved(robot)
        self.robot, self.plan, self.period = robot, plan, period
        self._period_ns, self._shape = round(period * 1e9), (robot.dof,)
        self._dynamics = ArmDynamics(robot, compiled=True)
        self._filter = VelocityFilter(period)
        self._next_phase = phases
        self._approach = ApproachTasks(robot, plan, period) if approach is None else approach
        self.impact_limit = plan.impact_limit(robot, period)
        self._solver = AccelerationSolver(
            robot,
            period,
            (*self._approach.tasks, *tasks),
            self.impact_limit,
            plan.solver,
            limits=(*limits, *plan.approach_cap()),
        )
        self._normal = plan.contact.normal
        self._normal_and_no_turn = np.append(self._normal, np.zeros(3))  # what meets a twist
        self._near = -inf if self.impact_limit is None else plan.activation_distance
        self._level = -plan.contact.gap(np.zeros(3))  # of the surface along it [m]
        self._slowest = AT_REST * robot.limits.velocity
        self._position = np.zeros(robot.dof)  # last commanded, once started
        self._velocity: np.ndarray = np.zeros(robot.dof)  # last commanded
        self._sent: np.ndarray = np.zeros(robot.dof)  # last torque beyond gravity
        self._hangs: np.ndarray | None = None  # gravity torque, where the driver has none
        self._started = self._positioned = False
        self._stall = StallWatch(period, plan.stall_time)
        self.release()
        self.reset()

    def reset(self) -> None:
        """Start over: the next state is where the approach begins."""
        self._forget_motion()
        self._positioned |= self._started
        self._phase, self._started = Phase.APPROACH, False
        self._stall.reset()
        self._phase_time = 0.0
        self._stopping = False
        self._approach.reset()
        self.refused = ""  # why the approach did not begin, see `cannot_be_made_safe`

    def adopt(self, other: ImpactController) -> None:
        """Begin where another controller of the same robot has left it; ``reset`` before."""
        self._sent, self._hangs = other._sent, other._hangs
        self._forget_motion()
        if other._started:
            self._position, self._positioned = other._position, True
            self._velocity = other._velocity

    def release(self) -> None:
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
        self.release()
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
        if not self._usable(q, dq):
            raise ControlError(
                f"state: expected {self.robot.dof} finite positions and velocities"
                f" below {PLAUSIBLE:g}"
            )
        q, dq = np.asarray(q, dtype=float), np.asarray(dq, dtype=float)
        self._solver.torque_limit.share = self._share(elapsed)
        state = self._dynamics(q, self._estimate(q, dq, impact))
        gap = float(self._normal.dot(state.position)) - self._level
        if not self._started:
            self._look_before_approaching(state, dq, gap)
        self._watch_for_stall(gap, ready)
        phase = self._next_phase(self._situation(state, gap, impact), self.plan)
        self._phase_time += self.period
        if phase is not self._phase or not self._started:
            self._enter(phase, state)
        command = self._command(state, dq, gap, ready)
        self._remember(command)
        return command

    def catch_up(self, until: float = inf) -> None:
        """Work that is left of the last cycle, for when its command was sent.

        Before the next :meth:`update`, or it is done there first, with the same results.

        Args:
            until: after that nothing is begun but a first piece, by :func:`time.perf_counter`; the
                rest is left for the next call, and results depend on the machine's speed, on the
                safe side [s].
        """
        if self.impact_limit is not None:
            self.impact_limit.catch_up(until)

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
        asked = self._stopping or self._phase is not Phase.APPROACH
        return Situation(
            self._phase,
            self._phase_time,
            gap,
            impact=impact,
            stopping=self._stopping,
            blocked=self._stall.time >= self.plan.stall_time,
            at_rest=asked and self._within(state.dq, self._slowest, 1.0),
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

    def _usable(self, q: np.ndarray, dq: np.ndarray) -> bool:
        try:
            if not q.shape == dq.shape == self._shape:
                return False
        except AttributeError:  # no arrays
            return False
        return bool(q.dot(q) < _PLAUSIBLE and dq.dot(dq) < _PLAUSIBLE)  # NaN: no

    def _watch_for_stall(self, gap: float, ready: bool) -> None:
        """Hold the way that the contact point goes along the normal against what it should go."""
        if self._phase not in MOVING or not ready or not self._started:
            self._stall.reset()
            return
        approaching = self._phase is Phase.APPROACH
        sign, bound = -1.0 if approaching else 1.0, inf
        if approaching and self.impact_limit is not None and self._impact_limit_acts(gap):
            bound = self.impact_limit.bound.speed  # of the last cycle
        self._stall.update(sign * gap, sign * self._approach.speed, bound)

    def _enter(self, phase: Phase, state: PointState) -> None:
        """Start a phase from this state."""
        if not self._started and not (self._positioned and self._is_near(state.q)):
            self._position = state.q
        self._started = True
        self._stall.reset()
        self._velocity = state.dq
        self._phase, self._phase_time = phase, 0.0
        if self.impact_limit is not None:
            self.impact_limit.preview = self.plan.preview * (
                PREVIEW if phase is Phase.PRESS else 1.0
            )
        self._approach.enter(phase, state)

    def _is_near(self, q: np.ndarray) -> bool:
        """Return whether the last commanded position is one that the arm may be following."""
        return bool((np.abs(q - self._position) <= LEAD * self.robot.limits.velocity).all())

    def _command(self, state: PointState, dq: np.ndarray, gap: float, ready: bool) -> Command:
        """Return the command of the present phase."""
        robot_state, limit = state.robot_state, None
        if self._impact_limit_acts(gap):
            limit = self.impact_limit
        elif self.impact_limit is not None and self._phase in (Phase.APPROACH, Phase.COAST):
            self.impact_limit.look(state)
        if limit is not None and self.plan.interface == "torque":
            limit.unexplained = self._filter.unexplained
        if self._phase is Phase.COAST:
            result = self._solver.coast(robot_state)
        else:
            self._approach.update(self._phase, state, ready)
            added = self._press(state) if self._phase is Phase.PRESS else None
            result = self._solver.solve(robot_state, impact=limit is not None, added=added)
        torque, reference = result.torques or self._solver.torques(robot_state, result.ddq)
        velocity, position = next_motion(
            self.plan.interface,
            result.ddq,
            (self._position, self._velocity),
            (robot_state.q, dq),
            self.robot.limits,
            self.period,
            most=HELD_LEAD if self._phase in STANDING else LEAD,
        )
        compensated = self.robot.driver_compensates_gravity
        return Command(
            torque=torque,
            driver_torque=torque - robot_state.g if compensated else torque,
            velocity=velocity,
            position=position,
            ddq=result.ddq,
            reference_torque=reference,
            gravity=robot_state.g,
            phase=self._phase,
            active=result.active,
            relaxed=result.relaxed,
            slack=result.slack,
            normal_speed=float(self._normal_and_no_turn.dot(state.twist)),
            speed_bound=nan if limit is None else limit.bound.speed,
            gap=gap,
            due=self._is_due(gap),
        )

    def _is_due(self, gap: float) -> bool:
        """Return whether contact is intended now: the surface may be off by the overrun."""
        near = self._phase is Phase.APPROACH and gap <= self.plan.overrun
        return near or self._phase is Phase.COAST

    def _impact_limit_acts(self, gap: float) -> bool:
        """Return whether the impact limit is in force."""
        return gap < self._near and self._phase in _TOWARDS

    def _press(self, state: PointState) -> np.ndarray:
        """Return the accelerations (n,) [rad/s^2] that pressing adds."""
        limit, again = self.impact_limit, inf
        if isinstance(limit, ApproachSpeedLimit):
            again = limit.present_bound(state).speed
        most, _ = highest_press_force(self.robot, again, state, self._normal, self.plan.preview)
        force = min(self.plan.press_force, most) * min(1.0, self._phase_time / RAMP)
        return force * press_acceleration(self.robot, state, self._normal)

    def _remember(self, command: Command) -> None:
        """Keep what the next cycle's rates are measured from."""
        compensated = self.robot.driver_compensates_gravity
        self._sent = command.driver_torque if compensated else command.torque - command.gravity
        self._solver.remember(command.ddq, self._sent)
        self._ddq = command.ddq
        self._velocity, self._position = command.velocity, command.position
        if self.plan.interface == "torque" and not compensated:
            self._hangs = command.gravity
