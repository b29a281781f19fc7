# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""A surface and an arm's joints learned hit by hit: how fast the next one, and when to stop."""

from __future__ import annotations

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

SLOWEST = 0.005  # at which a hit is worth it [m/s]
TOO_FAST = 1.15  # of the speed asked for, above which a hit was not what it was meant to be


class NextHit(NamedTuple):
    """A hit that is to be made."""

    number: int  # from 1
    safe: SafeSpeed
    speed: float  # that is asked for [m/s]
    gap: float  # to the surface, from where it begins [m]
    surface: Surface  # with the ranges that the controller's own limit may count on


class SurfaceLearner:
    """Plans hits of one place of a surface and learns from them; holds no clock and no I/O.

    Attributes:
        box: of what was unknown before the first hit; its surface has a point.
        hits: that were learned from.
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
        """Begin with nothing but the box.

        Args:
            box: what is unknown of wall and joints.
            hits: how many to make at most.
            target: speed above which no hit is asked for [m/s].
            ramp: of the reference speed [m/s^2].
            ceilings: that hold from before, of any place.
        """
        self.box, self._max_hits, self._target, self._ramp = box, hits, target, ramp
        self._planner = HitPlanner(box, ceilings)
        self.hits: list[LearnedHit] = []
        self._first: np.ndarray | None = None  # positions before the first hit, shape (n,) [rad]
        self._wanted = False  # the last hit was planned as fast as wanted
        self.problem = ""

    @property
    def learned(self) -> Learned:
        """What is known."""
        return self._planner.learned

    @property
    def done(self) -> bool:
        """Whether the hits are made, or the last one was as fast as wanted."""
        if len(self.hits) >= self._max_hits:
            return True
        return self._wanted and bool(self.hits) and not self.hits[-1].contradicted

    def next_hit(self, q: np.ndarray) -> NextHit:
        """Return the next hit from joint positions, shape (n,) [rad]; takes up to a second or two.

        The arm is where the last hit left it: one with more joints than its task needs does not
        come back to where it was, and may at last not reach the surface as it is turned.

        Raises:
            ControlError: the surface is behind the arm or out of its reach, or no speed is safe.
            PredictionError: the robot's YAML does not give what loads need.
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
        """Return what there is to say of where the arm is since the first hit, "" before one."""
        if self._first is None or not self.hits:
            return ""
        away = np.abs(q - self._first)
        worst = int(away.argmax())
        return (
            f"; {self.box.robot.joint_names[worst]} is {away[worst]:.2f} rad from where it was"
            f" before the first hit: move the arm back and go on with the ranges learned so far"
        )

    def learn(self, hit: RecordedHit) -> LearnedHit:
        """Learn from the hit that was planned; takes tenths of a second to seconds.

        Raises:
            PredictionError: it is not sampled as needed, or the arm moved away from the surface.
        """
        self._planner.learn(hit)
        found = self.learned.last(commanded=hit.command is not None)
        self.hits.append(found)
        self.problem = self._problem(found)
        return found

    def _problem(self, hit: LearnedHit) -> str:
        """Return why no further hit must follow one, "" if it may."""
        what = f"hit {len(self.hits)}"
        if not hit.load <= 1.0:
            return f"{what} used {hit.load:.2f} of a joint's limit"
        asked = self._planner.asked
        if not hit.speed <= TOO_FAST * asked:
            return f"{what} came at {hit.speed:.3f} m/s instead of {asked:.3f} m/s"
        if len(self.hits) > 2 and hit.contradicted and self.hits[-2].contradicted:
            return f"{what} contradicts hit {len(self.hits) - 1}, which contradicted those before"
        return self._planner.problem
