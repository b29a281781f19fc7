# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Best poses planned in all ranges and in their middles, both judged under drawn truths."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from itertools import islice
from math import sqrt
from time import process_time
from typing import NamedTuple, TypeVar

import numpy as np

from impact_predictor.strike.effect import strike_effect
from impact_predictor.strike.strike_case import NailCase, StrikeCase
from impact_predictor.strike.strike_loads import StrikeLoads
from impact_predictor.strike.strike_plan import StrikePlan, plan_strike
from impact_predictor.strike.surface_cases import middle_surface
from impact_qp.strike.best_strike import best_strike
from impact_robots import Robot, load_robot
from impact_robots.description.joint_ranges import NOMINAL
from impact_robots.surface import middle
from impact_robots.tools.target import HardStop, Nail, Range, Target
from impact_robots.tools.tool import Tool
from impact_trials.processes import check_stopped
from impact_trials.strikes.coasted_strike import CoastedStrike, CoastingArm
from studies.hammer.strike_draw import draw_pose, draw_target, draw_tool, draw_truths

ROBOT = "panda"
TRUTHS = 20  # of a set-up, half of them at the ends of the ranges
STREAM = 1  # of the random numbers, beside those of truths that are struck in closed loop
START, PROMISED, NOMINAL_POSE, BEST = (
    *("start", "nominal optimum as promised"),
    *("nominal optimum at its safe speed", "optimum in all ranges"),
)
PLANS = START, PROMISED, NOMINAL_POSE, BEST
SAFE = START, NOMINAL_POSE, BEST  # planned in all ranges
Planned = TypeVar("Planned")


class JudgedStrike(NamedTuple):
    """A strike as planned, in the plant of a drawn truth."""

    plan: str
    nail: bool  # else a stop
    used: float  # largest fraction of a limit of the joints [-]
    work: float  # on the nail [J]


class WorstStrike(NamedTuple):
    """The case in which a plan's own check found the highest load, as fractions of a limit [-]."""

    modelled: float
    used: float  # in the plant


class JudgedOptimum(NamedTuple):
    """One set-up."""

    plan_s: float  # processor time of the plan at the start [s]
    optimize_s: float  # of the best pose in all ranges [s]
    speeds: tuple[float, ...]  # of PLANS [m/s]
    promised_work: float  # of the nominal optimum on the nominal nail [J]
    worst: tuple[WorstStrike, ...]  # of each of SAFE
    strikes: tuple[JudgedStrike, ...]


def optimum(seed: int, number: int) -> JudgedOptimum:
    """Draw announcements and a pose from which a strike is safe, plan, and judge the plans.

    Args:
        seed: of the study.
        number: of the set-up.
    """
    robot, random = load_robot(ROBOT), np.random.default_rng([seed, number, STREAM])
    while True:
        check_stopped()
        tool, target = draw_tool(random), draw_target(random)
        q = draw_pose(robot, tool, random)
        start, plan_s = _timed(partial(plan_strike, robot, tool, target, q))
        if start.safe:
            break
    best, optimize_s = _timed(partial(best_strike, robot, tool, target, q))
    exact_tool, exact = exact_of(tool, target)
    nominal = best_strike(robot, exact_tool, exact, q, joints=NOMINAL).plan
    safe = plan_strike(robot, tool, target, nominal.striker.q)
    plans = dict(zip(PLANS, (start, nominal, safe, best.plan), strict=True))
    strikes = _judged(robot, tool, target, plans, random)
    speeds = tuple(float(each.highest) for each in plans.values())
    worst = [_worst(robot, tool, plans[name]) for name in SAFE]
    promise = _promised_work(nominal)
    return JudgedOptimum(plan_s, optimize_s, speeds, promise, tuple(worst), strikes)


def _timed(make: Callable[[], Planned]) -> tuple[Planned, float]:
    start = process_time()
    made = make()
    return made, process_time() - start


def exact_of(tool: Tool, target: Target) -> tuple[Tool, Target]:
    """Return tool and target in the middle of their ranges, without errors of the hit."""
    exact = replace(
        tool,
        mass=_middles(tool.mass),
        stiffness=_middles(tool.stiffness),
        damping_ratio=_middles(tool.damping_ratio),
        off_centre=0.0,
        off_angle=0.0,
    )
    nail, stop = target.nail, target.stop
    assert nail is not None  # of drawn targets
    assert stop is not None  # the same
    return exact, replace(
        target,
        nail=Nail(_middles(nail.resistance), _centre(nail.stiffness), nail.depth),
        stop=HardStop(_centre(stop.stiffness), _middles(stop.restitution)),
        friction=_middles(target.friction),
    )


def _middles(bounds: Range) -> Range:
    return (middle(bounds),) * 2


def _centre(stiffness: Range) -> Range:
    return (sqrt(stiffness[0] * stiffness[1]),) * 2


def _worst(robot: Robot, tool: Tool, plan: StrikePlan) -> WorstStrike:
    check = plan.check
    if check is None:
        return WorstStrike(0.0, 0.0)
    return WorstStrike(check.used, _struck(robot, tool, plan, check.case).used)


def _promised_work(plan: StrikePlan) -> float:
    case = StrikeCase(plan.striker.tool.nominal, middle_surface(plan.target))
    return float(strike_effect(StrikeLoads(plan.striker), case, plan.highest).work)


def _judged(
    robot: Robot,
    tool: Tool,
    target: Target,
    plans: dict[str, StrikePlan],
    random: np.random.Generator,
) -> tuple[JudgedStrike, ...]:
    """Return the strikes of all plans in the plants of all truths."""
    found = []
    for ends in (False, True):
        truths = draw_truths(robot, tool, target, random, ends=ends)
        for case in islice(truths, TRUTHS // 2):
            for name, plan in plans.items():
                check_stopped()
                struck = _struck(robot, tool, plan, case)
                nail = isinstance(case.surface, NailCase)
                found.append(JudgedStrike(name, nail, struck.used, struck.work))
    return tuple(found)


def _struck(robot: Robot, tool: Tool, plan: StrikePlan, case: StrikeCase) -> CoastedStrike:
    if not plan.highest > 0.0:
        none = np.zeros(robot.dof)
        return CoastedStrike(none, none, 0.0, 0.0)
    return CoastingArm(robot, tool, plan.striker.q, case).strike(case.surface, plan.highest)
