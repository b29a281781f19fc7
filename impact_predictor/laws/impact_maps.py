# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Impact maps of many impacts at one contact point each, in arrays."""

from __future__ import annotations

from functools import partial
from typing import NamedTuple

import numpy as np

from impact_predictor.impact_result import ContactMode, Flag
from impact_predictor.laws.friction_law import Answers, FrictionLaw


class ImpactMaps(NamedTuple):
    """What k impacts do, row by row as in :class:`~impact_predictor.ImpactMapResult`."""

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
    effect = np.linalg.solve(M_x, np.swapaxes(J, 1, 2))
    velocity = times(J, dq)
    impulse, mode, flags = _impulses(J @ effect, velocity, coefficients, law)
    return ImpactMaps(dq + times(effect, impulse), velocity, impulse, mode, flags)


def times(A: np.ndarray, x: np.ndarray) -> np.ndarray:
    """Return A_k x_k for every k."""
    return (A @ x[..., None])[..., 0]


def _impulses(
    G: np.ndarray, velocity: np.ndarray, coefficients: np.ndarray, law: FrictionLaw
) -> Answers:
    """Return impulses (k, 3), modes and flags (k,) of contacts with Delassus matrices (k, 3, 3)."""
    impulse = np.zeros_like(velocity)
    mode, flags = np.full(len(G), int(ContactMode.NONE)), np.zeros(len(G), dtype=int)
    near = velocity[:, 2] < 0.0
    of_near = G[near], velocity[near], coefficients[near]
    impulse[near], mode[near], more = (law.solve_many or partial(_one_by_one, law))(*of_near)
    flags[near] = more | Flag.APPROACHING
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
