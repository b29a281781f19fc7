# SPDX-License-Identifier: Apache-2.0
r"""One contact with Coulomb's friction and Newton's restitution, solved exactly.

Unknown is the impulse iota, in contact axes p, that changes the velocity of the contact point from
v to v + G iota, with v_n^+ = -e v_n^- and one of

- stick: no slip after the impact, and |iota_T| <= mu iota_n,
- slide: slip s u after it with s >= 0, and iota_T = -mu iota_n u opposed to it.

With iota = iota_n (-mu u, 1), u = (cos a, sin a), restitution gives iota_n = -(1 + e) v_n/D(a),
D = G_nn - mu G_nT u. The slip is parallel to u where u x (D v_T + D G_T iota) vanishes: a
trigonometric polynomial of degree 2 in a, so all of its roots follow from a quartic in exp(i a).
"""

from __future__ import annotations

import numpy as np

from impact_predictor.exceptions import NoImpulseError

_ROUNDING = 1e-7  # relative residual of a slip's direction that counts as zero
_REACHED = 1e-5  # relative residual of the velocity that counts as reached, near a singular G


def coulomb_impulse(
    G: np.ndarray, velocity: np.ndarray, friction: float, restitution: float = 0.0
) -> tuple[np.ndarray, bool]:
    """Return the impulse on the robot in p, shape (3,) [N.s], and whether the contact sticks.

    Where several solutions exist, sticking goes before sliding, and among directions of sliding
    the one that leaves the least energy.

    Args:
        G: Delassus matrix J M^-1 J^T in p, symmetric, positive semidefinite, shape (3, 3) [1/kg].
        velocity: of the contact point in p, z component negative, shape (3,) [m/s].
        friction: coefficient mu >= 0 [-].
        restitution: coefficient e, 0 to 1 [-].

    Raises:
        NoImpulseError: there is no solution, which cannot be for a positive definite G.
    """
    impulse = _stick(G, velocity, friction, restitution)
    if impulse is not None:
        return impulse, True
    candidates = _slide(G, velocity, friction, restitution)
    if not candidates:
        raise NoImpulseError(G, velocity, friction)
    impulse = min(candidates, key=lambda iota: float(iota @ (velocity + G @ iota / 2)))
    slip = velocity[:2] + G[:2] @ impulse
    return impulse, bool(np.hypot(*slip) <= 1e-12 * np.linalg.norm(velocity))


def _stick(G: np.ndarray, v: np.ndarray, mu: float, e: float) -> np.ndarray | None:
    """Return the impulse that stops the slip, if it is inside the cone."""
    jump = np.array([-v[0], -v[1], -(1 + e) * v[2]])
    impulse = np.linalg.lstsq(G, jump, rcond=1e-14)[0]
    reached = np.linalg.norm(G @ impulse - jump) <= _REACHED * np.linalg.norm(jump)
    slack = 1e-12 * np.linalg.norm(impulse)
    inside = np.hypot(impulse[0], impulse[1]) <= mu * impulse[2] + slack
    return impulse if reached and inside else None


def _slide(G: np.ndarray, v: np.ndarray, mu: float, e: float) -> list[np.ndarray]:
    """Return every impulse at the cone's edge that opposes the slip it leaves."""
    if mu == 0.0:
        return [np.array([0.0, 0.0, -(1 + e) * v[2] / G[2, 2]])]
    solutions = []
    scale = float(np.linalg.norm(v))
    for angle in _slip_angles(G, v, mu, e):
        u = np.array([np.cos(angle), np.sin(angle)])
        cone_edge = np.array([-mu * u[0], -mu * u[1], 1.0])
        per_normal = G @ cone_edge
        if per_normal[2] <= 0.0:
            continue
        impulse = -(1 + e) * v[2] / per_normal[2] * cone_edge
        slip = v[:2] + G[:2] @ impulse
        size = _ROUNDING * max(scale, float(np.abs(G @ impulse).max()))
        if abs(u[0] * slip[1] - u[1] * slip[0]) <= size and u @ slip >= -size:
            solutions.append(impulse)
    return solutions


def _slip_angles(G: np.ndarray, v: np.ndarray, mu: float, e: float) -> np.ndarray:
    """Return the angles at which the slip left may be parallel to u: four, if not any.

    The polynomial is k0 + k1 cos a + k2 sin a + k3 cos 2a + k4 sin 2a.
    """
    vx, vy, vn = v
    gx, gy, gn = G[2]
    jump = -(1 + e) * vn
    k0 = mu / 2 * (gy * vx - gx * vy)
    k1 = gn * vy + jump * gy
    k2 = -gn * vx - jump * gx
    k3 = -mu / 2 * (gx * vy + gy * vx + 2 * jump * G[0, 1])
    k4 = mu / 2 * (gx * vx - gy * vy + jump * (G[0, 0] - G[1, 1]))
    size = abs(k0) + abs(k1) + abs(k2) + abs(k3) + abs(k4)
    if size <= 1e-13 * abs(jump) * np.abs(G).max():  # G of rank 1: no direction leaves a slip
        return np.arange(8) * np.pi / 4
    quartic = np.array([k3 - 1j * k4, k1 - 1j * k2, 2 * k0, k1 + 1j * k2, k3 + 1j * k4])
    quartic[np.abs(quartic) < 1e-14 * size] = 0.0  # rounding must not lead the polynomial
    angle = np.angle(np.roots(quartic))
    for _ in range(2):  # Newton's method removes the rounding of the quartic
        c, s, c2, s2 = np.cos(angle), np.sin(angle), np.cos(2 * angle), np.sin(2 * angle)
        value = k0 + k1 * c + k2 * s + k3 * c2 + k4 * s2
        slope = k2 * c - k1 * s + 2 * (k4 * c2 - k3 * s2)
        steep = np.abs(slope) > 1e-6 * size
        angle = angle - np.where(steep, value / np.where(steep, slope, 1.0), 0.0)
    return angle
