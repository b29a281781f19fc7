# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Checks of what a caller gave: each returns the value, or raises one clear line."""

from __future__ import annotations

import math
from collections.abc import Sequence
from numbers import Real

import numpy as np
from numpy.typing import ArrayLike

from impact_robots.exceptions import OutOfRangeError


def finite_array(value: ArrayLike, shape: tuple[int, ...], name: str) -> np.ndarray:
    """Return ``value`` as a float array of ``shape``.

    Raises:
        OutOfRangeError: wrong shape, or an entry that is not a finite number.
    """
    expected = f"finite numbers of shape {shape}" if shape else "a finite number"
    try:
        array = np.asarray(value, dtype=float)
    except (TypeError, ValueError):
        raise OutOfRangeError(name, expected, value) from None
    if array.shape != shape or not np.isfinite(array).all():
        raise OutOfRangeError(name, expected, value)
    return array


def real(value: object) -> float:
    """Return a number, of Python or NumPy, as a float; NaN for a text, a bool and the like."""
    if isinstance(value, np.ndarray) and value.shape == ():
        value = value[()]
    if isinstance(value, bool) or not isinstance(value, Real):
        return math.nan
    try:
        return float(value)
    except OverflowError:
        return math.inf


def friction_coefficient(value: float) -> float:
    """Return a friction coefficient [-].

    Raises:
        OutOfRangeError: negative or not finite.
    """
    if not 0.0 <= real(value) < math.inf:
        raise OutOfRangeError("friction", "a finite number, at least 0", value)
    return real(value)


def friction_range(value: float | Sequence[float]) -> tuple[float, float]:
    """Return a range of friction coefficients, (low, high) [-]; of one number (x, x).

    Raises:
        OutOfRangeError: not 0 <= low <= high.
    """
    if _is_single(value):
        mu = friction_coefficient(value)  # type: ignore[arg-type]
        return mu, mu
    expected = "low, high with 0 <= low <= high"
    try:
        low, high = (friction_coefficient(bound) for bound in value)  # type: ignore[union-attr]
    except (TypeError, ValueError):
        raise OutOfRangeError("friction", expected, value) from None
    if low > high:
        raise OutOfRangeError("friction", expected, value)
    return low, high


def restitution_coefficient(value: float) -> float:
    """Return a coefficient of restitution [-].

    Raises:
        OutOfRangeError: outside 0 to 1.
    """
    if not 0.0 <= real(value) <= 1.0:
        raise OutOfRangeError("restitution", "a number from 0 to 1", value)
    return real(value)


def restitution_range(value: float | Sequence[float]) -> tuple[float, float]:
    """Return a range of coefficients of restitution, (low, high) [-]; of one number (x, x).

    Raises:
        OutOfRangeError: not 0 <= low <= high <= 1.
    """
    if _is_single(value):
        e = restitution_coefficient(value)  # type: ignore[arg-type]
        return e, e
    expected = "low, high with 0 <= low <= high <= 1"
    try:
        low, high = (real(bound) for bound in value)  # type: ignore[union-attr]
    except (TypeError, ValueError):
        raise OutOfRangeError("restitution", expected, value) from None
    if not 0.0 <= low <= high <= 1.0:
        raise OutOfRangeError("restitution", expected, value)
    return low, high


def stiffness_range(value: float | Sequence[float]) -> tuple[float, float]:
    """Return a range of contact stiffnesses, (low, high) [N/m]; of one number (x, x).

    Raises:
        OutOfRangeError: not 0 < low <= high; only high may be infinite.
    """
    if _is_single(value):
        k = positive(value, "stiffness")  # type: ignore[arg-type]
        return k, k
    expected = "low, high with 0 < low <= high"
    try:
        low, high = (real(bound) for bound in value)  # type: ignore[union-attr]
    except (TypeError, ValueError):
        raise OutOfRangeError("stiffness", expected, value) from None
    if not 0.0 < low <= high or math.isinf(low):
        raise OutOfRangeError("stiffness", expected, value)
    return low, high


def positive(value: float, name: str) -> float:
    """Return a positive finite number.

    Raises:
        OutOfRangeError: it is not.
    """
    if not 0.0 < real(value) < math.inf:
        raise OutOfRangeError(name, "a finite number above 0", value)
    return real(value)


def _is_single(value: object) -> bool:
    """Tell whether ``value`` is one number instead of a range."""
    return isinstance(value, Real) or (isinstance(value, np.ndarray) and value.shape == ())
