# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Impulses of many contacts with friction: pinocchio's ADMM solver, then Newton, then a check.

Pinocchio's solver (Carpentier et al. 2024; Le Lidec et al. 2024) finds which contacts open, stick
and slide; Newton's method refines the solution. It is accepted by the residual computed here.
PGS is not used: over-relaxed it diverges, and without it reported success for wrong solutions.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np
import pinocchio as pin

from impact_predictor.exceptions import UnsolvedImpactError
from impact_predictor.multicontact.cone_newton import polish
from impact_predictor.multicontact.friction_cone import Residuals, project, residuals

# Penalty rho, memory of Anderson's acceleration, iterations; the next if the one before failed.
_ATTEMPTS = ((1.0, 0, 300), (0.1, 0, 2000), (1.0, 10, 2000), (0.03, 0, 4000), (0.01, 0, 10000))
_ACCURACY = 1e-12  # tolerances of pinocchio's solver, absolute and relative, scaled
_MOBILITY = 1e-13  # fraction of the largest block's trace below which a contact cannot move


def solve_contacts(
    G: np.ndarray, g: np.ndarray, friction: np.ndarray, tolerance: float
) -> tuple[np.ndarray, Residuals, int]:
    """Return impulses (3k,) [N.s], their residuals and pinocchio's iterations.

    Contacts are scaled to a unit Delassus block each, which the cones do not notice, so a contact
    between heavy bodies counts as much as one between light ones.

    Args:
        G: Delassus matrix, symmetric, positive semidefinite, shape (3k, 3k) [1/kg].
        g: velocities that no impulse would leave, restitution included, shape (3k,) [m/s].
        friction: coefficient of each contact, shape (k,) [-].
        tolerance: largest accepted ``fixed_point`` and ``cone`` residual [-].

    Raises:
        UnsolvedImpactError: no solution within ``tolerance`` was found.
    """
    if (g[2::3] >= 0.0).all():  # zero impulses; pinocchio does not find this solution
        return np.zeros_like(g), Residuals(0.0, 0.0, 0.0, 0.0), 0
    scale = _scale(G)
    scaled_g = scale * g
    speed = float(np.abs(scaled_g).max())
    if speed == 0.0:
        return np.zeros_like(g), Residuals(0.0, 0.0, 0.0, 0.0), 0
    scaled_G, scaled_g = scale[:, None] * G * scale, scaled_g / speed
    least, iterations = Residuals(*[np.inf] * 4), 0
    for rho, memory, limit in _ATTEMPTS:
        iota, used = _admm(scaled_G, scaled_g, friction, rho, memory, limit)
        iterations += used
        if not np.isfinite(iota).all():
            continue
        iota = _inside(polish(scaled_G, scaled_g, friction, iota), friction)
        found = residuals(scaled_G, scaled_g, friction, iota)
        if found.fixed_point < least.fixed_point:
            best, least = iota, found
        if least.fixed_point <= tolerance:
            return speed * scale * best, least, iterations
    raise UnsolvedImpactError(G, g, friction, least)


def _scale(G: np.ndarray) -> np.ndarray:
    """Return one factor per row, equal within a contact, that makes each block's mean 1."""
    trace = np.diag(G).reshape(-1, 3).sum(axis=1) / 3
    moves = trace > _MOBILITY * trace.max()
    return np.repeat(1.0 / np.sqrt(np.where(moves, trace, max(trace.max(), 1e-300))), 3)


def _inside(iota: np.ndarray, friction: np.ndarray) -> np.ndarray:
    """Return the impulses moved into their cones, by rounding only if they are solutions."""
    return project(iota.reshape(-1, 3), friction).ravel()


def _admm(
    G: np.ndarray, g: np.ndarray, friction: np.ndarray, rho: float, memory: int, limit: int
) -> tuple[np.ndarray, int]:
    """Return impulses by pinocchio's ADMM solver, shape (3k,), and its iterations."""
    models, data = _cones(tuple(friction.tolist()))
    settings = pin.ADMMSolverSettings()
    settings.max_iterations = limit
    settings.solve_ncp = True  # Coulomb's law, not its convex relaxation
    settings.absolute_feasibility_tol = settings.relative_feasibility_tol = _ACCURACY
    settings.absolute_complementarity_tol = settings.relative_complementarity_tol = _ACCURACY
    settings.admm_update_rule = pin.ADMMUpdateRule.CONSTANT
    settings.rho_init = rho
    settings.anderson_capacity = memory
    solver, result = pin.ADMMConstraintSolver(len(g)), pin.ADMMSolverResult()
    solver.solve(pin.DelassusOperatorDense(G), g, models, data, settings, result)
    return np.array(result.retrieveConstraintImpulses()), int(result.iterations)


@lru_cache(maxsize=64)
def _cones(friction: tuple[float, ...]) -> tuple[object, object]:
    """Return pinocchio's constraint models and data; only their cones of friction matter."""
    world = pin.Model()
    models, data = pin.StdVec_ConstraintModel(), pin.StdVec_ConstraintData()
    for mu in friction:
        point = pin.PointContactConstraintModel(world, 0)
        point.setFriction(mu)
        model = pin.ConstraintModel(point)
        models.append(model)
        data.append(model.createData())
    return models, data
