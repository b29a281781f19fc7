# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""One rigid step of an engine, judged by momentum, energy, cone of friction and complementarity.

Whatever the engine, the numbers are computed from its velocities and impulses alone. Three laws are
tried on them: Coulomb's, its convex relaxation, and friction in a box with bounds of its own.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from scipy.optimize import nnls

from impact_predictor.multicontact.friction_cone import project
from impact_predictor.multicontact.mujoco_step import EngineContact
from impact_sim.exceptions import SimulationError
from studies.engines.plate_problem import PlateProblem

LENGTH = 0.1  # by which an angular velocity counts as a velocity: a plate's edge [m]
NOTHING = 1e-6  # fraction of the largest impulse, or of the closing speed, that is rounding
MIXING = 1e-5  # DART's: by which a contact gives, times its own mobility [-]
LOADED = 1e-3  # fraction of the largest impulse above which a contact carries one


class EngineStep(NamedTuple):
    """What an engine makes of an impact."""

    v: np.ndarray  # after, of plates and box as in :class:`PlateProblem`, shape (6b,)
    impulses: np.ndarray  # in contact axes, on the first body of each contact, (k, 3) [N.s]


class StepFigures(NamedTuple):
    """How an engine's step keeps the laws, and how far it is from the map."""

    difference: float  # of any body's twist from the map's, over the closing speed [-]
    box_difference: float  # of the box's twist alone, over the same [-]
    impulse_difference: float  # of any contact's impulse from the map's, over the largest [-]
    momentum_error: float  # |J^T iota - M dv| over |M dv|, in the norm of the kinetic energy [-]
    energy_gain: float  # over the kinetic energy before; negative: lost [-]
    outside_cone: float  # largest |iota_T| - mu iota_n, over the largest impulse [-]
    pulling: float  # largest impulse that pulls, over the largest impulse [-]
    penetrating: float  # largest v_n below zero, over the closing speed [-]
    separating: float  # largest v_n above zero of a loaded contact, over the closing speed [-]
    lift: float  # separating contacts: largest |v_n - mu |v_T||, over the closing speed [-]
    coulomb: float  # how far from Coulomb's law: fixed point of its projection [-]
    relaxed: float  # how far from the convex law, in which a sliding contact lifts off [-]
    frozen: float  # how far from friction in a box that impulses without friction bound [-]
    slip: float  # largest of a loaded contact, over the closing speed [-]


def figures(problem: PlateProblem, step: EngineStep, by_map: EngineStep) -> StepFigures:
    """Return the figures of a step.

    Args:
        problem: the impact.
        step: of the engine, or of the map itself.
        by_map: what the map makes of it.
    """
    speed, dv, off = problem.closing_speed, step.v - problem.v, step.v - by_map.v
    after = (problem.J @ step.v).reshape(-1, 3)
    iota, mu = step.impulses, problem.friction
    largest = max(float(np.abs(iota).max()), 1e-300)
    root = np.linalg.cholesky(problem.inertia)
    jump = problem.inertia @ dv
    lost = np.linalg.solve(root, problem.J.T @ iota.ravel() - jump)
    slip = np.hypot(after[:, 0], after[:, 1])
    loaded = iota[:, 2] > LOADED * largest
    apart = loaded & (after[:, 2] > NOTHING * speed)
    before = float(problem.v @ problem.inertia @ problem.v) / 2.0
    gain = float((step.v + problem.v) @ problem.inertia @ dv) / 2.0
    outside = np.hypot(iota[:, 0], iota[:, 1]) - mu * np.maximum(iota[:, 2], 0.0)
    lift = np.abs(after[:, 2] - mu * slip)[apart]
    return StepFigures(
        difference=_difference(off) / speed,
        box_difference=_difference(off[-6:]) / speed,
        impulse_difference=float(np.abs(iota - by_map.impulses).max()) / largest,
        momentum_error=float(np.linalg.norm(lost) / np.linalg.norm(np.linalg.solve(root, jump))),
        energy_gain=gain / before,
        outside_cone=max(float(outside.max()), 0.0) / largest,
        pulling=max(float(-iota[:, 2].min()), 0.0) / largest,
        penetrating=max(float(-after[:, 2].min()), 0.0) / speed,
        separating=float(after[apart, 2].max(initial=0.0)) / speed,
        lift=float(lift.max(initial=0.0)) / speed,
        coulomb=_from_law(problem, iota, after, mu * slip),
        relaxed=_from_law(problem, iota, after, np.zeros(len(mu))),
        frozen=_from_frozen(problem, iota, after),
        slip=float(slip[loaded].max(initial=0.0)) / speed,
    )


