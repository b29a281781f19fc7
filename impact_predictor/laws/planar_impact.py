# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
r"""One contact in a plane: closed forms of four impact laws, for any number of impacts at once.

In contact axes (t, n), n out of the surface, an impulse P changes the velocity of the contact
point from v to v + G P, with the Delassus matrix G = J M^-1 J^T, shape (2, 2). Friction is
Coulomb's, |P_t| <= mu P_n. The laws differ in when friction is judged and how the impact ends:

- ``sliding``: friction keeps the direction of the slip before (Rey Arias 2024, (11)-(16));
  v_n^+ = -e v_n^-.
- ``coulomb``: friction is judged by the slip after the impact; v_n^+ = -e v_n^-, Newton's e.
- ``poisson``: friction is evaluated at every instant (Routh's path, see `routh`); restitution adds
  e times the normal impulse of compression.
- ``energetic``: the same path; restitution gives back e^2 of the normal work of compression
  (Stronge, Impact Mechanics, 2000).

Rey Arias 2024: full reference in doc/theory.md.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from impact_predictor.laws.planar_law import PLANAR_LAWS, Impulses, PlanarLaw
from impact_predictor.laws.routh import energetic_end, poisson_end, routh_path
from impact_robots.exceptions import OutOfRangeError

_LEAST_SLIP = 1e-6  # slip that has a direction, for `sliding` [m/s]


def planar_impulse(
    G: ArrayLike,
    velocity: ArrayLike,
    friction: ArrayLike,
    restitution: ArrayLike,
    law: str = "coulomb",
) -> np.ndarray:
    """Return the impulses on the body in (t, n), shape (..., 2) [N.s].

    All arguments broadcast. Where the point does not approach, the impulse is zero; where
    ``sliding`` jams (no impulse along its direction stops the approach), it is NaN.

    Args:
        G: Delassus matrices in (t, n), symmetric, positive definite, shape (..., 2, 2) [1/kg].
        velocity: of the contact points before, in (t, n), shape (..., 2) [m/s].
        friction: coefficient mu >= 0, shape (...) [-].
        restitution: coefficient e, 0 to 1, shape (...) [-].
        law: one of :data:`PLANAR_LAWS`.

    Raises:
        OutOfRangeError: an argument is out of its range, of the wrong shape or not finite.
        UnknownNameError: there is no such law.
    """
    solve = PLANAR_LAWS.named(law).solve
    G, velocity, mu, e = checked(G, velocity, friction, restitution)
    a, b, g = G[..., 0, 0], G[..., 0, 1], G[..., 1, 1]
    v_t, v_n = velocity[..., 0], velocity[..., 1]
    with np.errstate(divide="ignore", invalid="ignore"):  # branches that np.where leaves out
        tangential, normal = solve(a, b, g, v_t, v_n, mu, e)
    impulse = np.stack(np.broadcast_arrays(tangential, normal), axis=-1)
    return np.where((v_n < 0.0)[..., None], impulse, 0.0)


def checked(
    G: ArrayLike, velocity: ArrayLike, friction: ArrayLike, restitution: ArrayLike
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Return the arguments of a planar law as arrays.

    Raises:
        OutOfRangeError: an argument is out of its range, of the wrong shape or not finite.
    """
    G, velocity = np.asarray(G, dtype=float), np.asarray(velocity, dtype=float)
    mu, e = np.asarray(friction, dtype=float), np.asarray(restitution, dtype=float)
    if G.shape[-2:] != (2, 2) or not np.isfinite(G).all():
        raise OutOfRangeError("G", "finite numbers of shape (..., 2, 2)", f"shape {G.shape}")
    determinant = G[..., 0, 0] * G[..., 1, 1] - G[..., 0, 1] * G[..., 1, 0]
    symmetric = np.allclose(G[..., 0, 1], G[..., 1, 0], rtol=1e-9, atol=0.0)
    if not symmetric or (determinant <= 0.0).any() or (G[..., 0, 0] <= 0.0).any():
        raise OutOfRangeError("G", "symmetric positive definite matrices", "another one")
    if velocity.shape[-1:] != (2,) or not np.isfinite(velocity).all():
        raise OutOfRangeError(
            "velocity", "finite numbers of shape (..., 2)", f"shape {velocity.shape}"
        )
    if not (np.isfinite(mu).all() and (mu >= 0.0).all()):
        raise OutOfRangeError("friction", "finite numbers, at least 0", friction)
    if not ((e >= 0.0) & (e <= 1.0)).all():
        raise OutOfRangeError("restitution", "numbers from 0 to 1", restitution)
    return G, velocity, mu, e


def _sliding(
    a: np.ndarray,
    b: np.ndarray,
    g: np.ndarray,
    v_t: np.ndarray,
    v_n: np.ndarray,
    mu: np.ndarray,
    e: np.ndarray,
) -> Impulses:
    """Return the impulse whose friction opposes the slip before, NaN where it jams."""
    direction = np.where(np.abs(v_t) >= _LEAST_SLIP, np.sign(v_t), 0.0)
    per_normal = g - mu * direction * b
    normal = np.where(per_normal > 0.0, -(1 + e) * v_n / per_normal, np.nan)
    return -mu * direction * normal, normal


def _coulomb(
    a: np.ndarray,
    b: np.ndarray,
    g: np.ndarray,
    v_t: np.ndarray,
    v_n: np.ndarray,
    mu: np.ndarray,
    e: np.ndarray,
) -> Impulses:
    """Return the impulse that sticks, or the nearest one in the cone.

    With P_n = (j - b P_t)/g, j = -(1 + e) v_n, the slip after grows with P_t, and the cone is an
    interval of P_t: the interval's point nearest to sticking is the only solution.
    """
    jump = -(1 + e) * v_n
    stick = -(v_t + b * jump / g) / (a - b * b / g)
    low = np.where(g - mu * b > 0.0, -mu * jump / (g - mu * b), -np.inf)
    high = np.where(g + mu * b > 0.0, mu * jump / (g + mu * b), np.inf)
    tangential = np.clip(stick, low, high)
    return tangential, (jump - b * tangential) / g


def _poisson(*impacts: np.ndarray) -> Impulses:
    """Return the impulse at Poisson's end of Routh's path."""
    path = routh_path(*impacts[:-1])
    end = poisson_end(path, impacts[-1])
    return path.tangential(end), end


def _energetic(*impacts: np.ndarray) -> Impulses:
    """Return the impulse at Stronge's end of Routh's path."""
    path = routh_path(*impacts[:-1])
    end = energetic_end(path, impacts[-1])
    return path.tangential(end), end


for _law in (
    PlanarLaw("sliding", _sliding, "friction keeps the slip's direction"),
    PlanarLaw("coulomb", _coulomb, "Coulomb's friction, Newton's e"),
    PlanarLaw("poisson", _poisson, "Routh's path, Poisson's e"),
    PlanarLaw("energetic", _energetic, "Routh's path, Stronge's e"),
):
    PLANAR_LAWS.register(_law)
