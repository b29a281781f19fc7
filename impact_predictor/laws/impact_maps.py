# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Impact maps of many impacts at one contact point each, in arrays."""

from __future__ import annotations

from functools import partial
from typing import NamedTuple

import numpy as np

from impact_predictor.impact_result import ContactMode, Flag
from impact_predictor.laws.friction_law import Answers, FrictionLaw

_NONE, _APPROACHING = int(ContactMode.NONE), int(Flag.APPROACHING)


class ImpactMaps(NamedTuple):
    """Results of k impacts, row by row as in :class:`~impact_predictor.ImpactMapResult`."""

    dq_after: np.ndarray  # shape (k, n) [rad/s]
    velocity_before: np.ndarray  # of the contact point, in p, shape (k, 3) [m/s]
    impulse: np.ndarray  # on the robot, in p, shape (k, 3) [N.s]
    mode: np.ndarray  # of :class:`~impact_predictor.ContactMode`, shape (k,)
    flags: np.ndarray  # of :class:`~impact_predictor.Flag`, shape (k,)


def map_many(
    M_x: np.ndarray, J: np.ndarray, dq: np.ndarray, coefficients: np.ndarray, law: FrictionLaw
) -> ImpactMaps:
    """Return :func:`~impact_predictor.impact_map` of k impacts.

    Args:
        M_x: M + B, shape (k, n, n) [kg.m^2].
        J: linear Jacobians of the contact points in p, shape (k, 3, n).
        dq: joint velocities before, shape (k, n) or (n,) [rad/s].
        coefficients: friction and restitution, shape (k, 2) [-].
        law: of friction.

    Raises:
        NoImpulseError: Coulomb's law has no solution.
    """
    from impact_predictor.compiled.mobility import mobilities  # loads slowly

    effect, G, velocity = mobilities(M_x, J, dq.reshape(-1, dq.shape[-1]))
    impulse, mode, flags = _impulses(G, velocity, coefficients, law)
    after = dq + (impulse[:, None] @ effect)[:, 0]
    return ImpactMaps(after, velocity, impulse, mode, flags)


def times(A: np.ndarray, x: np.ndarray) -> np.ndarray:
    """Return A_k x_k for every k."""
    return (A @ x[..., None])[..., 0]


def _impulses(
    G: np.ndarray, velocity: np.ndarray, coefficients: np.ndarray, law: FrictionLaw
) -> Answers:
    """Return impulses (k, 3), modes and flags (k,) of contacts with Delassus matrices (k, 3, 3)."""
    near = velocity[:, 2] < 0.0
    if near.all():
        impulse, mode, flags = (law.solve_many or partial(_one_by_one, law))(
            G, velocity, coefficients
        )
        flags |= _APPROACHING
        return impulse, mode, flags
    impulse = np.zeros_like(velocity)
    mode, flags = np.full(len(G), _NONE), np.zeros(len(G), dtype=int)
    of_near = G[near], velocity[near], coefficients[near]
    impulse[near], mode[near], flags[near] = _impulses(*of_near, law)
    return impulse, mode, flags


def _one_by_one(
    law: FrictionLaw, G: np.ndarray, velocity: np.ndarray, coefficients: np.ndarray
) -> Answers:
    """Return impulses (k, 3), modes and flags (k,) of contacts that all approach."""
    impulse, mode, flags = np.empty_like(velocity), *np.empty((2, len(G)), dtype=int)
    columns = G.tolist(), velocity.tolist(), coefficients.tolist()
    for i, (rows, v, (friction, restitution)) in enumerate(zip(*columns, strict=True)):
        impulse[i], mode[i], flags[i] = law.solve(rows, tuple(v), friction, restitution)
    return impulse, mode, flags
