# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""A governor: the commands of another controller, slowed down where an impact would be too fast."""

from __future__ import annotations

from collections.abc import Mapping
from math import inf, nan, sqrt
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from impact_qp.exceptions import ControlError
from impact_qp.governor.announced import AnnouncedSurfaces, SeenSurface
from impact_qp.governor.motions import MOTIONS, CommandedMotion
from impact_qp.guards.plausibility import StateGate
from impact_qp.guards.tracking import STEP, TrackingWatch
from impact_qp.interface import INTERFACES
from impact_qp.limits import Contact
from impact_qp.limits.braking import BRAKING
from impact_qp.limits.impact_limits.registry import AUTO, refuse_weak_limits
from impact_qp.limits.impact_limits.speed import ApproachSpeedLimit
from impact_robots.dynamics import ArmDynamics
from impact_robots.robot import Robot
from impact_robots.state.state import PointState
from impact_ros.messages import NANOSECONDS

ANYWHERE = 0.1  # default of the highest speed anywhere [m/s]
DELAY = 0.05  # default of the time after which a driver follows a command [s]
SILENCE = 0.1  # without commands for longer, the next one is a first one [s]
RISE = 2.0  # highest rate of an increasing factor [1/s]


class MeasuredState(NamedTuple):
    """A measured state of n joints, in the robot's joint order."""

    time: int  # of the measurement [ns]
    q: np.ndarray  # positions, shape (n,) [rad]
    dq: np.ndarray  # velocities, shape (n,) [rad/s]


class Capped(NamedTuple):
    """What is sent in place of a command.

    ``bound``, ``gap`` and ``normal_speed`` are those of the surface that limits most, without one
    of the nearest; without surfaces the bound is ``anywhere_speed`` and the others are NaN.
    """

    values: np.ndarray | None  # shape and unit of the command; None: no position to hold is known
    factor: float  # 0 to 1, on velocities, twists, and on steps of positions [-]
    bound: float  # highest speed at which the surface may be hit [m/s]
    reason: str  # of a factor below 1, "" for 1
    gap: float = nan  # of the contact point to the surface, negative behind it [m]
    normal_speed: float = nan  # measured, along the normal, negative towards the surface [m/s]
    rests: bool = False  # zero velocity, or the last position: the command was not used


