# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Strikes until a nail is driven: speed by the planner, approach, contact, return, again."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from math import inf
from typing import NamedTuple

import numpy as np

from impact_predictor.strike.effect import strike_effect
from impact_predictor.strike.pose_search import strike_poses
from impact_predictor.strike.strike_case import NailCase, StrikeCase
from impact_predictor.strike.strike_loads import StrikeLoads
from impact_predictor.strike.strike_plan import plan_strike
from impact_predictor.strike.striker import Striker
from impact_predictor.strike.surface_cases import middle_surface
from impact_predictor.strike.tap_fit import Tap
from impact_qp.control.plan import Plan
from impact_qp.learning.wall_approach import WallApproach
from impact_qp.limits import ApproachSpeedLimit
from impact_qp.strike.strike_approach import strike_controller
from impact_qp.strike.strike_planner import SafeStrike, StrikePlanner
from impact_qp.strike.strike_series import StrikeSeries
from impact_robots.exceptions import ImpactError
from impact_robots.kinematics import inverse_kinematics
from impact_robots.tools.tool import Tool
from impact_trials.strikes.hammer_nail import HammerNail
from impact_trials.strikes.strike_bench import Record, Strike, StrikeBench

MOST_STRIKES = 60  # of a run
RUN_UP, LONG_RUN_UP = 0.03, 0.3  # of the slow and of the fast [m]
KEPT = 0.04, 0.08  # recorded before and after the contact [s]
EXAMINED = 3  # poses


class NailStrike(NamedTuple):
    """One strike of a run."""

    safe: SafeStrike
    strike: Strike
    measured_depth: float  # of the nail before it, by the joints [m]


class NailRun:
    """One way to drive the nail of a scenario.

    Attributes:
        planner: of the speeds.
        series: of the strikes.
        simulation: of the true arm, tool and nail.
        bench: where it strikes.
    """

    def __init__(
        self,
        world: HammerNail,
        tool: Tool,
        *,
        published: bool = False,
        learns: bool = False,
        q: np.ndarray | None = None,
        seed: int = 0,
    ) -> None:
        """Set up.

        Args:
            world: the scenario.
            tool: of it, as announced.
            published: the speed is that of the published bound, not that of joint loads.
            learns: learn tool and nail from the strikes.
            q: joint positions at the nail, shape (n,) [rad]; none: those of the scenario.
            seed: of the sensors' noise.

        Raises:
            RobotError: the start of the strike is out of reach.
        """
        self.world, self.tool = world, tool
        self.q = np.array(world.q if q is None else q)
        kind = PublishedPlanner if published else StrikePlanner
        self.planner = kind(world.robot, tool, world.target, learns=learns)
        self._run_up = LONG_RUN_UP if tool.gives else RUN_UP
        self._start = inverse_kinematics(world.arm, self.q, -self._run_up * world.direction)
        self.simulation = world.simulation(tool, seed)
        surface = world.surface(0.0)
        self.series = StrikeSeries(
            world.arm, self.planner, self._start, surface, self._run_up, q=self.q
        )
        striker = Striker(world.robot, tool, self.q)
        self.bench = StrikeBench(self.simulation, striker, self._start)

    def approach(self, depth: float) -> WallApproach:
        """Return the approach of a strike on the nail at a depth [m]."""
        return self.series.approach(depth)

    def strikes(self, record: Record | None = None) -> Iterator[NailStrike]:
        """Yield strikes until the nail is found at its depth, or there have been too many.

        Args:
            record: called with each cycle and its command.

        Raises:
            ImpactError: a strike is not possible, or the arm does not return.
        """
        series = self.series
        for _ in range(MOST_STRIKES):
            approach, safe, speed, pulse = series.next()
            if not speed > 0.0:
                return
            controller = strike_controller(approach, speed, series.window, pulse)
            strike = self.bench.strike(controller, record)
            if strike.contact is not None:
                series.learn(strike.rows, strike.contact)
            yield NailStrike(safe, strike, series.depth)
            if strike.fault or self.planner.problem or series.done:
                return


class PublishedPlanner(StrikePlanner):
    """Plans strikes at the published bound, whatever they show."""

    def plan(self, approach: WallApproach, deep: WallApproach, highest: float = inf) -> SafeStrike:
        """Return the speed of the bound at the arm's pose at the contact."""
        return SafeStrike(min(published_speed(approach), highest), 1.0)

    def remember(self, tap: Tap, used: float) -> None:
        """Compare nothing."""

    def learn(self, tap: Tap, used: float) -> None:
        """Learn nothing."""


def published_speed(approach: WallApproach) -> float:
    """Return the speed that the published bound allows an approach [m/s]."""
    limit = Plan(approach.contact, "robust").impact_limit(approach.robot, 1e-3)
    assert isinstance(limit, ApproachSpeedLimit)  # robust is one
    return limit.speed_bound(approach.point).speed


def best_pose(world: HammerNail, progress: Callable[[float], None] = lambda _: None) -> np.ndarray:
    """Return the pose in which a strike drives the nail deepest, shape (n,) [rad].

    Of that of the scenario and the three best by the cheap form from which the arm can strike, each
    at its highest safe speed, on the nail half driven.

    Args:
        world: the scenario.
        progress: called with the fraction done.

    Raises:
        ImpactError: there is none.
    """
    rated = strike_poses(world.robot, world.tool, world.place, world.direction)
    found: list[tuple[float, np.ndarray]] = []
    for q in (np.array(world.q), *(each.q for each in rated)):
        try:
            fastest = NailRun(world, world.tool, q=q).approach(0.0).fastest
        except ImpactError:  # out of reach
            continue
        found.append((_driven(world, q, fastest), q))
        progress(len(found) / (EXAMINED + 1))
        if len(found) > EXAMINED:
            break
    if not found:
        raise ImpactError("hammer_nail: expected a pose to strike from, found none")
    return max(found, key=lambda each: each[0])[1]


def _driven(world: HammerNail, q: np.ndarray, fastest: float) -> float:
    """Return how deep a strike at a pose is expected to drive the nail [m]."""
    plan = plan_strike(world.robot, world.tool, world.target, q)
    nail, wanted = middle_surface(world.target), world.target.nail
    assert isinstance(nail, NailCase)  # as in the scenario's file
    nail = nail._replace(depth=0.5 * ((wanted and wanted.depth) or 0.0))
    case, speed = StrikeCase(world.tool.nominal, nail), min(plan.highest, fastest)
    return strike_effect(StrikeLoads(plan.striker), case, speed).depth
