# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
r"""Bounds on the impulses of contacts that press on one another through an object.

With :math:`G = R M^{-1} R^T` of the contacts' normals R, closing speeds :math:`c = R v^-` and the
highest restitution e, the impact leaves at most :math:`e^2` of the energy of relative motion,
:math:`c^T G^{-1} c/2`, whatever the delay between the contacts. That premise is verified on drawn
cases for one point each (test_coupled_bounds.py), not proved; the rest follows: the bounds are the
largest impulses that leave no more. Own derivation (doc/models/feasible_sets.md).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from impact_predictor.exceptions import PredictionError
from impact_robots.exceptions import OutOfRangeError
from impact_robots.validation import finite_array, positive, restitution_coefficient

_RANK = 1e-10  # of the largest eigenvalue: below it corners of one face do not tell apart


class CoupledBounds(NamedTuple):
    """Impulses of two contacts, whatever the delay between them, shape (2,) each [N.s]."""

    inelastic: np.ndarray  # p0, of both at once and plastic
    total: np.ndarray  # bound until separation
    compression: np.ndarray  # bound until the end of compression


def mobility(masses: ArrayLike, object_mass: float, coupling: float = 0.0) -> np.ndarray:
    """Return G of two contacts on opposite sides of a free object, shape (2, 2) [1/kg].

    Args:
        masses: effective, of what hits the object on each side, shape (2,) [kg].
        object_mass: [kg].
        coupling: of the two contacts through the robot, beside that through the object [1/kg].

    Raises:
        OutOfRangeError: a mass is not positive.
    """
    own = [1.0 / positive(float(mass), "masses") for mass in finite_array(masses, (2,), "masses")]
    through = 1.0 / positive(object_mass, "object_mass")
    return (
        np.diag(own) + through * np.array([[1.0, -1.0], [-1.0, 1.0]]) + coupling * (1 - np.eye(2))
    )


def coupled_bounds(G: np.ndarray, closing: ArrayLike, restitution: float) -> CoupledBounds:
    r"""Return the bounds of two contacts, one point each.

    :math:`p_0 = G^{-1}c`; total :math:`p_{0a} + e\sqrt{(G^{-1})_{aa}\,c^T G^{-1} c}`; until the
    end of compression :math:`p_{0a} + e (G^{-1})_{12}\sqrt{c^T G^{-1} c/(G^{-1})_{oo}}`, o: the
    other one.

    Args:
        G: effect of the contacts on one another, shape (2, 2) [1/kg].
        closing: speeds, at least 0, shape (2,) [m/s].
        restitution: highest, of each contact alone [-].

    Raises:
        OutOfRangeError: an argument is out of its range, or G is not positive definite.
    """
    c, e = _closing(closing, 2), restitution_coefficient(restitution)
    inverse = np.linalg.inv(_effect(G, 2))
    p0, own = inverse @ c, np.diag(inverse)
    if min(own) <= 0.0 or np.linalg.det(inverse) <= 0.0:
        raise OutOfRangeError("G", "a positive definite matrix", G)
    energy = float(c @ p0)
    total = p0 + e * np.sqrt(own * energy)
    return CoupledBounds(p0, total, p0 + e * inverse[0, 1] * np.sqrt(energy / own[::-1]))


def face_bounds(
    G: np.ndarray, closing: ArrayLike, faces: Sequence[Sequence[int]], restitution: float
) -> np.ndarray:
    r"""Return the bounds until separation of flat faces in contact at their corners, (f,) [N.s].

    Here e is that of the whole impact: corners that hit again do so slowly, where a contact may
    bounce more than at its first hit. With :math:`F(b) = \arg\min_{p \ge 0} p^T G p/2 - b^T p` and
    :math:`E(p) = c^T p - p^T G p/2`, face a gets at most :math:`a^T F(c + \delta a)`: a is 1 on
    its corners, and :math:`\delta \ge 0` the largest with
    :math:`E \ge (1 - e^2) E(F(c))`. With one corner each it is the total of
    :func:`coupled_bounds`.

    Args:
        G: effect of the corners on one another, shape (k, k), of any rank [1/kg].
        closing: speeds of the corners, shape (k,) [m/s].
        faces: indices of the corners of each face.
        restitution: highest, whose square is the fraction of the energy that is left [-].

    Raises:
        OutOfRangeError: an argument is out of its range.
        PredictionError: the speeds are none that the bodies of G can have.
    """
    c = finite_array(closing, (len(G),), "closing")
    e, corners = restitution_coefficient(restitution), _Corners(_effect(G, len(c)))
    plastic = corners.impulses(c)
    least = (1.0 - e**2) * corners.lost(plastic, c)
    return np.array([_face_bound(corners, c, face, least) for face in faces])


def independent_ratio(
    bounds: np.ndarray, masses: ArrayLike, closing: ArrayLike, e: float
) -> np.ndarray:
    """Return beta: bounds over the impulses (1 + e) m s of contacts taken alone [-].

    Args:
        bounds: shape (k,) [N.s].
        masses: effective, of what hits, shape (k,) [kg].
        closing: speeds, above 0, shape (k,) [m/s].
        e: highest restitution [-].
    """
    return np.asarray(bounds / ((1.0 + e) * np.asarray(masses) * np.asarray(closing)))


class _Corners:
    """The quadratic program of corners: positive impulses."""

    def __init__(self, G: np.ndarray) -> None:
        """Factor G = A^T A; its rank is that of the bodies' motions."""
        values, vectors = np.linalg.eigh(G)
        moving = values > _RANK * values[-1]
        self._root = np.sqrt(values[moving])
        self._basis = vectors[:, moving]
        self.G, self._A = G, self._root[:, None] * self._basis.T

    def impulses(self, b: np.ndarray) -> np.ndarray:
        """Return F(b), shape (k,) [N.s]."""
        from scipy.optimize import nnls  # loads slowly

        inside = self._basis.T @ b
        if np.linalg.norm(b - self._basis @ inside) > 1e-6 * np.linalg.norm(b):
            raise PredictionError("corners: expected speeds of rigid bodies, got others")
        return np.asarray(nnls(self._A, inside / self._root)[0])

    def lost(self, p: np.ndarray, c: np.ndarray) -> float:
        """Return E(p), the energy that impulses take from the relative motion [J]."""
        return float(c @ p - p @ self.G @ p / 2)


def _face_bound(corners: _Corners, c: np.ndarray, face: Sequence[int], least: float) -> float:
    """Return the largest impulse of a face that takes at least an energy [J] in all."""
    from scipy.optimize import brentq  # loads slowly

    a = np.zeros(len(c))
    a[list(face)] = 1.0

    def left(delta: float) -> float:
        return corners.lost(corners.impulses(c + delta * a), c) - least

    high = max(float(np.abs(c).max()), 1e-9)
    while left(high) > 0.0:
        high *= 2.0
    # at the end that takes too little: no less than the bound
    delta = brentq(left, 0.0, high, xtol=1e-12 * high) if left(0.0) > 0.0 else 0.0
    return float(a @ corners.impulses(c + delta * a))


def _closing(closing: ArrayLike, size: int) -> np.ndarray:
    c = finite_array(closing, (size,), "closing")
    if np.any(c < 0.0) or not c.any():
        raise OutOfRangeError("closing", "numbers at least 0, one above", closing)
    return c


def _effect(G: np.ndarray, size: int) -> np.ndarray:
    G = finite_array(G, (size, size), "G")
    if not np.allclose(G, G.T, rtol=0.0, atol=1e-9 * np.abs(G).max()):
        raise OutOfRangeError("G", "a symmetric matrix", G)
    return G