class Governor:
    """Scales commands by a factor from 0 to 1, never anything else: slowed, not steered.

    The contact point reaches no announced surface faster than the impact limits allow: near a
    surface the bound itself, farther away the speed from which the arm slows down to it within the
    gap, after ``delay`` and the time between commands, with the fraction ``braking`` of the
    acceleration limits, along the commanded direction. Contact point, named contacts and origins of
    the joints move at most at ``anywhere_speed`` in any direction, joints at most at their limits.
    Commands stay below all that by the factor up to which a driver may be faster than commanded
    (``faster`` of :class:`.CommandInterface`). An arm that is measured too fast to slow down in
    time is sent zero.
    The surfaces are planes, hit by the contact point only; links meet them at ``anywhere_speed``.

    Position commands are steps from the position sent last, and stay near the measured one. Speed
    is not regained faster than ``RISE``. State or command not finite, times that go back: velocity
    zero, the last position. States that jump, and an arm that moves faster than commanded, are
    faults until :meth:`reset`.

    Attributes:
        fault: why only rest is sent until :meth:`reset`, "" without a fault.
        limits_name: of the impact limits, after "auto" is resolved.
    """

    def __init__(
        self,
        robot: Robot,
        surfaces: Mapping[str, Contact],
        *,
        interface: str = "velocity",
        anywhere_speed: float = ANYWHERE,
        impact_limits: str = AUTO,
        braking: float = BRAKING,
        delay: float = DELAY,
        twist_frame: str | None = None,
    ) -> None:
        """Create the governor.

        Args:
            robot: the arm, with a fixed base.
            surfaces: announced, by name; may be empty.
            interface: of the commands: "velocity" or "position" of the joints, or "twist".
            anywhere_speed: highest speed in any direction, > 0 [m/s].
            impact_limits: one that bounds every impulse, as on a real arm; or "auto".
            braking: usable fraction of the acceleration limits, above 0 to 1 [-].
            delay: time after which the arm moves as commanded, >= 0 [s].
            twist_frame: of a twist command: linear velocity of its origin; none: contact frame.

        Raises:
            ControlError: a choice or number is invalid, or the limits bound no speed.
            ImpactError: the robot's description lacks required values.
        """
        robot.require("impact_qp")
        if interface not in MOTIONS:
            raise ControlError(f"interface: expected one of {', '.join(MOTIONS)}, got {interface}")
        for name, value, low, high in (
            ("anywhere_speed", anywhere_speed, 0.0, 10.0),
            ("braking", braking, 0.0, 1.0),
        ):
            if not low < value <= high:
                raise ControlError(f"{name}: expected above {low:g}, to {high:g}, got {value:g}")
        if not 0.0 <= delay <= 1.0:
            raise ControlError(f"delay: expected 0 to 1 s, got {delay:g}")
        refuse_weak_limits(impact_limits)
        self._robot, self._dynamics = robot, ArmDynamics(robot)
        self._anywhere, self._braking, self._delay = anywhere_speed, braking, delay
        self._driver = INTERFACES[MOTIONS[interface].driver]
        self._motion: CommandedMotion = MOTIONS[interface](robot, twist_frame)
        limits = robot.limits
        self._per_limit = 1.0 / np.stack([limits.velocity, limits.acceleration])
        still = self._dynamics(self._middle, np.zeros(robot.dof))
        self._surfaces = AnnouncedSurfaces(robot, surfaces, impact_limits, self._driver, still)
        self.limits_name = self._surfaces.limits_name
        frames = (*robot.joint_names, *(each.name for each in robot.contacts))
        self._frames = (None, *(each for each in frames if robot.model.existFrame(each)))
        self._points = ("contact point", *self._frames[1:])
        self.reset()

    def limit(self, surface: str) -> ApproachSpeedLimit:
        """Return the impact limit of a surface by its name."""
        return self._surfaces.limits[surface]

    @property
    def _middle(self) -> np.ndarray:
        """A configuration: the robot's stance, or the middle of its positions, (n,)."""
        limits = self._robot.limits
        middle = 0.5 * (limits.position_lower + limits.position_upper)
        return np.where(np.isfinite(self._robot.stance), self._robot.stance, middle)

    def reset(self) -> None:
        """Start anew, without a fault: nothing was measured or sent."""
        self.fault = ""
        self._gate = StateGate(self._robot)
        self._watch = TrackingWatch(self._driver, STEP, self._delay)
        self._point: PointState | None = None
        self._state_time = self._time = 0  # of the last state and command [ns]
        self._age = self._interval = 0.0  # of the state at a command; since the last command [s]
        self._surfaces.forget()
        self._jacobians = np.zeros((0, self._robot.dof))
        self._motion.forget()
        self._begin_anew()

    def _begin_anew(self) -> None:
        """Expect a first command: positions start at the one sent last if the arm is near it."""
        self._factor, self._started = 0.0, False
        self._watched, self._fastest = self._state_time, np.zeros(3)  # [ns], [m/s]
        speed = 0.0 if self._point is None else float(np.linalg.norm(self._point.velocity))
        self._watch.reset(speed)

    # --- states -----------------------------------------------------------------------------------

    def refusal(self, state: MeasuredState) -> str:
        """Return why the arm must not be governed from a state, "" if it may."""
        if problem := self.look(state):
            return problem
        assert self._point is not None
        return self._surfaces.refusal(self._point)

    def look(self, state: MeasuredState) -> str:
        """Take a state, also between commands; return why it cannot be used, "" if it can."""
        if self._point is not None and state.time == self._state_time:
            return ""
        time, q, dq = state.time, np.asarray(state.q, float), np.asarray(state.dq, float)
        n = self._robot.dof
        if q.shape != (n,) or dq.shape != (n,):
            return f"state: expected {n} positions and velocities, got {q.shape} and {dq.shape}"
        if self._point is not None and time < self._state_time:
            self.forget_state()
            return "state: time went back"
        finding = self._gate.check(time, q, dq, impact=True)  # velocities may jump by an impact
        if finding.problem:
            if finding.fault:
                self.fault = self.fault or f"implausible joint states: {finding.problem}"
            return f"state: {finding.problem}"
        elapsed = 0.0 if self._point is None else (time - self._state_time) / NANOSECONDS
        self._state_time, point = time, self._dynamics(q, dq)
        self._point = point
        at = point.robot_state.at
        self._jacobians = np.concatenate([at(frame).J[:3] for frame in self._frames])
        self._speed, self._stopping = float(np.linalg.norm(point.velocity)), self._fall_of(dq)[1]
        self._surfaces.look(point, elapsed)
        return ""

    @property
    def point(self) -> PointState | None:
        """The contact point in the last usable state, None without one."""
        return self._point

    @property
    def start(self) -> np.ndarray:
        """Positions from which a first command would move the arm, shape (n,) [rad]."""
        assert self._point is not None
        return self._motion.start(self._point.q)

    def forget_state(self) -> None:
        """Use no state before the next one: the last one is too old, or the clock went back."""
        self._point = None

    def catch_up(self, until: float = inf) -> None:
        """Run deferred work of the limits, after a command was sent: `joint_load` needs it.

        Args:
            until: time by :func:`time.perf_counter` after which nothing more is begun [s].
        """
        self._surfaces.catch_up(until)

    # --- commands ---------------------------------------------------------------------------------

    def rest(self, reason: str) -> Capped:
        """Return zero velocity, or the position sent last."""
        self._factor = 0.0
        return self._described(self._motion.rest(), 0.0, reason, None)._replace(rests=True)

    def cap(self, state: MeasuredState, command: ArrayLike, *, time: int | None = None) -> Capped:
        """Return what to send in place of a command.

        Args:
            state: newest one; the same one may be given again.
            command: joint velocities, shape (n,) [rad/s]; positions, shape (n,) [rad]; or a twist,
                linear and angular velocity in base axes, shape (6,) [m/s, rad/s].
            time: of the command, by the clock of the states; none: that of the state [ns].
        """
        problem = self.look(state)
        values = np.asarray(command, dtype=float)
        now = state.time if time is None else time
        self._age = max(0.0, (now - state.time) / NANOSECONDS)
        elapsed = self._interval = self._elapsed(now)
        if elapsed < 0.0:
            problem = problem or "command: time went back"
        if values.shape != self._motion.shape:
            problem = f"command: expected {self._motion.shape[0]} values, got {values.size}"
        elif not np.isfinite(values).all():
            problem = "command: not finite"
        if self.fault or problem or self._point is None:
            return self.rest(self.fault or problem)
        return self._scaled(self._point, values, elapsed)

    def _elapsed(self, time: int) -> float:
        """Take the time of a command [ns]; return that since the last one [s], 0: a first one."""
        elapsed, self._time = (time - self._time) / NANOSECONDS, time
        if self._started and elapsed <= SILENCE:
            return elapsed
        self._begin_anew()
        self._started = True
        return 0.0

    def _scaled(self, point: PointState, values: np.ndarray, elapsed: float) -> Capped:
        """Return a command after all checks of its form; ``elapsed`` since the last one [s]."""
        motion = self._motion
        if elapsed <= 0.0:
            motion.begin_anew(point.q)
        velocity, contact_velocity = motion.judged(point, values, elapsed)
        factor, reason, surface = self._limited(point, velocity, contact_velocity)
        lead, joint = motion.led(values, point.q)
        if lead < factor:
            factor, reason = lead, f"{joint}: distance to the measured position"
        highest = self._factor + RISE * elapsed
        if highest < factor:
            factor, reason = highest, "speed is regained slowly"
        self._factor = factor
        sent = motion.scaled(values, factor, elapsed)
        self._track(point, factor * contact_velocity)
        if self.fault:
            return self.rest(self.fault)
        return self._described(sent, factor, reason, surface)

    def _limited(
        self, point: PointState, velocity: np.ndarray, contact: np.ndarray
    ) -> tuple[float, str, SeenSurface | None]:
        """Return the factor of a motion, its reason, and the surface that sets it, if one does.

        Args:
            point: of contact.
            velocity: of the joints, shape (n,) [rad/s].
            contact: velocity of the contact point, shape (3,) [m/s].
        """
        fastest, falls = self._fall_of(velocity)
        factor, reason = self._free_factor(point, velocity, contact, fastest)
        braking, delay = falls * self._braking, self._delay + self._age + self._interval
        found = self._surfaces.limited(contact, factor, braking, delay, self._stopping, self._age)
        return (factor, reason, None) if found is None else found

    def _free_factor(
        self, point: PointState, velocity: np.ndarray, contact: np.ndarray, fastest: float
    ) -> tuple[float, str]:
        """Return the factor of a motion that has nothing to do with surfaces, and its reason.

        Args:
            point: of contact.
            velocity: of the joints, shape (n,) [rad/s].
            contact: velocity of the contact point, shape (3,) [m/s].
            fastest: joint velocity over its limit [-].
        """
        faster, slack = self._driver.faster, self._driver.slack
        if self._speed > self._anywhere + slack and float(contact.dot(point.velocity)) > 0.0:
            return 0.0, f"anywhere_speed: measured {self._speed:.3f} m/s"
        moved = self._jacobians.dot(velocity)
        moved[:3] = contact
        squares = (moved * moved).reshape(-1, 3).sum(axis=1)
        highest, own = float(squares.max()), float(squares[0])
        factor, reason = 1.0, ""
        if sqrt(highest) * faster > self._anywhere:
            k = 0 if own >= (1.0 - 1e-6) * highest else int(squares.argmax())
            factor = self._anywhere / (sqrt(highest) * faster)
            reason = f"anywhere_speed: {self._points[k]}"
        if fastest * faster * factor > 1.0:
            joint = int((np.abs(velocity) / self._robot.limits.velocity).argmax())
            factor, reason = 1.0 / (fastest * faster), f"{self._robot.joint_names[joint]} velocity"
        return factor, reason

    def _fall_of(self, velocity: np.ndarray) -> tuple[float, float]:
        """Return the largest fraction of a velocity limit, and how fast a factor may fall [1/s].

        Args:
            velocity: of the joints, shape (n,) [rad/s].
        """
        fraction, falls = (np.abs(velocity) * self._per_limit).max(axis=1).tolist()
        return fraction, 1.0 / max(falls, 1e-9)

    def _track(self, point: PointState, sent: np.ndarray) -> None:
        """Compare the arm's motion with the velocities (3,) sent to it [m/s]."""
        if sent @ sent > self._fastest @ self._fastest:
            self._fastest = sent
        unwatched = (self._state_time - self._watched) / NANOSECONDS  # commands have other periods
        if unwatched < STEP:
            return
        problem = self._watch.problem(point.position, self._fastest, unwatched)
        self._watched, self._fastest = self._state_time, sent
        self.fault = self.fault or problem

    def _described(
        self, values: np.ndarray | None, factor: float, reason: str, surface: SeenSurface | None
    ) -> Capped:
        """Return a result with what is known of a surface; none: the nearest one."""
        surface = surface or self._surfaces.nearest
        if surface is None or self._point is None:
            return Capped(values, factor, self._anywhere, reason)
        bound = min(surface.bound, self._anywhere)
        return Capped(values, factor, bound, reason, surface.gap, -surface.approach)
