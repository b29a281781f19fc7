# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Checks that a model is physical: masses and inertias of its links, and its mass matrix."""

from __future__ import annotations

import numpy as np
import pinocchio as pin

from impact_robots.description.floating_base import is_floating
from impact_robots.exceptions import RobotError

POSES = 100  # drawn with a fixed seed
CONDITION = 1e9  # of the mass matrix; above it a linear system loses more than half the digits
TRIANGLE_TOLERANCE = 1e-3  # of the largest moment: tables are rounded, plates have no thickness


def check_links(source: object, model: pin.Model, *, as_a_set: bool = False) -> None:
    """Refuse a model with a moving link whose inertia is not that of a rigid body.

    A link includes everything fixed to it.

    Args:
        source: what the error names, a path.
        model: of pinocchio.
        as_a_set: the inertias were identified as a set, correct together but not link by link:
            their principal moments must be positive, but one may exceed the sum of the other two,
            which is impossible for a rigid body (Traversaro, Brossette, Escande, Nori, IROS 2016).

    Raises:
        RobotError: names the link and the reason.
    """
    for name, inertia in zip(list(model.names)[1:], list(model.inertias)[1:], strict=True):
        where = f"{source}: link moved by joint {name!r}"
        if not 0.0 < inertia.mass < np.inf:
            raise RobotError(f"{where}: expected a mass above 0, got {inertia.mass:g} kg")
        if not (np.isfinite(inertia.lever).all() and np.isfinite(inertia.inertia).all()):
            raise RobotError(f"{where}: expected a finite inertia")
        small, middle, large = np.linalg.eigvalsh(inertia.inertia)
        moments = f"got {small:.4g}, {middle:.4g}, {large:.4g} kg.m^2"
        if small <= 0.0:
            raise RobotError(f"{where}: expected principal moments of inertia above 0, {moments}")
        if not as_a_set and large > small + middle + TRIANGLE_TOLERANCE * large:
            raise RobotError(
                f"{where}: expected no principal moment of inertia above the sum of the other two,"
                f" {moments} (inertias_identified_as_a_set: true in a YAML allows it)"
            )


def check_mass_matrix(
    source: object, model: pin.Model, lower: np.ndarray, upper: np.ndarray
) -> tuple[float, float]:
    """Refuse a model whose mass matrix is not positive definite, or is ill-conditioned.

    Returns the smallest and the largest eigenvalue of the worst-conditioned pose.

    Args:
        source: what the error names, a path.
        model: of pinocchio, joints of one coordinate each, but for a floating base.
        lower: lowest positions, shape (n,) [rad].
        upper: highest positions, shape (n,) [rad]; poses are drawn between them, and within one
            turn.

    Raises:
        RobotError: names a pose.
    """
    low, high = np.clip(lower, -np.pi, np.pi), np.clip(upper, -np.pi, np.pi)
    poses = np.random.default_rng(0).uniform(low, high, size=(POSES, len(low)))
    if is_floating(model):  # its mass matrix does not depend on the pose of the base
        poses = np.hstack([np.tile(pin.neutral(model)[:7], (POSES, 1)), poses])
    matrices = _mass_matrices(model, poses)
    finite = np.isfinite(matrices).all(axis=(1, 2))
    if not finite.all():
        raise RobotError(f"{source}: expected a finite mass matrix{_at(poses[~finite][0])}")
    values = np.linalg.eigvalsh(matrices)
    worst = int(np.argmin(values[:, 0] / values[:, -1]))
    small, large, pose = values[worst, 0], values[worst, -1], poses[worst]
    if not small > large / CONDITION:
        raise RobotError(
            f"{source}: expected a positive definite mass matrix of condition below"
            f" {CONDITION:.0e}, got eigenvalues {small:.3g} to {large:.3g} kg.m^2{_at(pose)}"
        )
    return float(small), float(large)


def _mass_matrices(model: pin.Model, poses: np.ndarray) -> np.ndarray:
    """Return the mass matrix at each pose, shape (k, n, n)."""
    data, n = model.createData(), model.nv
    upper = np.triu([pin.crba(model, data, q).reshape(n, n).copy() for q in poses])
    return upper + np.triu(upper, 1).transpose(0, 2, 1)


def _at(pose: np.ndarray) -> str:
    return f" at q = {','.join(f'{angle:.3g}' for angle in pose)}"
