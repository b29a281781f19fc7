# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Checks of what a caller gave: each returns the value, or raises one clear line."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from numbers import Real

import numpy as np
from numpy.typing import ArrayLike

from impact_robots.exceptions import OutOfRangeError

HEAVIEST = 100.0  # payload of an arm [kg]


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
    if type(value) is float:  # most often, and then at once
        return value
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
    mu = real(value)
    if not 0.0 <= mu < math.inf:
        raise OutOfRangeError("friction", "a finite number, at least 0", value)
    return mu


def friction_range(value: float | Sequence[float]) -> tuple[float, float]:
    """Return a range of friction coefficients, (low, high) [-]; of one number (x, x).

    Raises:
        OutOfRangeError: not 0 <= low <= high.
    """
    expected = "low, high with 0 <= low <= high"
    return _range("friction", expected, value, friction_coefficient, friction_coefficient)


def payload_range(value: float | Sequence[float]) -> tuple[float, float]:
    """Return a range of masses that a robot carries, (low, high) [kg]; of one number (x, x).

    Raises:
        OutOfRangeError: not 0 <= low <= high <= 100.
    """
    expected = f"kg, low, high with 0 <= low <= high <= {HEAVIEST:g}"
    return _range("payload", expected, value, _payload, _payload)


def _payload(value: float) -> float:
    mass = real(value)
    if not 0.0 <= mass <= HEAVIEST:
        raise OutOfRangeError("payload", f"kg from 0 to {HEAVIEST:g}", value)
    return mass


def restitution_coefficient(value: float) -> float:
    """Return a coefficient of restitution [-].

    Raises:
        OutOfRangeError: outside 0 to 1.
    """
    e = real(value)
    if not 0.0 <= e <= 1.0:
        raise OutOfRangeError("restitution", "a number from 0 to 1", value)
    return e


def restitution_range(value: float | Sequence[float]) -> tuple[float, float]:
    """Return a range of coefficients of restitution, (low, high) [-]; of one number (x, x).

    Raises:
        OutOfRangeError: not 0 <= low <= high <= 1.
    """
    expected = "low, high with 0 <= low <= high <= 1"
    low, high = _range("restitution", expected, value, restitution_coefficient, real)
    if not (low >= 0.0 and high <= 1.0):
        raise OutOfRangeError("restitution", expected, value)
    return low, high


def stiffness_range(value: float | Sequence[float]) -> tuple[float, float]:
    """Return a range of contact stiffnesses, (low, high) [N/m]; of one number (x, x).

    Raises:
        OutOfRangeError: not 0 < low <= high; only high may be infinite.
    """
    expected = "low, high with 0 < low <= high"
    low, high = _range("stiffness", expected, value, lambda k: positive(k, "stiffness"), real)
    if not 0.0 < low < math.inf:
        raise OutOfRangeError("stiffness", expected, value)
    return low, high


def _range(
    name: str,
    expected: str,
    value: float | Sequence[float],
    single: Callable[[float], float],
    bound: Callable[[float], float],
) -> tuple[float, float]:
    """Return low <= high as ``bound`` reads each; of one number, as ``single`` reads it, (x, x).

    Raises:
        OutOfRangeError: not two numbers in order, or what the readers raise.
    """
    if _is_single(value):
        x = single(value)  # type: ignore[arg-type]
        return x, x
    try:
        low, high = (bound(each) for each in value)  # type: ignore[union-attr]
    except (TypeError, ValueError):
        raise OutOfRangeError(name, expected, value) from None
    if not low <= high:
        raise OutOfRangeError(name, expected, value)
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
