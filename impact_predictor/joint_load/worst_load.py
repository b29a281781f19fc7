# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""The highest load that the ranges of surface and joints allow, by a search over their ends."""

from __future__ import annotations

from collections.abc import Generator, Iterator
from dataclasses import replace
from itertools import product

import numpy as np

from impact_predictor.exceptions import PredictionError
from impact_predictor.joint_load.covered import NEVER, first_speed, reserve
from impact_predictor.joint_load.drive import MEASURED
from impact_predictor.joint_load.elastic_arm import ElasticArm, elastic_arm, links_inverse
from impact_predictor.joint_load.load import DURATION, JointLoad, LoadContact, LoadRun, window
from impact_predictor.joint_load.load_case import (
    HARD,
    LoadCase,
    RatedCase,
    between,
    common_scale,
    scale_ends,
    surface_corners,
)
from impact_predictor.joint_load.load_limits import LoadLimits
from impact_robots.description.joint_ranges import ANNOUNCED, JOINT_RANGES, NOMINAL
from impact_robots.description.named_contact import Cover
from impact_robots.robot import Robot
from impact_robots.state.state import PointState
from impact_robots.surface import Surface

# Loads of different joints, and of different friction, change differently along a path: by a fifth
# within 2 cm in some poses of a Panda.

CLOSE = 0.7  # used fraction of a limit, over the largest one, from which it is considered


def near_limits(used: np.ndarray) -> list[int]:
    """Return the indices of limits with large used fractions, in descending order, (m,)."""
    order = np.argsort(-used, kind="stable")
    return [int(limit) for limit in order if used[limit] >= CLOSE * used[order[0]]]


def near_worst(cases: list[RatedCase]) -> list[RatedCase]:
    """Return the worst case of each limit at each friction, if it is near the worst, that first."""
    used = np.array([each.used for each in cases])
    friction = np.array([each.case.friction for each in cases])
    least, alike = CLOSE * used.max(), [friction == value for value in np.unique(friction)]
    found: dict[int, float] = {}
    for limit in near_limits(used.max(axis=0)):
        for those in alike:
            place = int(np.where(those, used[:, limit], -1.0).argmax())
            if used[place, limit] >= least:
                found[place] = max(used[place, limit], found.get(place, 0.0))
    return [cases[place] for place in sorted(found, key=lambda place: -found[place])]


_TOP, _NEAR = (
    3,
    0.8,
)  # surfaces searched closely, and their minimal fraction of the worst
_LOW, _HIGH = 0, 1


