# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
r"""Detection of contact by an arm that moves along a direction.

Signals, each over its threshold, of which any one ends the motion:

- effort: external torque of a joint by the momentum observer, over the error of the model and its
  noise. A contact of F N along the direction makes :math:`F |j_i|`; friction of the surface may
  hide it in one joint, so that of every joint counts, in both directions;
- velocity: a servo's arm falls behind what its servo would do, by more than 0.3 of the speed;
- position: it has fallen behind by more than what 0.3 of the servo's lag makes;
- stall: a torque-controlled arm has moved by less than a quarter of what was commanded.

The servo that is compared with is a position loop around a velocity loop,
:math:`\ddot x = w_v (K_v (x_c - x) - \dot x)`.
"""

from __future__ import annotations

from collections import deque
from math import inf, nan
from typing import NamedTuple

import numpy as np

from impact_qp.guards.stall import STALLED
from impact_robots.dynamics import ArmDynamics
from impact_robots.robot import Robot
from impact_robots.state.momentum_observer import MomentumObserver

EFFORT, VELOCITY, POSITION, STALL = "effort", "velocity", "position", "stall"
ZERO = 0.15  # at rest, in which the observer settles and its bias is measured [s]
BIAS = 0.08  # of it, the last part, whose mean is the bias [s]
WINDOW = 5e-3  # over which a lost speed is measured, a period or more [s]
SUBSTEP = 1e-3  # of the servo's model [s]
FORGOTTEN = 1.0  # time in which a servo's steady error is forgotten [s]
GAP = 50_000_000  # between two states, after which nothing is known of the motion [ns]
RISE = 0.2  # fraction of a threshold below which there is no contact yet
LATE = 0.02  # of a signal behind the contact, at most [s]
REMEMBERED = 0.5  # before a detection, in which its contact is looked for [s]


class SenseSetup(NamedTuple):
    """Thresholds and models of :class:`ContactSense`; arrays of shape (n,)."""

    direction: np.ndarray  # of the motion, base axes, shape (3,)
    j: np.ndarray  # joint torques of 1 N along it [m]
    torques: np.ndarray | None  # thresholds of external torques; None: no efforts [N.m]
    gain: float  # of the momentum observer [1/s]
    motor_inertia: np.ndarray | None  # where efforts are of the motors [kg.m^2]
    lag: float  # 1/K_v of the servo; 0: none, only efforts are compared [s]
    bandwidth: float  # w_v of its velocity loop [1/s]
    position: float  # threshold of what is lost against the servo [m]
    velocity: float  # of its rate [m/s]
    stiffness: float  # k_c, of the servo along the direction; NaN: none [N/m]
    stall: float  # time over which an arm that stands is noticed; infinite: never [s]
    steady: float  # mean commanded speed in it from which on that is looked at [m/s]


class Noted(NamedTuple):
    """A cycle that is remembered."""

    time: int  # [ns]
    q: np.ndarray  # shape (n,) [rad]
    statistic: float


