# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""The best strike with a tool: configuration, direction within a cone, mount of the head.

Many configurations are screened without a simulation, the best of them rated by two, a few climb
by random steps; then the search of all ranges decides, and the best is planned. Ratings are upper
bounds of plans (to 0.4 %, of their coarse steps), so a candidate rated below a found limit needs
no search.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from impact_predictor.joint_load.drive import MEASURED
from impact_predictor.strike.quick_rating import QuickRating, Rating
from impact_predictor.strike.strike_plan import (
    StrikeLimit,
    StrikePlan,
    plan_below,
    strike_limit,
)
from impact_predictor.strike.strike_search import ring
from impact_predictor.strike.striker import Striker
from impact_qp.exceptions import ControlError
from impact_qp.reach import Reach
from impact_robots.description.joint_ranges import ANNOUNCED
from impact_robots.dynamics import ArmDynamics
from impact_robots.robot import Robot
from impact_robots.tools.target import Target
from impact_robots.tools.tool import Tool, with_tool

DRAWN, RATED, CLIMBED, PLANNED = 1000, 40, 3, 2  # configurations
STEPS, FIRST_STEP, LAST_STEP = 40, 0.3, 5e-3  # of a climb, and their size [rad]
_GROW, _SHRINK = 1.6, 0.85  # after a success, after a failure
_EXACT = 1e-4  # of a direction without a cone [rad]

Report = Callable[[float, str], None]


class _Candidate(NamedTuple):
    """A configuration with a mount of the head."""

    mount: int  # index
    q: np.ndarray  # shape (n,) [rad]
    rating: Rating


@dataclass(frozen=True, eq=False)
class BestStrike:
    """The best strike that was found, and how."""

    plan: StrikePlan
    tool: Tool  # as it was given
    start: StrikeLimit | None  # at the start; none: it is worse than the best plan
    start_rating: Rating  # an upper bound of it
    reached: int  # configurations that reach the place


def best_strike(
    robot: Robot,
    tool: Tool,
    target: Target,
    q: np.ndarray,
    *,
    drive: str = MEASURED,
    joints: str = ANNOUNCED,
    seed: int = 0,
    report: Report = lambda fraction, note: None,
) -> BestStrike:
    """Return the best strike with the head where it is in q, never worse than the one in q.

    Args:
        robot: the arm, whose own tool is replaced.
        tool: that strikes; its ``mount`` is searched.
        target: what is struck; its ``cone`` around the axis in q is searched.
        q: joint positions at the contact, where the search starts, shape (n,) [rad].
        drive: as of ``plan_strike``.
        joints: as of ``plan_strike``.
        seed: of the random numbers.
        report: called with the fraction done and a note.

    Raises:
        ControlError: q is outside of the position limits.
        PredictionError: the robot's YAML lacks stiffness, damping or inertia of its joints.
    """
    if wrong := robot.outside_limits(q):
        raise ControlError(wrong)
    search = _Search(robot, tool, target, q, (drive, joints), np.random.default_rng(seed))
    candidates, reached = search.candidates(report)
    left = sorted([*candidates[:PLANNED], search.start], key=_value, reverse=True)
    best: StrikePlan | None = None
    while left:
        limits = search.limits(left, report)
        found, limit = max(limits, key=lambda each: search.value(each[1]))
        plan = plan_below(limit, target, joints)
        best = plan if best is None or plan.safe else best
        left = [] if plan.safe else [each for each in left if each is not found]
    assert best is not None  # there is the start
    start = next((limit for each, limit in limits if each is search.start), None)
    return BestStrike(best, tool, start, search.start.rating, reached)


