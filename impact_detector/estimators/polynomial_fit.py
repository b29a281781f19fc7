# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Least-squares polynomials through several joints at once."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np


class PolynomialFit(NamedTuple):
    """A polynomial of each of n joints."""

    slope: np.ndarray  # at time 0, shape (n,) [1/s of the values]
    residual: np.ndarray  # at the samples, shape (N, n)


def polynomial_fit(t: np.ndarray, values: np.ndarray, degree: int, window: float) -> PolynomialFit:
    """Return the fit of a polynomial to each column.

    Args:
        t: times, shape (N,) [s].
        values: shape (N, n).
        degree: of the polynomial, at least 1.
        window: about the span of the times, in which they are measured: it conditions the fit [s].
    """
    basis = np.vander(t / window, degree + 1, increasing=True)
    coefficients = np.linalg.lstsq(basis, values, rcond=None)[0]
    return PolynomialFit(coefficients[1] / window, values - basis @ coefficients)
