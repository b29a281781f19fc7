# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
r"""Zeros of a trigonometric polynomial of degree 2: directions in which a contact may slide.

:math:`f(a) = k_0 + k_1\cos a + k_2\sin a + k_3\cos 2a + k_4\sin 2a`. With t = tan(a/2) it is a
quartic in t, solved by Ferrari's formula and polished by Newton's method in a. First f is turned to
where it is large at a = pi, so that the quartic is one: at the best of eight angles f is at least a
quarter of all :math:`|k_i|` together.

Inlined into its callers.
"""

from __future__ import annotations

from math import atan, copysign, cos, pi, sin, sqrt

import numpy as np

from impact_robots.compiling.compiled import part

Coefficients = tuple[float, float, float, float, float]


@part
def zeros(k: Coefficients, angles: np.ndarray) -> int:
    """Write the angles a [rad] of all real zeros of f, nearly double ones too; return how many.

    Args:
        k: k_0 to k_4, not all zero.
        angles: written, shape (at least 4,).
    """
    turned, turn = _turned(k)
    k0, k1, k2, k3, k4 = turned
    leading = k0 - k1 + k3  # f at the angle pi, where t is infinite
    count = _quartic(
        (2 * k2 - 4 * k4) / leading,
        (2 * k0 - 6 * k3) / leading,
        (2 * k2 + 4 * k4) / leading,
        (k0 + k1 + k3) / leading,
        angles,
    )
    for i in range(count):
        angles[i] = _polished(2 * atan(angles[i]) + turn, k)
    return count


@part
def _turned(k: Coefficients) -> tuple[Coefficients, float]:
    """Return the polynomial of a - turn, and the turn: f is largest where t becomes infinite."""
    k0, k1, k2, k3, k4 = k
    best, turn, largest = k, 0.0, -1.0
    for eighth in range(8):
        angle = eighth * pi / 4
        c, s = cos(angle), sin(angle)
        c2, s2 = c * c - s * s, 2 * c * s
        new = (k0, k1 * c + k2 * s, k2 * c - k1 * s, k3 * c2 + k4 * s2, k4 * c2 - k3 * s2)
        size = abs(new[0] - new[1] + new[3])
        if size > largest:
            best, turn, largest = new, angle, size
    return best, turn


@part
def _quartic(a: float, b: float, c: float, d: float, roots: np.ndarray) -> int:
    """Write the real roots of t^4 + a t^3 + b t^2 + c t + d, nearly real ones too; count them."""
    shift, count = a / 4, 0
    p = b - 6 * shift * shift
    q = c - 2 * b * shift + 8 * shift**3
    r = d - c * shift + b * shift * shift - 3 * shift**4
    m = _resolvent(p, q, r)
    size = abs(p) + sqrt(abs(r)) + abs(q) ** (2 / 3)
    double = m <= 1e-14 * size  # y^4 + p y^2 + r
    inner = p * p / 4 - r
    if double and inner < -1e-9 * size * size:
        return 0
    for sign in (1.0, -1.0):
        if double:
            square = -p / 2 + sign * sqrt(max(inner, 0.0))
            middle, half, least = 0.0, sqrt(max(square, 0.0)), -1e-9
        else:
            s = sqrt(2 * m)
            square = -2 * p - 2 * m - sign * 2 * q / s
            middle, half, least = sign * s / 2, sqrt(max(square, 0.0)) / 2, -1e-7
        if square >= least * size:
            roots[count], roots[count + 1] = middle + half - shift, middle - half - shift
            count += 2
    return count


@part
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


@part
def _third_of_arc_cosine(x: float) -> float:
    """Return acos(x)/3, for an x that rounding may have put outside -1 to 1."""
    if abs(x) >= 1.0:
        return 0.0 if x > 0.0 else pi / 3
    return (pi / 2 - atan(x / sqrt(1 - x * x))) / 3


@part
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
