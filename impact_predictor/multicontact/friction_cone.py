# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
r"""Coulomb's cone of friction for many contacts, and how far impulses are from satisfying its law.

With impulses iota, velocities w = G iota + g and de Saxce's shift w~ = w + mu |w_T| z, the law of
Coulomb with Signorini's condition is the complementarity problem

    K_mu  contains  iota,    K_mu^*  contains  w~,    iota . w~ = 0    for each contact,

K_mu = {|iota_T| <= mu iota_n} and K_mu^* = {mu |w_T| <= w~_n}, which is w_n >= 0. It holds if and
only if iota is the projection of iota - w~ onto K_mu. Without the shift it would be Anitescu's
convex relaxation, in which a sliding contact lifts off with w_n = mu |w_T|. (Acary, Cadoux 2013;
Stewart, Trinkle 1996.)
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np


class Residuals(NamedTuple):
    """How far a solution is from Coulomb's law: the worst contact, relative, without unit."""

    cone: float  # distance of the impulse from K_mu, per largest impulse
    dual: float  # distance of the shifted velocity from K_mu^*, per largest velocity before
    complementarity: float  # |iota . w~|, per both
    fixed_point: float  # |iota - projection of iota - w~|, per largest velocity before


def project(vectors: np.ndarray, friction: np.ndarray) -> np.ndarray:
    """Return the nearest points of the cones K_mu, shape (k, 3).

    Args:
        vectors: in contact axes, z the normal, shape (k, 3).
        friction: coefficient mu >= 0 of each, shape (k,) [-].
    """
    tangential = np.hypot(vectors[:, 0], vectors[:, 1])
    inside = tangential <= friction * vectors[:, 2]
    normal = np.maximum(friction * tangential + vectors[:, 2], 0.0) / (1.0 + friction**2)
    shrink = friction * normal / np.where(tangential > 0.0, tangential, 1.0)
    edge = np.column_stack([shrink * vectors[:, 0], shrink * vectors[:, 1], normal])
    return np.where(inside[:, None], vectors, edge)


def residuals(G: np.ndarray, g: np.ndarray, friction: np.ndarray, iota: np.ndarray) -> Residuals:
    """Return how far ``iota`` is from solving the problem.

    Args:
        G: Delassus matrix, scaled so that each contact's diagonal block is near 1, (3k, 3k).
        g: velocities that no impulse would leave, restitution included, scaled, not 0, (3k,).
        friction: coefficient of each contact, shape (k,) [-].
        iota: impulses, scaled, shape (3k,).
    """
    impulses, shifted = iota.reshape(-1, 3), (G @ iota + g).reshape(-1, 3)
    shifted[:, 2] += friction * np.hypot(shifted[:, 0], shifted[:, 1])
    speed = float(np.abs(g).max())
    size = max(float(np.abs(iota).max()), speed)
    outside = impulses - project(impulses, friction)
    negative = project(-shifted, friction)  # Moreau: the part of w~ outside the dual cone
    work = np.einsum("ij,ij->i", impulses, shifted)
    fixed = impulses - project(impulses - shifted, friction)
    return Residuals(
        cone=_largest(outside) / size,
        dual=_largest(negative) / speed,
        complementarity=float(np.abs(work).max()) / (size * speed),
        fixed_point=_largest(fixed) / speed,
    )


def _largest(rows: np.ndarray) -> float:
    """Return the largest Euclidean norm of the ``rows``."""
    return float(np.linalg.norm(rows, axis=1).max())
