# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""The line through net feedback over reference velocity, its root, and the root's uncertainty."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from impact_robots.exceptions import OutOfRangeError
from impact_robots.validation import finite_array

CONFIDENCE = 0.95


class NetLine(NamedTuple):
    """A least-squares line; the root is where it crosses zero."""

    slope: float  # [-]
    root: float  # [m/s]
    low: float  # end of the root's interval [m/s]; infinite: the slope may be zero
    high: float  # the other one [m/s]
    residual: float  # standard deviation about the line [m/s]
    trials: int


def net_line(reference: ArrayLike, net: ArrayLike, confidence: float = CONFIDENCE) -> NetLine:
    r"""Fit :math:`a_{net} = b (v_{ref} - v_0)` (van Steen et al. 2025, by 28).

    The interval of the root v_0 is Fieller's (E. C. Fieller, *J. R. Stat. Soc. B* 16, 1954): all x
    at which a line through the data may be zero,
    :math:`(b(x - v_0))^2 \le t^2 s^2 (1/n + (x - \bar x)^2/S_{xx})`, with Student's t of n - 2.

    Args:
        reference: velocities, at least three, not all alike, shape (n,) [m/s].
        net: net feedback at each, shape (n,) [m/s].
        confidence: of the interval, between 0 and 1.

    Raises:
        OutOfRangeError: arrays that do not match, or through which there is no one line.
    """
    x = finite_array(reference, (np.size(reference),), "reference")
    y = finite_array(net, x.shape, "net")
    mean = x.mean() if x.size else 0.0
    spread = float(((x - mean) ** 2).sum())
    if x.size < 3 or spread <= 0.0:
        raise OutOfRangeError("reference", "at least three velocities, not all alike", reference)
    slope = float((x - mean) @ y) / spread
    if slope == 0.0:
        raise OutOfRangeError("net", "values that change with the reference", net)
    residual = float(np.sqrt(((y - y.mean() - slope * (x - mean)) ** 2).sum() / (x.size - 2)))
    root = float(mean - y.mean() / slope)
    from scipy.stats import t as student  # loads slowly

    quantile = float(student.ppf(0.5 + confidence / 2.0, x.size - 2))
    low, high = _interval(root - float(mean), slope, quantile * residual, x.size, spread)
    return NetLine(slope, root, low + float(mean), high + float(mean), residual, x.size)


def _interval(
    root: float, slope: float, error: float, count: int, spread: float
) -> tuple[float, float]:
    """Return the ends of Fieller's interval, both from the mean of the references [m/s].

    Args:
        root: of the line, from that mean [m/s].
        slope: of the line.
        error: t s [m/s].
        count: n.
        spread: S_xx [m^2/s^2].
    """
    a = slope**2 - error**2 / spread
    if a <= 0.0:
        return -np.inf, np.inf
    centre = slope**2 * root / a
    inside = centre**2 - (slope**2 * root**2 - error**2 / count) / a
    half = float(np.sqrt(max(inside, 0.0)))
    return centre - half, centre + half
