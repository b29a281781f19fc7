# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""The set of impulses that an impact can exert, in contact axes p.

Wang 2023, section 4: full reference in doc/theory.md. An impulse
[N.s] acts on the robot; z of p is the outward normal of the surface, so v_n < 0 in approach.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

import numpy as np

from impact_predictor.exceptions import NotApproachingError, UnboundedSetError
from impact_predictor.sets.polytope import Polytope
from impact_robots.exceptions import OutOfRangeError
from impact_robots.robot import read_only
from impact_robots.validation import finite_array, friction_coefficient, restitution_range

AXES = ("x", "y", "z")
MAX_FACETS = 1000


def friction_pyramid(
    friction: float, generators: int = 8, circumscribed: bool = False
) -> np.ndarray:
    """Return the edges K of the friction pyramid in p, shape (3, N); Wang 2023 (7), (8).

    Every column has a normal part of 1; the first lies along x. Without friction all columns are
    the normal.

    Args:
        friction: coefficient mu >= 0 [-].
        generators: number N of edges and of facets, 3 to 1000.
        circumscribed: the pyramid contains Coulomb's cone (to promise a bound) instead of lying
            inside it (as published, which leaves out 10 % of the cone's section for N = 8).

    Raises:
        OutOfRangeError: friction negative or not finite, or generators out of range.
    """
    return _pyramid(friction_coefficient(friction), _number(generators), bool(circumscribed))[0]


def unit_impulses(
    W: np.ndarray,
    friction: float,
    restitution: Sequence[float],
    generators: int = 8,
    circumscribed: bool = False,
) -> np.ndarray:
    """Return the extreme impulses in p per unit of approach speed -v_n, shape (3, 2N) [N.s/(m/s)].

    Column j is (1 + low) K_j/(z^T W K_j) and column N + j the same with high: the vertices of
    Wang 2023 (7)-(11), which scale with the approach speed. Columns repeat if low is high or
    without friction.

    Args:
        W: inverse inertia in p, shape (3, 3) [1/kg].
        friction: coefficient mu >= 0 [-].
        restitution: range (low, high) of the coefficient of restitution [-].
        generators: number N of facets of the pyramid, 3 to 1000.
        circumscribed: pyramid around Coulomb's cone instead of inside it.

    Raises:
        OutOfRangeError: an argument is out of its range.
        UnboundedSetError: z^T W K_j <= 0 for an edge.
    """
    W = finite_array(W, (3, 3), "inverse inertia")
    low, high = restitution_range(restitution)
    K = friction_pyramid(friction, generators, circumscribed)
    per_force = W[2] @ K
    if np.any(per_force <= 1e-9 * abs(W[2, 2])) or W[2, 2] <= 0.0:
        raise _unbounded(W, K[0, 0])
    unit = K / per_force
    return np.hstack([(1 + low) * unit, (1 + high) * unit])


def impulse_set(
    W: np.ndarray,
    friction: float,
    restitution: Sequence[float],
    normal_velocity: float,
    generators: int = 8,
    circumscribed: bool = False,
) -> Polytope:
    """Return the impulses that are possible at ``normal_velocity``, in p [N.s]; Wang 2023 (12).

    The friction pyramid cut by two planes: z^T W iota lies between -(1 + low) v_n and
    -(1 + high) v_n, Wang 2023 (10), (11). Flat if low is high; a segment of the normal without
    friction.

    Args:
        W: inverse inertia in p, shape (3, 3) [1/kg].
        friction: coefficient mu >= 0 [-].
        restitution: range (low, high) of the coefficient of restitution [-].
        normal_velocity: v_n of the contact point before the impact, negative [m/s].
        generators: number N of facets of the pyramid, 3 to 1000.
        circumscribed: pyramid around Coulomb's cone instead of inside it.

    Raises:
        NotApproachingError: v_n is not negative: no impact, and no impulse.
        OutOfRangeError: an argument is out of its range.
        UnboundedSetError: z^T W K_j <= 0 for an edge.
    """
    normal_velocity = float(finite_array(normal_velocity, (), "normal_velocity"))
    if normal_velocity >= 0.0:
        raise NotApproachingError(normal_velocity)
    unit = unit_impulses(W, friction, restitution, generators, circumscribed)
    facets = friction_half_spaces(friction, generators, circumscribed)
    planes, levels = restitution_half_spaces(W, restitution, normal_velocity)
    A, b = np.vstack([facets, planes]), np.concatenate([np.zeros(generators), levels])
    return Polytope(A, b, -normal_velocity * unit.T, "impulse", "N.s", AXES)


