# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""The highest safe strike with a tool at a configuration, or the gentlest that does what is asked.

In the ranges of tool, target, errors and joints, a miss included.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import product
from typing import NamedTuple

import numpy as np

from impact_predictor.joint_load.drive import MEASURED
from impact_predictor.strike.effect import StrikeEffect, strike_effect
from impact_predictor.strike.joint_speed import ReachedSpeed, joint_speed
from impact_predictor.strike.strike_case import CriticalStrike, NailCase, StrikeCase
from impact_predictor.strike.strike_check import StrikeCheck, check_strike
from impact_predictor.strike.strike_loads import COARSE, StrikeLoads
from impact_predictor.strike.strike_search import StrikeSearch
from impact_predictor.strike.striker import Misalignment, Striker
from impact_predictor.strike.surface_cases import target_cases
from impact_robots.description.joint_ranges import ANNOUNCED
from impact_robots.robot import Robot
from impact_robots.tools.target import IMPULSE, Target
from impact_robots.tools.tool import Tool

RESERVE = 0.2  # of the speed at which the worst case of the search uses up a limit [-]
SPEED_RESERVE = 0.02  # of the speed that joint velocities allow [-]
MOST_STRIKES = 1000  # that are counted
_LEAST_DEPTH = 1e-6  # of a strike that drives a nail at all [m]
_CLOSE = 1e-3  # of the gentlest speed [-]


class RatedEffect(NamedTuple):
    """What a strike does in one case."""

    case: StrikeCase
    effect: StrikeEffect


class StrikeCount(NamedTuple):
    """Strikes to a nail's depth; None: it stops before, or takes more than are counted."""

    low: int | None
    high: int | None


@dataclass(frozen=True, eq=False)
class StrikeLimit:
    """Highest safe speed of a strike at a configuration."""

    striker: Striker
    critical: CriticalStrike  # worst case of all, without the reserve
    miss: CriticalStrike  # worst case on a stop
    reached: ReachedSpeed  # by the joints, without the reserve
    highest: float  # safe speed [m/s]

    @property
    def limited_by_load(self) -> bool:
        """Whether joint loads, not joint speeds, decide the highest speed."""
        return (1.0 - RESERVE) * self.critical.speed < (1.0 - SPEED_RESERVE) * self.reached.speed


@dataclass(frozen=True, eq=False)
class StrikePlan(StrikeLimit):
    """A strike at a configuration."""

    target: Target
    speed: float  # of the head along the axis; 0: none is safe, or none delivers [m/s]
    effects: tuple[RatedEffect, ...]  # at that speed, or the highest if it is 0
    strikes: StrikeCount | None  # to the depth of the nail; none: not asked
    check: StrikeCheck | None  # at the highest speed; none: no speed is safe

    @property
    def safe(self) -> bool:
        """Whether there is a strike that does what is asked, and its check exceeds no limit."""
        return self.speed > 0.0 and self.check is not None and self.check.passed

    def between(self, name: str) -> tuple[float, float]:
        """Return lowest and highest figure of the effects, by its name."""
        figures = [float(getattr(each.effect, name)) for each in self.effects]
        return min(figures, default=0.0), max(figures, default=0.0)


def plan_strike(
    robot: Robot,
    tool: Tool,
    target: Target,
    q: np.ndarray,
    *,
    drive: str = MEASURED,
    joints: str = ANNOUNCED,
) -> StrikePlan:
    """Return the highest safe strike, or with an amount to deliver the gentlest that does.

    Args:
        robot: the arm, whose own tool is replaced.
        tool: that strikes.
        target: what is struck, and what is wanted.
        q: joint positions at the contact, shape (n,) [rad].
        drive: of the motors, see :func:`~impact_predictor.joint_load.elastic_arm.elastic_arm`.
        joints: "announced", anywhere in the robot's ranges, or "nominal".

    Raises:
        PredictionError: the robot's YAML lacks stiffness, damping or inertia of its joints.
    """
    limit = strike_limit(Striker(robot, tool, q, drive), target, joints)
    assert limit is not None  # no limit is below 0
    return plan_below(limit, target, joints)


