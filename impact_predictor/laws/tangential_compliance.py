# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
r"""A planar impact with tangential compliance of the contact.

Between body and surface sits a massless particle on two springs (Stronge, Impact Mechanics, 2000,
chapter 5; Maw, Barber, Fawcett, Wear 38, 1976). The normal spring is bilinear, stiffness k in
compression and k/e^2 in restitution, so it gives back e^2 of its work. The tangential spring has
stiffness r k; its force is limited by Coulomb's friction, |F_t| <= mu F_n, so a contact may stick
first, slip later and leave with a slip of either sign. For large r this becomes the ``energetic``
law of `planar_impact`. Only the ratio r matters for velocities and impulses, not k.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from impact_predictor.laws.planar_impact import checked
from impact_robots.exceptions import OutOfRangeError

LEAST_RESTITUTION = 0.01  # restitution stiffens the spring by 1/e^2; smaller e count as this one
_LONGEST = 50  # an impact that takes so many of its own compression phases is cut off


def compliant_impulse(
    G: ArrayLike,
    velocity: ArrayLike,
    friction: ArrayLike,
    restitution: ArrayLike,
    stiffness_ratio: ArrayLike,
    steps: int = 100,
    friction_backward: ArrayLike | None = None,
) -> np.ndarray:
    """Return the impulses on the body in (t, n), shape (..., 2) [N.s].

    Integrated by leapfrog, ``steps`` steps for compression and about as many for restitution; with
    100 the velocities after are good to 1e-3 of the approach speed, with 40 to 5e-3.

    Args:
        G: Delassus matrices in (t, n), symmetric, positive definite, shape (..., 2, 2) [1/kg].
        velocity: of the contact points before, in (t, n), shape (..., 2) [m/s].
        friction: coefficient mu >= 0, shape (...) [-].
        restitution: energetic coefficient e, 0 to 1, shape (...) [-].
        stiffness_ratio: tangential over normal stiffness r > 0, shape (...) [-].
        steps: of each phase, at least 10.
        friction_backward: coefficient against slip along -t, for a surface with a grain, shape
            (...) [-]; none: ``friction``, in both directions.

    Raises:
        OutOfRangeError: an argument is out of its range, of the wrong shape or not finite.
    """
    G, velocity, mu, e = checked(G, velocity, friction, restitution)
    r = np.asarray(stiffness_ratio, dtype=float)
    if not (np.isfinite(r).all() and (r > 0.0).all()):
        raise OutOfRangeError("stiffness_ratio", "finite numbers above 0", stiffness_ratio)
    if steps < 10:
        raise OutOfRangeError("steps", "at least 10", steps)
    backward = mu if friction_backward is None else np.asarray(friction_backward, dtype=float)
    if not (np.isfinite(backward).all() and (backward >= 0.0).all()):
        raise OutOfRangeError("friction_backward", "finite numbers, at least 0", friction_backward)
    entries = (G[..., 0, 0], G[..., 0, 1], G[..., 1, 1])
    columns = np.broadcast_arrays(*entries, velocity[..., 0], velocity[..., 1], mu, backward, e, r)
    shape = columns[0].shape
    problem = np.array([column.ravel() for column in columns])
    problem[7] = np.maximum(problem[7], LEAST_RESTITUTION)
    hits = problem[4] < 0.0
    impulse = np.zeros((hits.size, 2))
    impulse[hits] = _integrate(problem[:, hits], steps)
    return impulse.reshape(*shape, 2)


def _integrate(problem: np.ndarray, steps: int) -> np.ndarray:
    """Return the impulses of N approaching contacts, shape (N, 2), by kicks between drifts.

    Units: normal stiffness 1. Rows of ``problem``, shape (9, N): G_tt, G_tn, G_nn, v_t, v_n, mu,
    mu backward, e, r.
    """
    a, _, g, _, _, forward, backward, e, r = problem
    by_tangential, by_normal = problem[[0, 1]], problem[[1, 2]]  # columns of G
    backed, resisting = -forward, -r
    stable = int(np.ceil(1.6 * np.sqrt((r * a / g).max(initial=0.0))))
    steps = max(steps, stable)
    dt = np.pi / 2 / steps / np.sqrt(g)
    softening, stiffness = e * e, np.ones_like(g)
    v = problem[3:5].copy()  # in (t, n), as force, impulse and what each step adds to it
    force, impulse = np.zeros_like(v), np.zeros_like(v)
    tangential, normal = force
    stretch, depth = v[0] * dt / 2, -v[1] * dt / 2
    rest = np.zeros_like(g)  # penetration at which the spring is relaxed
    compressing = np.ones(g.shape, dtype=bool)
    for _ in range(_LONGEST * steps):
        np.maximum(stiffness * (depth - rest), 0.0, out=normal)
        if not np.count_nonzero(normal):
            break
        limited = np.maximum(resisting * stretch, backed * normal)
        np.minimum(limited, backward * normal, out=tangential)
        added = force * dt
        impulse += added
        v += by_tangential * added[0]
        v += by_normal * added[1]
        if np.count_nonzero(turns := compressing & (v[1] >= 0.0)):
            rest = np.where(turns, depth * (1 - softening), rest)
            stiffness = np.where(turns, 1 / softening, stiffness)
            dt = np.where(turns, dt * e, dt)
            compressing &= ~turns
        moved = v * dt
        stretch = tangential / resisting + moved[0]  # slip does not stretch the spring
        depth = np.where(normal > 0.0, depth - moved[1], 0.0)  # separated for good
    return impulse.T