class LoadSearch:
    """Looks for the worst case of an impact along a surface's normal.

    Loads are proportional to the speed at fixed restitution, so one run of a case at 1 m/s gives
    its bound. The worst lies at ends of the ranges but for the stiffness of the surface, of which
    some between are tried: tests draw from the inside. Of the joints first all change alike; then,
    in the worst cases, one after the other, and at last those together that made it worse alone.
    Limits of different joints have different worst cases, so each near one is searched.
    """

    def __init__(
        self,
        robot: Robot,
        surface: Surface,
        *,
        joints: str = ANNOUNCED,
        drive: str = MEASURED,
        duration: float = DURATION,
    ) -> None:
        """Set up.

        Args:
            robot: that gives stiffness, damping and motor inertia of the joints.
            surface: whose ranges count.
            joints: "announced", anywhere in the robot's ranges, or "nominal": as they are in the
                YAML, and of the surface's stiffness the ends and every decade; between these loads
                are up to 5 % higher.
            drive: of the motors, see :func:`elastic_arm`.
            duration: for which an impact is followed [s].

        Raises:
            PredictionError: no such ranges.
        """
        if joints not in JOINT_RANGES:
            choices = ", ".join(JOINT_RANGES)
            raise PredictionError(f"joint ranges: expected one of {choices}, got {joints!r}")
        self.robot, self.surface, self._drive, self._duration = robot, surface, drive, duration
        ends = scale_ends(robot.joint_ranges, robot.dof)
        self._joint_ranges = joints
        self._ends = ends if joints == ANNOUNCED else np.ones_like(ends)
        self._decisive: LoadCase | None = None  # ended the last search that had to be above a speed
        self._arm: ElasticArm | None = None  # in the first state

    def arm(self, point: PointState) -> ElasticArm:
        """Return the nominal arm in a state."""
        state = point.robot_state
        if self._arm is None:
            self._arm = elastic_arm(self.robot, state, self._drive, covered=True)
        return self._arm._replace(M_inverse=links_inverse(self.robot, state))

    def rate(
        self, arm: ElasticArm, point: PointState, limits: LoadLimits, case: LoadCase
    ) -> RatedCase:
        """Return a case with its load at an approach speed of 1 m/s along the normal."""
        rating = self.rating(arm, point, limits, case)
        try:
            while True:
                next(rating).go_on()
        except StopIteration as end:
            found: RatedCase = end.value
        return found

    def rating(
        self,
        arm: ElasticArm,
        point: PointState,
        limits: LoadLimits,
        case: LoadCase,
    ) -> Generator[LoadRun, None, RatedCase]:
        """Return the same, and yield each impact until the caller has followed it to its end."""
        cover = self.robot.cover_at(point.frame)
        J, ahead = self.surface.rotation.T @ point.J[:3], np.array([0.0, 0.0, -1.0])
        duration, reserved = self._duration, 0.0
        if cover is not None:
            mass = arm.mass(J[2])
            duration = window(mass, cover.stiffness, duration)
            reserved = reserve(cover, mass)

        def rate(over: Cover | None) -> Generator[LoadRun, None, RatedCase]:
            law = case.law(covered=over is not None)
            contact = LoadContact(J, ahead, law, case.friction, cover=over)
            run = LoadRun(arm.scaled(case.scale), [contact], duration=duration)
            while not run.over:
                yield run
            return _rated(case, run.load(), limits, reserved)

        if cover is None:
            return (yield from rate(None))
        thick = yield from rate(replace(cover, thickness=NEVER))
        return (yield from first_speed(rate, thick, cover))

    def worst(self, point: PointState, limits: LoadLimits, above: float = 0.0) -> list[RatedCase]:
        """Return all examined cases, the worst first.

        Args:
            point: that hits.
            limits: by which cases are compared.
            above: a speed: a case that allows no more ends the search, so the first one returned
                is the worst only if it allows more; 0: none does [m/s].
        """
        arm, search = self.arm(point), self.cases()
        if above > 0.0 and self._decisive is not None:
            rated = self.rate(arm, point, limits, self._decisive)
            if rated.speed <= above:
                return [rated]
        found: list[RatedCase] = []
        case = next(search)
        while case is not None:
            found.append(self.rate(arm, point, limits, case))
            if 0.0 < above >= found[-1].speed:
                self._decisive = case if self._joint_ranges == NOMINAL else None
                return found[-1:]
            case = search.send(found[-1])
        return sorted(found, key=_speed)

    def cases(self) -> Generator[LoadCase | None, RatedCase, None]:
        """Yield one case after the other, each to be rated and sent back; at the end none."""
        scale, found = common_scale(self._ends, HARD), []
        for corner in surface_corners(self.surface):
            rated = yield LoadCase(*corner, scale)
            found.append(rated)
        if self._joint_ranges == ANNOUNCED:
            for case in self._between(found):
                rated = yield case
                found.append(rated)
            if (self._ends[_LOW] < self._ends[_HIGH]).any():
                yield from self._joints(found)
        yield None

    def _between(self, found: list[RatedCase]) -> list[LoadCase]:
        """Return cases between the grid's stiffnesses, next to those that are nearly the worst."""
        cases = {
            (stiffness, *rated.case[1:3]): rated.case._replace(stiffness=stiffness)
            for rated in near_worst(found)
            for stiffness in between(rated.case.stiffness, self.surface)
        }
        return list(cases.values())

    def _joints(self, found: list[RatedCase]) -> Generator[LoadCase, RatedCase, None]:
        """Yield other joints: at some surfaces all at the same ends, then one by one."""
        for rated in _close(found)[:_TOP]:
            for stiffness, damping, inertia in product((_LOW, _HIGH), repeat=3):
                if (ends := (stiffness, damping, inertia)) != HARD:
                    again = yield rated.case._replace(scale=common_scale(self._ends, ends))
                    found.append(again)
        for start in _close(found)[: _TOP + 1]:
            yield from self._one_by_one(start)

    def _one_by_one(self, start: RatedCase) -> Generator[LoadCase, RatedCase, None]:
        """Yield cases of one changed joint property, then of all changes that were worse."""
        changed, limits = [], set(near_limits(start.used))
        for index, scale in self._single(start.case.scale):
            one = yield start.case._replace(scale=scale)
            changed.append((index, one))
            if one.speed < start.speed:
                limits.add(one.worst)
        for limit in sorted(limits):
            scale = start.case.scale.copy()
            for index, one in changed:
                if one.used[limit] > start.used[limit]:
                    scale[index] = one.case.scale[index]
            yield start.case._replace(scale=scale)

    def _single(self, scale: np.ndarray) -> Iterator[tuple[tuple[int, int], np.ndarray]]:
        """Yield the scales in which one joint's property is at its other end."""
        for index in np.ndindex(*scale.shape):
            low, high = self._ends[:, index[0], index[1]]
            if low < high:
                other = scale.copy()
                other[index] = low if scale[index] == high else high
                yield index, other


def _rated(case: LoadCase, load: JointLoad, limits: LoadLimits, reserved: float) -> RatedCase:
    used = limits.used(load)
    used[used > 0.0] += reserved
    return RatedCase(case, load, used, int(used.argmax()))


def _close(found: list[RatedCase]) -> list[RatedCase]:
    """Return the cases whose joints are varied: those near the worst, then by surface."""
    cases = [*near_worst(found), *_by_surface(found)]
    return list({id(each): each for each in cases}.values())


def _by_surface(found: list[RatedCase]) -> list[RatedCase]:
    """Return the worst case of each surface, if it comes near the worst of all, that first."""
    surfaces: dict[tuple[float, ...], RatedCase] = {}
    for rated in sorted(found, key=_speed):
        surfaces.setdefault(rated.case[:3], rated)
    least = min(each.speed for each in found)
    return [each for each in surfaces.values() if least >= _NEAR * each.speed]


def _speed(rated: RatedCase) -> float:
    return rated.speed
