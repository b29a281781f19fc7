# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
r"""Zeros of a trigonometric polynomial of degree 2: directions in which a contact may slide.

:math:`f(a) = k_0 + k_1\cos a + k_2\sin a + k_3\cos 2a + k_4\sin 2a`. With t = tan(a/2) it is a
quartic in t, solved by Ferrari's formula in plain floats (an eigenvalue solver takes ten times as
long) and polished by Newton's method in a. A quartic that is no quartic goes to numpy.roots.
"""

from __future__ import annotations

from math import atan, copysign, cos, pi, sin, sqrt

import numpy as np

Coefficients = tuple[float, float, float, float, float]


def zeros(k: Coefficients) -> list[float]:
    """Return the angles a [rad] of all real zeros of f, those of nearly double zeros included.

    Args:
        k: k_0 to k_4.
    """
    turned, turn = _turned(k)
    k0, k1, k2, k3, k4 = turned
    leading = k0 - k1 + k3  # f at the angle pi, where t is infinite
    if abs(leading) <= 1e-3 * (abs(k0) + abs(k1) + abs(k2) + abs(k3) + abs(k4)):
        return _by_eigenvalues(k)
    roots = _quartic(
        (2 * k2 - 4 * k4) / leading,
        (2 * k0 - 6 * k3) / leading,
        (2 * k2 + 4 * k4) / leading,
        (k0 + k1 + k3) / leading,
    )
    return [_polished(2 * atan(t) + turn, k) for t in roots]


def _turned(k: Coefficients) -> tuple[Coefficients, float]:
    """Return the polynomial of a - turn, and the turn: f is largest where t becomes infinite."""
    k0, k1, k2, k3, k4 = k
    at = (abs(k0 - k1 + k3), abs(k0 - k2 - k3), abs(k0 + k1 + k3), abs(k0 + k2 - k3))
    quarter = at.index(max(at))
    if quarter == 0:
        return k, 0.0
    if quarter == 1:
        return (k0, k2, -k1, -k3, -k4), pi / 2
    if quarter == 2:
        return (k0, -k1, -k2, k3, k4), pi
    return (k0, -k2, k1, -k3, -k4), -pi / 2


def _quartic(a: float, b: float, c: float, d: float) -> list[float]:
    """Return the real roots of t^4 + a t^3 + b t^2 + c t + d; nearly real ones count."""
    shift = a / 4
    p = b - 6 * shift * shift
    q = c - 2 * b * shift + 8 * shift**3
    r = d - c * shift + b * shift * shift - 3 * shift**4
    m = _resolvent(p, q, r)
    size = abs(p) + sqrt(abs(r)) + abs(q) ** (2 / 3)
    if m <= 1e-14 * size:  # y^4 + p y^2 + r
        root = sqrt(max(p * p / 4 - r, 0.0))
        squares = [-p / 2 + root, -p / 2 - root] if p * p / 4 - r >= -1e-9 * size * size else []
        return [
            s * sqrt(max(y, 0.0)) - shift for y in squares if y >= -1e-9 * size for s in (1, -1)
        ]
    s = sqrt(2 * m)
    roots = []
    for sign in (1.0, -1.0):
        square = -2 * p - 2 * m - sign * 2 * q / s
        if square >= -1e-7 * size:
            half = sqrt(max(square, 0.0))
            roots += [(sign * s + half) / 2 - shift, (sign * s - half) / 2 - shift]
    return roots


def _resolvent(p: float, q: float, r: float) -> float:
    """Return the largest root of the resolvent m^3 + p m^2 + (p^2/4 - r) m - q^2/8."""
    third = p / 3
    A = p * p / 4 - r
    P = A - p * third  # z^3 + P z + Q with m = z - p/3
    Q = 2 * third**3 - third * A - q * q / 8
    discriminant = Q * Q / 4 + P**3 / 27
    if discriminant >= 0.0:
        u = -Q / 2 - copysign(sqrt(discriminant), Q)
        cubic = copysign(abs(u) ** (1 / 3), u)
        z = cubic - P / (3 * cubic) if cubic != 0.0 else 0.0
    else:
        radius = sqrt(-P / 3)
        z = 2 * radius * cos(_third_of_arc_cosine(-Q / 2 / radius**3))
    return z - third


def _third_of_arc_cosine(x: float) -> float:
    """Return acos(x)/3, for an x that rounding may have put outside -1 to 1."""
    x = min(1.0, max(-1.0, x))
    return (pi / 2 - atan(x / sqrt(1 - x * x)) if abs(x) < 1.0 else (0.0 if x > 0 else pi)) / 3


def _polished(angle: float, k: Coefficients) -> float:
    """Return the angle after Newton's steps, as long as they shrink f."""
    k0, k1, k2, k3, k4 = k
    size = abs(k0) + abs(k1) + abs(k2) + abs(k3) + abs(k4)
    for _ in range(4):
        c, s = cos(angle), sin(angle)
        c2, s2 = c * c - s * s, 2 * c * s
        value = k0 + k1 * c + k2 * s + k3 * c2 + k4 * s2
        slope = k2 * c - k1 * s + 2 * (k4 * c2 - k3 * s2)
        if abs(value) <= 1e-15 * size or abs(slope) <= 1e-6 * size:
            break
        angle -= value / slope
    return angle


def _by_eigenvalues(k: Coefficients) -> list[float]:
    """Return the zeros through the companion matrix of the polynomial in exp(i a)."""
    k0, k1, k2, k3, k4 = k
    size = abs(k0) + abs(k1) + abs(k2) + abs(k3) + abs(k4)
    quartic = np.array([k3 - 1j * k4, k1 - 1j * k2, 2 * k0, k1 + 1j * k2, k3 + 1j * k4])
    quartic[np.abs(quartic) < 1e-14 * size] = 0.0  # rounding must not lead the polynomial
    return [_polished(float(angle), k) for angle in np.angle(np.roots(quartic))]