def compression_set(
    W: np.ndarray,
    friction: float,
    normal_velocity: float,
    generators: int = 8,
    circumscribed: bool = False,
) -> Polytope:
    """Return the impulses up to the end of compression, X_mu and X_comp, in p [N.s]; Wang 2023 (9).

    Flat: those that stop the approach, v_n + z^T W iota = 0. Arguments and errors are those of
    :func:`impulse_set`.
    """
    impulses = impulse_set(W, friction, (0.0, 0.0), normal_velocity, generators, circumscribed)
    return impulses.scaled(1.0, name="compression_impulse", unit="N.s")


def friction_half_spaces(
    friction: float, generators: int = 8, circumscribed: bool = False
) -> np.ndarray:
    """Return the rows a of the pyramid X_mu = {a . iota <= 0}, shape (N, 3); Wang 2023 (8).

    The pyramid is unbounded, so it has no vertices but zero; its edges are those of
    :func:`friction_pyramid`. Arguments and errors are the same.
    """
    return _pyramid(friction_coefficient(friction), _number(generators), bool(circumscribed))[1]


def restitution_half_spaces(
    W: np.ndarray, restitution: Sequence[float], normal_velocity: float
) -> tuple[np.ndarray, np.ndarray]:
    """Return A (2, 3) and b (2,) of X_res = {A iota <= b}, an unbounded slab; Wang 2023 (10), (11).

    -(1 + low) v_n <= z^T W iota <= -(1 + high) v_n.

    Args:
        W: inverse inertia in p, shape (3, 3) [1/kg].
        restitution: range (low, high) of the coefficient of restitution [-].
        normal_velocity: v_n of the contact point before the impact, negative [m/s].

    Raises:
        OutOfRangeError: the range is invalid.
    """
    low, high = restitution_range(restitution)
    planes = np.stack([W[2], -np.asarray(W[2])])
    return planes, np.array([-(1 + high) * normal_velocity, (1 + low) * normal_velocity])


@lru_cache(maxsize=64)
def _pyramid(friction: float, number: int, circumscribed: bool) -> tuple[np.ndarray, np.ndarray]:
    """Return edges (3, N) and rows of half-spaces (N, 3), read-only."""
    radius = friction / np.cos(np.pi / number) if circumscribed else friction
    angle = 2 * np.pi / number * np.arange(number)
    edges = np.stack([radius * np.cos(angle), radius * np.sin(angle), np.ones(number)])
    angle = angle + np.pi / number
    slope = np.full(number, -radius * np.cos(np.pi / number))
    return read_only(edges), read_only(np.stack([np.cos(angle), np.sin(angle), slope], axis=1))


def _number(generators: int) -> int:
    """Return the number of facets."""
    whole = isinstance(generators, (int, np.integer))
    if not (whole and 3 <= generators <= MAX_FACETS):
        raise OutOfRangeError("generators", f"an integer from 3 to {MAX_FACETS}", generators)
    return int(generators)


def _unbounded(W: np.ndarray, radius: float) -> UnboundedSetError:
    """Return the error for a pyramid that is too wide for W."""
    coupling = np.hypot(W[2, 0], W[2, 1])
    largest = max(W[2, 2], 0.0) / coupling if coupling > 0.0 else 0.0
    return UnboundedSetError(float(radius), float(largest))
