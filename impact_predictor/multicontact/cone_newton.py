# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Newton's method on Coulomb's law: from a few correct digits to all of them.

Each contact is open (iota = 0), sticks (w = 0) or slides (w_n = 0, iota_T = -mu iota_n times the
direction of slip), whichever iota - w says: a semismooth Newton method (Alart, Curnier 1991). A
rank-deficient Delassus matrix leaves impulses undetermined, so each step is the shortest one.
"""

from __future__ import annotations

import numpy as np

from impact_predictor.multicontact.friction_cone import residuals

_STEPS = 20
_HALVINGS = 6
_ROUNDING = 1e-14  # relative residual at which iterations stop
_RANK = 1e-12  # relative singular value that counts as zero


def polish(G: np.ndarray, g: np.ndarray, friction: np.ndarray, iota: np.ndarray) -> np.ndarray:
    """Return better impulses than ``iota``, or ``iota`` if none are found nearby, shape (3k,).

    Args:
        G: Delassus matrix, scaled, shape (3k, 3k).
        g: velocities that no impulse would leave, scaled, shape (3k,).
        friction: coefficient of each contact, shape (k,) [-].
        iota: impulses near a solution, scaled, shape (3k,).
    """
    best, least = iota, residuals(G, g, friction, iota).fixed_point
    now, error = best, least
    for _ in range(_STEPS):
        if least <= _ROUNDING:
            break
        value, slope = _equations(G, g, friction, now)
        step = -np.linalg.lstsq(slope, value, rcond=_RANK)[0]
        now, error = _line_search(G, g, friction, now, error, step)
        if error < least:
            best, least = now, error
    return best


def _line_search(
    G: np.ndarray,
    g: np.ndarray,
    friction: np.ndarray,
    start: np.ndarray,
    error: float,
    step: np.ndarray,
) -> tuple[np.ndarray, float]:
    """Return the first of halved steps that is an improvement (or the last), and its residual."""
    for halving in range(_HALVINGS):
        iota = start + step / 2**halving
        reached = residuals(G, g, friction, iota).fixed_point
        if reached < error:
            break
    return iota, reached


def _equations(
    G: np.ndarray, g: np.ndarray, friction: np.ndarray, iota: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Return the equations' values, shape (3k,), and derivatives, shape (3k, 3k), at ``iota``."""
    velocity = G @ iota + g
    aim = (iota - velocity).reshape(-1, 3)
    value, slope = iota.copy(), np.eye(len(g))  # open contacts
    for i in np.flatnonzero(aim[:, 2] > 0.0):
        tangents, normal, mu = slice(3 * i, 3 * i + 2), 3 * i + 2, friction[i]
        value[normal], slope[normal] = velocity[normal], G[normal]
        pull = float(np.hypot(*aim[i, :2]))
        if mu == 0.0:
            continue  # no tangential impulse
        if pull <= mu * aim[i, 2]:
            value[tangents], slope[tangents] = velocity[tangents], G[tangents]
            continue
        u = aim[i, :2] / pull  # against the slip
        turn = mu * iota[normal] / pull * (np.eye(2) - np.outer(u, u))
        value[tangents] -= mu * iota[normal] * u
        slope[tangents] += turn @ (G[tangents] - slope[tangents])
        slope[tangents, normal] -= mu * u
    return value, slope