def ordered_impulses(
    problem: PlateProblem, contacts: Sequence[EngineContact], engine: str
) -> np.ndarray:
    """Return an engine's impulses in the problem's order, in contact axes, shape (k, 3) [N.s].

    Args:
        problem: each of its contacts is the nearest one of the engine's.
        contacts: of the engine.
        engine: its name, for errors.

    Raises:
        SimulationError: the engine has found other contacts.
    """
    found, hits = np.zeros((len(problem.friction), 3)), []
    for point, normal, impulse in contacts:
        index = int(np.linalg.norm(problem.points - point, axis=1).argmin())
        turn = problem.rotations[index]
        found[index] = turn.T @ impulse * np.sign(turn[:, 2] @ normal)
        hits.append(index)
    if sorted(hits) != list(range(len(found))):
        raise SimulationError(f"{engine}: expected {len(found)} contacts, got {len(set(hits))}")
    return found


def _difference(v: np.ndarray) -> float:
    """Return the largest size of twists in a row, angular ones times :data:`LENGTH` [m/s]."""
    return float(np.linalg.norm(v.reshape(-1, 6) * ([1.0] * 3 + [LENGTH] * 3), axis=1).max())


def mobility(G: np.ndarray) -> np.ndarray:
    """Return the mean mobility of each contact from Delassus' matrix, shape (k,) [1/kg]."""
    return np.diag(G).reshape(-1, 3).mean(axis=1)


def _from_law(
    problem: PlateProblem, iota: np.ndarray, after: np.ndarray, shift: np.ndarray
) -> float:
    """Return how far the projection of a law of cones moves impulses, over the closing speed.

    Args:
        problem: the impact.
        iota: impulses, shape (k, 3) [N.s].
        after: velocities of the contacts, shape (k, 3) [m/s].
        shift: of normal velocities: mu |v_T| for Coulomb's law, none for the convex one, (k,).
    """
    moves = mobility(problem.delassus)[:, None]
    moved = moves * iota - after - np.outer(shift, [0.0, 0.0, 1.0])
    fixed = moves * iota - project(moved, problem.friction)
    return float(np.linalg.norm(fixed, axis=1).max()) / problem.closing_speed


def _from_frozen(problem: PlateProblem, iota: np.ndarray, after: np.ndarray) -> float:
    """Return the same of a law that bounds friction along each axis of a box by itself.

    The bounds are mu times the normal impulses of the same impact without any friction.
    """
    normal = frictionless(problem)
    moves, worst = mobility(problem.delassus), 0.0
    for index, turn in enumerate(problem.rotations):
        axes = box_axes(turn[:, 2]).T @ turn
        impulse = moves[index] * axes @ iota[index]
        moved = impulse - axes @ after[index]
        bound = moves[index] * problem.friction[index] * normal[index]
        moved[:2] = np.clip(moved[:2], -bound, bound)
        moved[2] = max(moved[2], 0.0)
        worst = max(worst, float(np.linalg.norm(impulse - moved)))
    return worst / problem.closing_speed


def frictionless(problem: PlateProblem) -> np.ndarray:
    """Return normal impulses of an impact without friction, shape (k,) [N.s].

    Of those that a plate's corners may share in many ways, nearly the smallest: contacts give by
    :data:`MIXING`.
    """
    rows = problem.J[2::3]
    G = problem.delassus[2::3, 2::3]
    root = np.linalg.cholesky(G + MIXING * np.diag(np.diag(G)))
    return nnls(root.T, -np.linalg.solve(root, rows @ problem.v), maxiter=10_000)[0]


def box_axes(normal: np.ndarray) -> np.ndarray:
    """Return DART's two axes of friction and the normal as columns, world axes, shape (3, 3).

    The first is z times the normal, or x times it if the normal is vertical.
    """
    first = np.cross([0.0, 0.0, 1.0], normal)
    if np.linalg.norm(first) < 1e-6:
        first = np.cross([1.0, 0.0, 0.0], normal)
    first /= np.linalg.norm(first)
    return np.column_stack([first, np.cross(normal, first), normal])