class ContactSense:
    """Compares each measured state with a motion without contact.

    Attributes:
        ready: the arm stood long enough for the bias: it may move.
        loaded: at rest it is pushed back by more than the model's error: it never gets ready.
        interrupted: states stayed away once it was ready; stays so.
        signal: over its threshold in this cycle, "" if none is.
        behind: the arm is pushed from behind.
        statistic: the largest signal over its threshold [-].
        force: estimated, against the motion; NaN: unknown [N].
        peak: the largest so far [N].
    """

    def __init__(self, robot: Robot, setup: SenseSetup, period: float) -> None:
        """Set up for a control period [s]."""
        self._setup, self._period = setup, period
        self._dynamics = ArmDynamics(robot)
        self._observer = MomentumObserver(robot, setup.gain, motor_inertia=setup.motor_inertia)
        self._sign = np.sign(setup.j)
        self._joints = np.zeros(robot.dof, dtype=bool)
        if setup.torques is not None:
            pull = np.abs(setup.j) / setup.torques
            self._joints = pull > pull.max() / 3.0  # that a push from behind moves
            weights = self._joints * setup.j / setup.torques**2
            self._to_force = weights / max(float(weights @ setup.j), 1e-12)
        self._noted: deque[Noted] = deque(maxlen=max(2, round(REMEMBERED / period)))
        looked_back = max(1, round(WINDOW / period))
        self._lost: deque[float] = deque(maxlen=looked_back + 1)
        cycles = 0 if setup.stall == inf else max(1, round(setup.stall / period))
        self._ways: deque[tuple[float, float]] = deque(maxlen=cycles + 1)
        self.ready = self.interrupted = False
        self.reset()

    def reset(self) -> None:
        """Begin anew, with an arm at rest."""
        self._begun: int | None = None
        self._last = 0
        self._bias, self._samples = np.zeros(len(self._setup.j)), 0
        self._observer.reset()
        self._noted.clear()
        self._origin: float | None = None  # of the travel, once ready [m]
        self._commanded = self._expected = 0.0  # along the direction, since then [m]
        self._rate = 0.0  # of the expected travel [m/s]
        self._speed = 0.0  # commanded [m/s]
        self._lost.clear()
        self._ways.clear()
        self.ready, self.loaded, self.behind, self.signal = False, False, False, ""
        self.statistic, self.force, self.peak = 0.0, nan, nan

    def commanded(self, speed: float) -> None:
        """Take the speed along the direction that was commanded in this cycle [m/s]."""
        self._speed = speed

    def update(self, time: int, q: np.ndarray, dq: np.ndarray, tau: np.ndarray | None) -> None:
        """Take a measured state.

        Args:
            time: of the measurement [ns].
            q: joint positions, shape (n,) [rad].
            dq: joint velocities, shape (n,) [rad/s].
            tau: joint torques, gravity included, shape (n,) [N.m]; None: unknown.
        """
        if self._begun is not None and not 0 < time - self._last <= GAP:
            self.interrupted |= self.ready
            self.reset()
        begun = self._begun = time if self._begun is None else self._begun
        elapsed, self._last = (time - begun) * 1e-9, time
        effort = self._effort(time, q, dq, tau)
        if not self.ready:
            if not self.loaded:
                self._settle(elapsed)
            return
        self._commanded += self._speed * self._period
        found = {EFFORT: effort, **self._against_servo(q), **self._standing(q)}
        name = max(found, key=lambda each: found[each])
        self.statistic = found[name]
        self.signal = name if self.statistic >= 1.0 else ""
        known = max(value for each, value in found.items() if each != STALL)  # that is a late one
        self._noted.append(Noted(time, q, known))
        self.peak = float(np.fmax(self.peak, self.force))

    def _settle(self, elapsed: float) -> None:
        """Measure the bias of an arm at rest, for [s] so far."""
        if elapsed >= ZERO - BIAS:
            self._bias += self._observer.residual
            self._samples += 1
        if elapsed >= ZERO:
            self._bias /= self._samples
            self.loaded = self._pushed_back()
            self.ready = not self.loaded

    def _pushed_back(self) -> bool:
        """Return whether the bias is a force against the motion that would be detected."""
        torques = self._setup.torques
        if torques is None:
            return False
        against = -self._bias
        explained = float(np.abs(against / torques).max()) < 1.0
        return not explained and float(self._to_force @ against) > 0.0

    def _effort(self, time: int, q: np.ndarray, dq: np.ndarray, tau: np.ndarray | None) -> float:
        """Return the largest external torque against the motion over its threshold [-]."""
        torques = self._setup.torques
        if torques is None or tau is None:
            return 0.0
        self._observer.update(time, q, dq, tau)
        against = -(self._observer.residual - self._bias)
        self.force = float(self._to_force @ against)
        used = against / torques
        self.behind = bool(-(self._sign * used)[self._joints].min() >= 1.0)
        return float(np.abs(used).max())

    def _against_servo(self, q: np.ndarray) -> dict[str, float]:
        """Return what the arm has lost against its servo, position and velocity [-]."""
        setup = self._setup
        if setup.lag <= 0.0:
            return {}
        place = float(setup.direction @ self.position(q))
        if self._origin is None:
            self._origin = place
        steps = max(1, round(self._period / SUBSTEP))
        for _ in range(steps):
            wanted = (self._commanded - self._expected) / setup.lag
            self._rate += min(1.0, setup.bandwidth * self._period / steps) * (wanted - self._rate)
            self._expected += self._rate * self._period / steps
        lost = self._expected - (place - self._origin)
        self._origin -= lost * self._period / FORGOTTEN
        self._lost.append(lost)
        if setup.torques is None:
            self.force = setup.stiffness * lost
        full = len(self._lost) == self._lost.maxlen  # of a shorter time it would be noise
        rate = (lost - self._lost[0]) / ((len(self._lost) - 1) * self._period) if full else 0.0
        return {POSITION: lost / setup.position, VELOCITY: rate / setup.velocity}

    def _standing(self, q: np.ndarray) -> dict[str, float]:
        """Return by how much the arm stands although it should move [-]."""
        if self._setup.stall == inf:
            return {}
        self._ways.append((self._commanded, float(self._setup.direction @ self.position(q))))
        if len(self._ways) < (self._ways.maxlen or 0):
            return {}
        (before, place), (now, here) = self._ways[0], self._ways[-1]
        asked = now - before
        if asked < self._setup.steady * self._setup.stall:
            return {}
        return {STALL: (asked - (here - place)) / ((1.0 - STALLED) * asked)}

    def position(self, q: np.ndarray) -> np.ndarray:
        """Return the contact point at q, shape (n,) [rad], base axes, shape (3,) [m]."""
        return self._dynamics.position(q)

    def before(self) -> Noted | None:
        """Return the newest cycle without contact, None if nothing is remembered."""
        if not self._noted:
            return None
        quiet = [each.time for each in self._noted if each.statistic < RISE]
        since = (quiet[-1] if quiet else self._noted[0].time) - round(LATE * 1e9)
        free = [each for each in self._noted if each.time <= since]
        return free[-1] if free else self._noted[0]
