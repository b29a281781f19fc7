# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""The worst strike within the ranges of tool, target, errors and joints."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import product
from typing import NamedTuple

import numpy as np

from impact_predictor.joint_load.load_case import HARD, SOFT, common_scale, scale_ends
from impact_predictor.strike.strike_case import CriticalStrike, NailCase, StopCase, StrikeCase
from impact_predictor.strike.strike_loads import StrikeLoads
from impact_predictor.strike.striker import Misalignment
from impact_predictor.strike.surface_cases import surface_cases
from impact_robots.description.joint_ranges import ANNOUNCED
from impact_robots.tools.target import Target

STARTS, NEAR = 3, 1.5  # cases from which the search climbs, their speed over the lowest [-]
GAIN = 1e-3  # of the speed, below which a round ends the climb [-]
_TURNS = np.arange(8) * np.pi / 4.0


class WorstCases(NamedTuple):
    """The worst cases within the ranges."""

    critical: CriticalStrike  # of all
    miss: CriticalStrike  # of a stop


class StrikeSearch:
    """Looks for the case with the lowest first critical speed.

    The worst lies at ends of the ranges. First all ends of tool and stop, with joints at which
    loads are mostly high; from the worst of several limits errors and friction, tool and surface,
    and joints are varied in turn, until nothing lowers the speed. Nails begin with what made a stop
    the worst: they are elastic until they yield, so one of them can be worse than any stop.
    """

    def __init__(self, loads: StrikeLoads, target: Target, joints: str = ANNOUNCED) -> None:
        """Set up.

        Args:
            loads: of arm and tool.
            target: whose ranges count; it has a stop.
            joints: "announced", anywhere in the robot's ranges, or "nominal".
        """
        tool, robot = loads.striker.tool, loads.striker.robot
        ends = scale_ends(robot.joint_ranges, robot.dof)
        self._loads = loads
        self._ends = ends if joints == ANNOUNCED else np.ones_like(ends)
        self._tools, surfaces = tool.corners(), surface_cases(target)
        self._stops = [each for each in surfaces if isinstance(each, StopCase)]
        self._nails = [each for each in surfaces if isinstance(each, NailCase)]
        self._friction = sorted(set(target.friction))
        self._offsets, self._tilts = ring(tool.off_centre), ring(tool.off_angle)

    def worst(self, least: float = 0.0) -> WorstCases | None:
        """Return the worst case of all, and of a stop: of a wall, or of a miss.

        Args:
            least: None is returned as soon as a case is below this speed [m/s].
        """
        hard = common_scale(self._ends, HARD)
        cases = product(self._tools, self._stops, self._friction)
        found = [
            self._loads.critical(StrikeCase(tool, stop, friction=friction, scale=hard))
            for tool, stop, friction in cases
        ]
        groups = self._beside, self._tilted, self._struck, self._joints
        climbed = list[CriticalStrike]()
        for each in _starts(found):
            climbed.append(self._climbed(each, groups))
            if climbed[-1].speed < least:
                return None
        stop = min(climbed, key=_speed)
        others = [self._near_stop(each) for each in self._to_other_sides(stop.case)]
        other = min(others, key=_speed)
        if other.speed < stop.speed:
            stop = self._climbed(other, groups)
        if stop.speed < least:
            return None
        return WorstCases(self._worst_nail(stop, others), stop)

    def _to_other_sides(self, case: StrikeCase) -> Iterator[CriticalStrike]:
        """Yield a case with its errors, the opposite ones and none, the last two with friction.

        Errors and friction of a climb from one side can end at a limit that is not the worst.
        """
        most = self._friction[-1]
        sides = (case.off, case.friction), (case.off.opposite, most), (Misalignment(), most)
        for off, friction in sides:
            scale = common_scale(self._ends, HARD)
            yield self._loads.critical(case._replace(off=off, friction=friction, scale=scale))

    def _worst_nail(self, stop: CriticalStrike, others: Sequence[CriticalStrike]) -> CriticalStrike:
        """Return the worst case of all: of a nail, or the stop.

        Nails begin with what made stops the worst, to any side: which limit a nail reaches before
        it yields need not be the stop's.
        """
        if not self._nails:
            return stop
        worst = stop.case
        cases = worst, worst._replace(off=Misalignment(), friction=self._friction[0])
        scales = worst.scale, *(common_scale(self._ends, each) for each in (HARD, SOFT))
        starts = [case._replace(scale=scale) for case, scale in product(cases, scales)]
        starts += [each.case for each in others]
        nails = [case._replace(surface=nail) for case, nail in product(starts, self._nails)]
        found = self._loads.lowest(nails, stop)
        found = self._loads.lowest((found.case._replace(tool=each) for each in self._tools), found)
        groups = self._beside, self._tilted, self._joints
        return found if found is stop else self._climbed(found, groups)

    def _near_stop(self, case: CriticalStrike) -> CriticalStrike:
        """Return a case near one of a stop that is worse, of a stop."""
        return self._one_by_one(self._loads.lowest(self._struck(case.case), case))

    def near(self, case: CriticalStrike) -> CriticalStrike:
        """Return a case near one of a stop that is worse; not the worst of all."""
        found = self._near_stop(case)
        nails = (found.case._replace(surface=nail) for nail in self._nails)
        return self._loads.lowest(nails, found)

    def _climbed(
        self,
        start: CriticalStrike,
        groups: Sequence[Callable[[StrikeCase], Iterator[StrikeCase]]],
    ) -> CriticalStrike:
        """Return a case that no change of one group of its parameters makes worse."""
        best = start
        while True:
            before = best.speed
            for group in groups:
                best = self._loads.lowest(group(best.case), best)
            best = self._one_by_one(best)
            if best.speed > (1.0 - GAIN) * before:
                return best

    def _beside(self, case: StrikeCase) -> Iterator[StrikeCase]:
        """Yield the case with all offsets and frictions."""
        for offset, friction in product(self._offsets, self._friction):
            yield case._replace(off=case.off._replace(offset=offset), friction=friction)

    def _tilted(self, case: StrikeCase) -> Iterator[StrikeCase]:
        """Yield the case with all tilts and frictions."""
        for tilt, friction in product(self._tilts, self._friction):
            yield case._replace(off=case.off._replace(tilt=tilt), friction=friction)

    def _struck(self, case: StrikeCase) -> Iterator[StrikeCase]:
        """Yield the case with all tools and stops."""
        for tool, stop in product(self._tools, self._stops):
            yield case._replace(tool=tool, surface=stop)

    def _joints(self, case: StrikeCase) -> Iterator[StrikeCase]:
        """Yield the case with joints that are all at the same ends."""
        if (self._ends[0] < self._ends[1]).any():
            for ends in product((0, 1), (0, 1), (0, 1)):
                yield case._replace(scale=common_scale(self._ends, ends))

    def _one_by_one(self, start: CriticalStrike) -> CriticalStrike:
        """Return the case with all those changes of one joint that are worse alone."""
        assert start.case.scale is not None  # of every case here
        together, worse = start.case.scale.copy(), [start]
        for index in np.ndindex(*together.shape):
            low, high = self._ends[:, index[0], index[1]]
            if low < high:
                scale = start.case.scale.copy()
                scale[index] = low if scale[index] == high else high
                one = self._loads.critical(start.case._replace(scale=scale), start.speed)
                if one.speed < start.speed:
                    together[index] = scale[index]
                    worse.append(one)
        return self._loads.lowest([start.case._replace(scale=together)], min(worse, key=_speed))


def ring(size: float) -> list[tuple[float, float]]:
    """Return the middle and eight points around it."""
    around = [tuple(np.round([size * np.cos(a), size * np.sin(a)], 12).tolist()) for a in _TURNS]
    return [(0.0, 0.0), *around] if size > 0.0 else [(0.0, 0.0)]


def _starts(found: Sequence[CriticalStrike]) -> Iterable[CriticalStrike]:
    """Return the worst case of each limit, if it is near the worst."""
    of_limit: dict[int, CriticalStrike] = {}
    for each in sorted(found, key=_speed):
        of_limit.setdefault(each.limit, each)
    starts = list(of_limit.values())
    return [each for each in starts[:STARTS] if each.speed <= NEAR * starts[0].speed]


def _speed(each: CriticalStrike) -> float:
    return each.speed