def strike_limit(
    striker: Striker, target: Target, joints: str = ANNOUNCED, least: float = 0.0
) -> StrikeLimit | None:
    """Return the highest safe speed and what limits it, None if it is found to be too low.

    Args:
        striker: arm and tool.
        target: what is struck.
        joints: as of :func:`plan_strike`.
        least: highest safe speed that is of use [m/s].
    """
    reached = joint_speed(
        striker.robot, striker.point(striker.tool.nominal.mass), striker.direction
    )
    coarse = StrikeLoads(striker, refinement=COARSE)
    found = StrikeSearch(coarse, target, joints).worst(least / (1.0 - RESERVE))
    if found is None:
        return None
    fine = StrikeLoads(striker)
    critical, miss = (fine.critical(each.case) for each in found)
    highest = min((1.0 - RESERVE) * critical.speed, (1.0 - SPEED_RESERVE) * reached.speed)
    return StrikeLimit(striker, critical, miss, reached, highest)


def plan_below(limit: StrikeLimit, target: Target, joints: str = ANNOUNCED) -> StrikePlan:
    """Return the strike that is wanted, no faster than a limit; arguments as above."""
    loads, highest = StrikeLoads(limit.striker), limit.highest
    effects = _effects(loads, limit, target)
    speed = _wanted_speed(effects, target, highest)
    if highest == 0.0:  # gravity alone is too much
        return StrikePlan(
            **vars(limit), target=target, speed=0.0, effects=(), strikes=None, check=None
        )
    found = effects(speed or highest)
    return StrikePlan(
        **vars(limit),
        target=target,
        speed=speed,
        effects=found,
        strikes=_strikes(loads, target, found, speed or highest),
        check=check_strike(loads, target, limit.critical, highest, joints),
    )


def wanted_speed(limit: StrikeLimit, target: Target, highest: float) -> float:
    """Return the speed of the target's wish, no faster than ``highest``; 0: none delivers [m/s]."""
    effects = _effects(StrikeLoads(limit.striker), limit, target)
    return _wanted_speed(effects, target, highest)


def _effects(
    loads: StrikeLoads, limit: StrikeLimit, target: Target
) -> Callable[[float], tuple[RatedEffect, ...]]:
    """Return what gives the effects in all cases at a speed [m/s]."""
    cases = list(_effect_cases(limit.striker.tool, target, (limit.critical, limit.miss)))
    return lambda speed: tuple(
        RatedEffect(each, strike_effect(loads, each, speed)) for each in cases
    )


def _effect_cases(
    tool: Tool, target: Target, worst: tuple[CriticalStrike, ...]
) -> Iterator[StrikeCase]:
    """Yield the ends of tool and target, straight and with the errors of the worst cases."""
    errors = dict.fromkeys([(Misalignment(), 0.0), *((w.case.off, w.case.friction) for w in worst)])
    for (off, friction), case, surface in product(errors, tool.corners(), target_cases(target)):
        yield StrikeCase(case, surface, off, friction)


def _wanted_speed(
    effects: Callable[[float], tuple[RatedEffect, ...]], target: Target, highest: float
) -> float:
    """Return the speed of the wish: the lowest that delivers in every case, 0 if none does."""
    wish = target.wish
    if wish.amount is None or highest == 0.0:
        return highest

    def least(speed: float) -> float:
        name = "impulse" if wish.what == IMPULSE else "peak_force"
        return min(float(getattr(each.effect, name)) for each in effects(speed))

    if least(highest) < wish.amount:
        return 0.0
    low, high = 0.0, highest
    while high - low > _CLOSE * high:
        middle = 0.5 * (low + high)
        low, high = (low, middle) if least(middle) >= wish.amount else (middle, high)
    return high


def _strikes(
    loads: StrikeLoads, target: Target, effects: tuple[RatedEffect, ...], speed: float
) -> StrikeCount | None:
    """Return how many strikes drive the nail to its depth, in the best and in the worst case."""
    nail = target.nail
    if nail is None or nail.depth is None:
        return None
    best, worst = (choose(effects, key=_driven) for choose in (max, min))
    return StrikeCount(*(_count(loads, each.case, speed, nail.depth) for each in (best, worst)))


def _driven(each: RatedEffect) -> tuple[float, float]:
    surface = each.case.surface
    return each.effect.depth, -surface.resistance if isinstance(surface, NailCase) else 0.0


def _count(loads: StrikeLoads, case: StrikeCase, speed: float, depth: float) -> int | None:
    """Return the strikes to a depth, None if the nail stops before, or after too many."""
    nail = case.surface
    assert isinstance(nail, NailCase)  # a target with a depth has one
    for count in range(1, MOST_STRIKES + 1):
        driven = strike_effect(loads, case._replace(surface=nail), speed).depth
        if driven < _LEAST_DEPTH:
            return None
        nail = nail._replace(depth=nail.depth + driven)
        if nail.depth >= depth:
            return count
    return None
