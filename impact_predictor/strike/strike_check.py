# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Checks a strike beside the search that found it: corners, and draws from all ranges."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice, product
from math import inf
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from impact_predictor.joint_load.load_case import STIFFEST, scale_ends
from impact_predictor.strike.strike_case import CriticalStrike, NailCase, StopCase, StrikeCase
from impact_predictor.strike.strike_loads import StrikeLoads
from impact_predictor.strike.striker import Misalignment
from impact_predictor.strike.surface_cases import surface_cases
from impact_robots.description.joint_ranges import ANNOUNCED
from impact_robots.robot import Robot
from impact_robots.tools.target import Range, Target
from impact_robots.tools.tool import Tool, ToolCase

DRAWS, SEED = 200, 0


class StrikeCheck(NamedTuple):
    """The highest load among cases that the search need not have seen."""

    cases: int  # that were computed
    used: float  # largest fraction of a limit [-]
    case: StrikeCase  # in which it is used

    @property
    def passed(self) -> bool:
        """Whether no limit was exceeded."""
        return self.used <= 1.0


def check_strike(
    loads: StrikeLoads, target: Target, critical: CriticalStrike, speed: float, joints: str
) -> StrikeCheck:
    """Return the highest load of a strike.

    All corners of tool, target and friction, with errors and joints of the worst case, and draws
    from all ranges, half of them from their ends; of a nail about half are a stop.

    Args:
        loads: of arm and tool.
        target: whose ranges count; it has a stop.
        critical: worst case of the search.
        speed: of the head along the axis [m/s].
        joints: "announced", anywhere in the robot's ranges, or "nominal".
    """
    striker = loads.striker
    draws = drawn_strikes(striker.robot, striker.tool, target, np.random.default_rng(SEED), joints)
    cases = [*_corners(loads, target, critical.case), *islice(draws, DRAWS)]
    used = [float(loads.used(each, speed).max()) for each in cases]
    most = int(np.argmax(used))
    return StrikeCheck(len(cases), used[most], cases[most])


def _corners(loads: StrikeLoads, target: Target, worst: StrikeCase) -> Iterator[StrikeCase]:
    ends = loads.striker.tool.corners(), surface_cases(target), sorted(set(target.friction))
    for tool, surface, friction in product(*ends):
        yield worst._replace(tool=tool, surface=surface, friction=friction)


def drawn_strikes(
    robot: Robot,
    tool: Tool,
    target: Target,
    random: np.random.Generator,
    joints: str = ANNOUNCED,
) -> Iterator[StrikeCase]:
    """Yield cases from all ranges without end, every second one from their ends.

    Of a nail about half are a stop.

    Args:
        robot: whose joints' ranges count.
        tool: that strikes.
        target: what is struck; it has a stop.
        random: draws.
        joints: "announced", anywhere in the robot's ranges, or "nominal".
    """
    scales = scale_ends(robot.joint_ranges, robot.dof)
    if joints != ANNOUNCED:
        scales = np.ones_like(scales)
    ends = True
    while True:
        ends = not ends
        draw = _Draw(random, ends)
        stiffness = draw(*tool.stiffness) if tool.gives else inf
        yield StrikeCase(
            ToolCase(float(draw(*tool.mass)), float(stiffness), float(draw(*tool.damping_ratio))),
            draw.surface(target),
            Misalignment(draw.within(tool.off_centre), draw.within(tool.off_angle)),
            float(draw(*target.friction)),
            draw(*scales),
        )


class _Draw(NamedTuple):
    """Draws from ranges."""

    random: np.random.Generator
    ends: bool  # only these

    def __call__(self, low: ArrayLike, high: ArrayLike) -> np.ndarray:
        """Return what lies between, of their shape."""
        share = self.random.uniform(size=np.shape(low))
        return np.asarray(low) + np.subtract(high, low) * (share.round() if self.ends else share)

    def surface(self, target: Target) -> StopCase | NailCase:
        """Return a surface of the target."""
        nail, stop = target.nail, target.stop
        if nail is not None and self.random.integers(2):
            return NailCase(self._stiffness(nail.stiffness), float(self(*nail.resistance)))
        assert stop is not None  # of every target that is planned for
        return StopCase(self._stiffness(stop.stiffness), float(self(*stop.restitution)))

    def _stiffness(self, ends: Range) -> float:
        """Return a stiffness, evenly over its logarithm [N/m]."""
        low, high = ends
        top = high if high < inf else max(low, STIFFEST)
        return float(np.exp(self(np.log(low), np.log(top))))

    def within(self, size: float) -> tuple[float, float]:
        """Return a point of a disc."""
        turn, radius = 2.0 * np.pi * self.random.uniform(), size * np.sqrt(self(0.0, 1.0))
        return float(radius * np.cos(turn)), float(radius * np.sin(turn))
