# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Strikes of one place from one start: where the next one goes, how fast, and what it showed."""

from __future__ import annotations

from dataclasses import replace
from math import inf
from typing import NamedTuple

import numpy as np

from impact_predictor.strike.strike_case import NailCase, StrikeCase
from impact_predictor.strike.striker import Striker
from impact_predictor.strike.surface_cases import middle_surface
from impact_qp.exceptions import ControlError
from impact_qp.learning.wall_approach import WallApproach, arrival
from impact_qp.strike.give_way import Pulse, give_way
from impact_qp.strike.strike_planner import SafeStrike, StrikePlanner
from impact_qp.strike.strike_record import StrikeRows, measured_use
from impact_robots.robot import Robot
from impact_robots.surface import Surface
from impact_robots.tools.target import ANY_STOP

ASIDE = 5e-3  # of the depth by the joints, of the announced place and of the contact's time [m]


class NextStrike(NamedTuple):
    """A planned strike."""

    approach: WallApproach
    safe: SafeStrike
    speed: float  # of the head along the strike, the safe one or less [m/s]
    pulse: Pulse | None  # with which the motors give way


class StrikeSeries:
    """Strikes on one line; holds no clock and no I/O.

    Attributes:
        planner: of the speeds.
        window: longest duration of a contact [s].
        depth: of a nail before the last strike, by the joints [m].
    """

    def __init__(
        self,
        arm: Robot,
        planner: StrikePlanner,
        start: np.ndarray,
        surface: Surface,
        run_up: float,
        *,
        q: np.ndarray | None = None,
        ramp: float = 4.0,
    ) -> None:
        """Set up.

        Args:
            arm: with its tool, whose head counts as fixed.
            planner: of the speeds.
            start: joint positions from which every strike begins, shape (n,) [rad].
            surface: what is struck before the first strike, its point on the line of the strikes.
            run_up: distance of the head from it at the start [m].
            q: joint positions at the contact, shape (n,) [rad]; none: by steps of the least joint
                velocities from the start.
            ramp: of the reference speed [m/s^2].

        Raises:
            RobotError: the place is out of reach.
            PredictionError: the robot's YAML lacks fields of the load model.
        """
        self._arm, self.planner, self._start = arm, planner, np.array(start)
        self._surface, self._run_up, self._ramp = surface, run_up, ramp
        self._direction = -surface.normal
        self._place = np.array(surface.point)
        if q is None:
            q = arrival(arm, self._start, run_up * self._direction).q
        self._striker = Striker(planner.robot, planner.tool, q)
        self.window, self.depth = self._striker.window, 0.0
        self._driven = 0.0  # by the last strike at most [m]

    @property
    def wanted(self) -> float | None:
        """Depth to which the nail is to be driven [m]; none: not said, or no nail."""
        nail = self.planner.target.nail
        return None if nail is None else nail.depth

    @property
    def done(self) -> bool:
        """Whether the nail was found at its depth."""
        return self.wanted is not None and self.depth >= self.wanted

    def approach(self, depth: float) -> WallApproach:
        """Return the approach of a strike on the nail at a depth [m].

        Raises:
            RobotError: it is out of reach.
        """
        run_up, at = self._run_up + depth, self._surface
        point = arrival(self._arm, self._start, run_up * self._direction)
        place = self._place + depth * self._direction
        surface = Surface(place, at.normal, at.friction, at.restitution, at.stiffness)
        return WallApproach(self._arm, surface, self._start, point, run_up, self._ramp)

    def next(self, highest: float = inf) -> NextStrike:
        """Return the next strike, no faster than a speed [m/s]; takes up to seconds.

        Its speed is 0 if none is safe.

        Raises:
            ImpactError: it is out of reach, or the robot's YAML lacks fields of the load model.
        """
        approach, wanted = self.approach(self.depth), self.wanted
        deep = approach if wanted is None or self.done else self.approach(wanted)
        safe = self.planner.plan(approach, deep, highest)
        pulse = None
        if self.planner.tool.give_way and safe.speed > 0.0:
            pulse = self._pulse(approach, safe.speed)
        return NextStrike(approach, safe, safe.speed, pulse)

    def _pulse(self, approach: WallApproach, speed: float) -> Pulse:
        """Return the torques with which the motors give way to the strike that is expected."""
        planner, dq = self.planner, approach.arrives(speed).dq
        surface = middle_surface(planner.target)
        if isinstance(surface, NailCase):
            surface = surface._replace(depth=self.depth)
        case = StrikeCase(planner.tool.nominal, surface, friction=planner.target.friction[1])
        return give_way(self._striker, case, speed, dq)

    def learn(self, rows: StrikeRows, contact: float) -> float:
        """Take a strike with its contact, on the clock of the rows [s]; takes up to seconds.

        Returns:
            The largest fraction of a limit that the torque sensors show [-].

        Raises:
            ControlError: the head missed the nail; the load counts.
            PredictionError: the robot's YAML lacks fields of the load model.
        """
        tap = rows.tap(contact, self.depth)
        used = measured_use(self._striker, tap)
        try:
            self.found(rows, contact)
        except ControlError:
            self.planner.remember(tap, used)
            raise
        self.planner.learn(replace(tap, depth=self.depth), used)
        return used

    def remember(self, rows: StrikeRows, contact: float) -> None:
        """Take the load of a strike that something else ended, if its rows are complete.

        Raises:
            PredictionError: the robot's YAML lacks fields of the load model.
        """
        if rows.time[-1] >= contact + self._striker.window:
            tap = rows.tap(contact, self.depth)
            self.planner.remember(tap, measured_use(self._striker, tap))

    def found(self, rows: StrikeRows, contact: float) -> None:
        """Take where the head met the nail.

        Raises:
            ControlError: it met something deeper than the strike before can have driven the nail.
        """
        place = rows.head(self._arm, contact)
        depth, nail = float((place - self._place) @ self._direction), self.planner.target.nail
        deepest = self.depth + self._driven + ASIDE
        if nail is not None and depth > deepest:
            raise ControlError(
                f"the head met something {1e3 * depth:.1f} mm deep, expected the nail at"
                f" {1e3 * deepest:.1f} mm at most: it was missed"
            )
        self.depth = max(self.depth, depth)
        if nail is not None:
            self._driven = rows.energy(self._arm, contact) / nail.resistance[0]


def struck_surface(planner: StrikePlanner, point: np.ndarray, normal: np.ndarray) -> Surface:
    """Return what a planner's tool strikes, its point and normal in base axes, shape (3,)."""
    stop = planner.target.stop or ANY_STOP
    return Surface(point, normal, planner.target.friction, stop.restitution, stop.stiffness)
