# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Learns a surface and an arm's joints hit by hit: speed of the next hit, and when to stop."""

from __future__ import annotations

from dataclasses import replace
from math import isfinite
from typing import NamedTuple

import numpy as np

from impact_predictor.learning.knowledge import Ceiling
from impact_predictor.learning.learning_box import LearningBox
from impact_predictor.learning.next_speed import SafeSpeed
from impact_predictor.learning.wall_change import Learned, LearnedHit
from impact_predictor.learning.wall_interval import announced
from impact_predictor.recorded_hit import RecordedHit
from impact_qp.exceptions import ControlError
from impact_qp.learning.hit_planner import HitPlanner
from impact_qp.learning.wall_approach import WallApproach, arrival
from impact_robots.dynamics import ArmDynamics
from impact_robots.exceptions import RobotError
from impact_robots.surface import Surface

SLOWEST = 0.005  # lowest useful speed of a hit [m/s]
TOO_FAST = 1.15  # ratio of achieved to requested speed above which a hit is unsafe


class NextHit(NamedTuple):
    """A planned hit."""

    number: int  # from 1
    safe: SafeSpeed
    speed: float  # requested [m/s]
    gap: float  # to the surface, from its start [m]
    surface: Surface  # with the ranges that the controller's own limit may use


class SurfaceLearner:
    """Plans hits of one place of a surface and learns from them; holds no clock and no I/O.

    Attributes:
        box: of unknown parameters before the first hit; its surface has a point.
        hits: used for learning.
        problem: why there must be no further hit, "" if there may be.
    """

    def __init__(
        self,
        box: LearningBox,
        hits: int,
        target: float,
        ramp: float,
        ceilings: tuple[Ceiling, ...] = (),
    ) -> None:
        """Begin with the box only.

        Args:
            box: of unknown parameters of wall and joints.
            hits: largest number of hits.
            target: highest requested speed [m/s].
            ramp: of the reference speed [m/s^2].
            ceilings: known from before, of any place.
        """
        self.box, self._max_hits, self._target, self._ramp = box, hits, target, ramp
        self._planner = HitPlanner(box, ceilings)
        self.hits: list[LearnedHit] = []
        self._first: np.ndarray | None = None  # positions before the first hit, shape (n,) [rad]
        self._wanted = False  # the last hit was planned at the target speed
        self.problem = ""

    @property
    def learned(self) -> Learned:
        """Present knowledge."""
        return self._planner.learned

    @property
    def done(self) -> bool:
        """Whether the hits are made, or the last one reached the target speed."""
        if len(self.hits) >= self._max_hits:
            return True
        return self._wanted and bool(self.hits) and not self.hits[-1].contradicted

    def next_hit(self, q: np.ndarray) -> NextHit:
        """Return the next hit from joint positions, shape (n,) [rad]; takes up to a second or two.

        The arm is where the last hit left it: a redundant arm does not return to its first
        position, and may finally not reach the surface.

        Raises:
            ControlError: the surface is behind the arm or out of its reach, or no speed is safe.
            PredictionError: the robot's YAML lacks values for loads.
        """
        robot, surface = self.box.robot, self.box.surface
        self._first = q if self._first is None else self._first
        gap = surface.gap(ArmDynamics(robot).position(q))
        if not gap > 0.0:
            raise ControlError(f"the contact point is {-gap:.3f} m behind the surface")
        try:
            point = arrival(robot, q, -gap * surface.normal)
        except RobotError as error:
            raise ControlError(f"{error}{self._drift(q)}") from None
        approach = WallApproach(robot, surface, q, point, gap, self._ramp)
        if not approach.fastest >= SLOWEST:
            raise ControlError(
                f"expected a run-up on which the arm keeps {SLOWEST:g} m/s or more,"
                f" got {approach.fastest:.4f} m/s on {gap:.3f} m"
            )
        safe, speed = self._planner.plan(approach, self._target)
        if not (isfinite(speed) and speed >= SLOWEST):
            raise ControlError(
                f"expected a safe speed of {SLOWEST:g} m/s or more, got {speed:.4f} m/s"
            )
        self._wanted = min(safe.speed, approach.fastest) >= self._target
        learned = announced(self.learned.known, point, speed)
        return NextHit(len(self.hits) + 1, safe, speed, gap, learned)

    def _drift(self, q: np.ndarray) -> str:
        """Return a note on the displacement since the first hit, "" before one."""
        if self._first is None or not self.hits:
            return ""
        away = np.abs(q - self._first)
        worst = int(away.argmax())
        return (
            f"; {self.box.robot.joint_names[worst]} is {away[worst]:.2f} rad from where it was"
            f" before the first hit: move the arm back and go on with the ranges learned so far"
        )

    def learn(self, hit: RecordedHit) -> LearnedHit:
        """Learn from the planned hit; takes tenths of a second to seconds.

        Raises:
            PredictionError: it is not sampled as required, or the arm moved away from the surface.
        """
        self._planner.learn(hit)
        found = self.learned.last(commanded=hit.command is not None)
        self.hits.append(found)
        self.problem = self._problem(found)
        return found

    def remember(self, hit: RecordedHit) -> None:
        """Take the ceiling of a planned hit that ended otherwise: its load counts, nothing else.

        Raises:
            PredictionError: as of :meth:`learn`.
        """
        before = self.learned
        self._planner.learn(hit)
        ceilings = self.learned.known.ceilings
        self._planner.learned = before._replace(known=replace(before.known, ceilings=ceilings))

    def _problem(self, hit: LearnedHit) -> str:
        """Return why no further hit is allowed after one, "" if it is."""
        what = f"hit {len(self.hits)}"
        if not hit.load <= 1.0:
            return f"{what} used {hit.load:.2f} of a joint's limit"
        asked = self._planner.asked
        if not hit.speed <= TOO_FAST * asked:
            return f"{what} came at {hit.speed:.3f} m/s instead of {asked:.3f} m/s"
        if len(self.hits) > 2 and hit.contradicted and self.hits[-2].contradicted:
            return f"{what} contradicts hit {len(self.hits) - 1}, which contradicted those before"
        if self.done and all(each.contradicted for each in self.hits):
            return f"the model explains no hit of {len(self.hits)}: was it one of this surface?"
        return self._planner.problem