class _Search:
    """Candidates for the plan."""

    def __init__(
        self,
        robot: Robot,
        tool: Tool,
        target: Target,
        q: np.ndarray,
        given: tuple[str, str],
        random: np.random.Generator,
    ) -> None:
        self.tools = [tool.mounted(each) for each in _mounts(tool.mount)]
        self._robot, self._target, self._random = robot, target, random
        self._drive, self._joints = given
        arms = [with_tool(robot, each, each.nominal.mass) for each in self.tools]
        place = ArmDynamics(arms[0]).state(q, np.zeros(robot.dof)).at(arms[0].contact_frame)
        self._place = place.position
        self._reaches = [
            Reach(
                arm,
                arm.contact_frame,
                facing=np.array([0.0, 0.0, 1.0]),
                normal=place.rotation[:, 2],
                tilt=max(_EXACT, target.cone),
                around=q,
            )
            for arm in arms
        ]
        self._rates = [QuickRating(robot, each, target, *given) for each in self.tools]
        rating = self._rates[0](q, -1.0)
        assert rating is not None  # no value is below 0
        self.start = self._refined(_Candidate(0, q, rating))

    def value(self, limit: StrikeLimit) -> float:
        """Return the value of the highest strike, to be compared with ratings."""
        return self._rates[0].value(limit.striker.mass, limit.highest)

    def limits(
        self, candidates: Sequence[_Candidate], report: Report
    ) -> list[tuple[_Candidate, StrikeLimit]]:
        """Return the limits of candidates that may have the highest value; it is among them.

        Args:
            candidates: the one with the highest rating first.
            report: called with the fraction done and a note.
        """
        found, highest = list[tuple[_Candidate, StrikeLimit]](), 0.0
        for count, each in enumerate(candidates):
            if found and highest >= each.rating.value:
                break
            report(0.5 + 0.5 * count / (PLANNED + 2), f"planning candidate {count + 1}")
            striker = Striker(self._robot, self.tools[each.mount], each.q, self._drive)
            least = self._rates[0].speed(striker.mass, highest)
            limit = strike_limit(striker, self._target, self._joints, least)
            if limit is not None:
                found.append((each, limit))
                highest = max(highest, self.value(limit))
        return found

    def candidates(self, report: Report) -> tuple[list[_Candidate], int]:
        """Return the candidates, the best first, and how many configurations were reached."""
        screened = []
        for mount, q in self._reached():
            screened.append((self._rates[mount].screened(q), mount, q))
            report(0.15 * min(1.0, len(screened) / DRAWN), f"{len(screened)} poses")
        screened.sort(key=lambda each: -each[0])
        found = [self.start]
        for done, (_, mount, q) in enumerate(screened[:RATED]):
            if (rating := self._rates[mount](q)) is not None:
                found.append(_Candidate(mount, q, rating))
            report(0.15 + 0.1 * done / RATED, f"{len(screened)} poses")
        found.sort(key=_value, reverse=True)
        climbed = []
        for done, each in enumerate(found[:CLIMBED]):
            report(0.25 + 0.25 * done / CLIMBED, f"climb {done + 1} of {CLIMBED}")
            climbed.append(self._climb(each))
        refined = [self._refined(each) for each in climbed]
        return sorted(refined, key=_value, reverse=True), len(screened)

    def _refined(self, each: _Candidate) -> _Candidate:
        return each._replace(rating=self._rates[each.mount].refined(each.q, each.rating))

    def _reached(self) -> Iterator[tuple[int, np.ndarray]]:
        """Yield configurations that reach the place within the cone, with their mounts."""
        for index in range(DRAWN):
            mount = index % len(self.tools)
            reach = self._reaches[mount]
            q = reach.bring(self._place, self._random.uniform(reach.low, reach.high))
            if q is not None:
                yield mount, q

    def _climb(self, start: _Candidate) -> _Candidate:
        """Ascend in random directions, until only tiny steps succeed."""
        best, size = start, FIRST_STEP
        reach, rate = self._reaches[start.mount], self._rates[start.mount]
        for _ in range(STEPS):
            if size < LAST_STEP:
                break
            step = size * self._random.normal(size=len(best.q))
            q = reach.bring(self._place, best.q + step)
            rating = None if q is None else rate(q, best.rating.value)
            if q is None or rating is None:
                size *= _SHRINK
            else:
                best, size = _Candidate(best.mount, q, rating), size * _GROW
        return best


def _mounts(size: float) -> list[tuple[float, float]]:
    """Return the mount of the file, and others around it on two circles."""
    return list(dict.fromkeys([*ring(0.0), *ring(0.5 * size), *ring(size)]))


def _value(each: _Candidate) -> float:
    return each.rating.value
