# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""One choice of surface and joint parameters within their ranges."""

from __future__ import annotations

from functools import lru_cache
from itertools import product
from math import ceil, exp, inf, log, log10, sqrt
from typing import NamedTuple

import numpy as np

from impact_predictor.contact_force.free_contact import rebound
from impact_predictor.contact_force.laws import Viscoelastic
from impact_predictor.joint_load.load import JointLoad, NormalLaw, RigidLaw
from impact_robots.description.joint_ranges import ANNOUNCED, JointRanges
from impact_robots.robot import Robot
from impact_robots.state.state import PointState
from impact_robots.surface import Surface

STIFFEST = 1e8  # beyond it a range is taken to its end at once, mostly a rigid surface [N/m]
RIGID_ABOVE = 1e10  # stiffness times mobility, the contact's own frequency squared [1/s^2]
SOFTEST = 1.0  # [N/m]
ELASTIC = 1e-9  # nearer to 1 there is no damping [-]
# ends of joint stiffness, damping and motor inertia, 0 the low one: loads are mostly high, and low
HARD, SOFT = (1, 0, 1), (0, 1, 0)
LEAST_RESTITUTION = 0.01  # below it a contact counts as one of this [-]


class LoadCase(NamedTuple):
    """A surface and joints inside the ranges."""

    stiffness: float  # infinite: rigid [N/m]
    restitution: float  # [-]
    friction: float  # [-]
    scale: np.ndarray  # of stiffness, damping, motor inertia of the joints, shape (3, n) [-]

    def law(self, *, covered: bool = False) -> NormalLaw:
        """Return the law that has this restitution at an approach speed of 1 m/s.

        With the restitution as given, loads are proportional to the speed.

        Args:
            covered: whether a cover is between: that takes no rigid law.
        """
        if covered:
            return viscoelastic(min(self.stiffness, STIFFEST), self.restitution, 1.0)
        return normal_law(self.stiffness, self.restitution, 1.0)


class RatedCase(NamedTuple):
    """A case, its load at an approach speed of 1 m/s, and the used fractions of the limits.

    Where a cover bottoms out below the bound, both are those at the bound over its speed.
    """

    case: LoadCase
    load: JointLoad
    used: np.ndarray  # of each limit, at 1 m/s [s/m]
    worst: int  # index of the limit with the largest used fraction
    bottoms: float = inf  # speed from which a cover bottoms out; infinite: there is none [m/s]

    @property
    def speed(self) -> float:
        """Highest approach speed that keeps all limits in this case [m/s]."""
        most = self.used[self.worst]
        return float(1.0 / most) if most > 0.0 else float("inf")


def normal_law(
    stiffness: float, restitution: float, speed: float, mobility: float = 1.0
) -> Viscoelastic | RigidLaw:
    """Return a rigid law, or the viscoelastic one, with a restitution at an approach speed.

    Where a contact would be over within some 30 us it counts as rigid: steps of time would get
    too many.

    Args:
        stiffness: k, may be infinite [N/m].
        restitution: of a free body [-].
        speed: of approach, above 0 [m/s].
        mobility: of the point along the normal, see :func:`normal_mobility` [1/kg].
    """
    if stiffness * mobility > RIGID_ABOVE:
        return RigidLaw(restitution)
    return viscoelastic(stiffness, restitution, speed)


def normal_mobility(point: PointState, normal: np.ndarray) -> float:
    """Return n^T J M^-1 J^T n of a point and a normal n (3,) in base axes [1/kg]."""
    J = normal @ point.J[:3]
    return float(J @ np.linalg.solve(point.robot_state.M, J))


def viscoelastic(stiffness: float, restitution: float, speed: float) -> Viscoelastic:
    """Return the viscoelastic law of a stiffness with a restitution at an approach speed.

    Args:
        stiffness: k [N/m].
        restitution: of a free body, exact (doc/theory.md); at least .01, below which an impact
            is plastic [-].
        speed: of approach, above 0 [m/s].
    """
    return Viscoelastic(stiffness, _ratio(restitution) * stiffness / speed)


@lru_cache(maxsize=256)
def _ratio(restitution: float) -> float:
    """Return c v/k at which a free body has a restitution [-]."""
    from scipy.optimize import brentq  # loads slowly

    wanted = min(max(restitution, LEAST_RESTITUTION), 1.0)
    if wanted > 1.0 - ELASTIC:
        return 0.0
    return exp(brentq(lambda x: rebound(exp(x)) - wanted, log(1e-12), log(1e4)))


@lru_cache(maxsize=64)
def stiffness_grid(low: float, high: float) -> tuple[float, ...]:
    """Return stiffnesses from low to high, at most a decade apart [N/m].

    A lower end below 1 N/m is replaced by 1 N/m, where the load is negligible.
    """
    low = min(max(low, SOFTEST), high)
    top = min(high, max(STIFFEST, low))
    if low == high:
        return (low,)
    steps = max(2, ceil(log10(top / low)))
    grid = tuple(np.geomspace(low, top, steps + 1).tolist())
    return (*grid, inf) if high > top else grid


def surface_corners(surface: Surface) -> list[tuple[float, float, float]]:
    """Return stiffness, restitution and friction where the search for the worst case begins."""
    stiffness = stiffness_grid(*surface.stiffness)
    ends = sorted(set(surface.restitution)), sorted(set(surface.friction))
    return list(product(stiffness, *ends))


def between(stiffness: float, surface: Surface) -> list[float]:
    """Return stiffnesses at half distance to the neighbours in the grid [N/m]."""
    grid = [k for k in stiffness_grid(*surface.stiffness) if k < inf]
    if stiffness not in grid:
        return []
    i = grid.index(stiffness)
    return [
        sqrt(stiffness * k)
        for k in (grid[max(i - 1, 0)], grid[min(i + 1, len(grid) - 1)])
        if k != stiffness
    ]


def scale_ends(ranges: JointRanges, n: int) -> np.ndarray:
    """Return lowest and highest scales of n joints, shape (2, 3, n) [-]."""
    each = ranges.stiffness, ranges.damping, ranges.motor_inertia
    return np.stack([np.broadcast_to(bounds, (2, n)) for bounds in each], axis=1)


def common_scale(ends: np.ndarray, which: tuple[int, int, int]) -> np.ndarray:
    """Return the scale of joints that are all at the same of their ``ends``, shape (3, n) [-]."""
    return np.stack([ends[end, row] for row, end in enumerate(which)])


def joint_ends(robot: Robot, joints: str) -> list[np.ndarray]:
    """Return joints that make loads high and low; one if they are known, or not to vary.

    Drawn arms stay between these two within a few percent.

    Args:
        robot: whose ranges count.
        joints: "announced" or "nominal".

    Returns:
        scales of stiffness, damping and motor inertia, each of shape (3, n) [-].
    """
    ends = scale_ends(robot.joint_ranges, robot.dof)
    if joints != ANNOUNCED or (ends == 1.0).all():
        return [np.ones_like(ends[0])]
    return [common_scale(ends, each) for each in (HARD, SOFT)]
