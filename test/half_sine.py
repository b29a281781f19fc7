# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""What a first-order observer sees of a half sine, in closed form: judges the filter by numbers."""

import numpy as np
from scipy.optimize import brentq


def observed_fraction(a: float) -> float:
    r"""Return the fraction of a half sine's peak that a first-order observer sees.

    .. math:: \rho(a) = \max_{0 \le \phi \le \pi} \frac{a}{1 + a^2}
              \left(a \sin\phi - \cos\phi + e^{-a\phi}\right), \quad a = 2 f_c T

    Response of a first-order low-pass of cut-off :math:`f_c` to a half sine of duration T.
    """
    phi = brentq(lambda x: a * np.cos(x) + np.sin(x) - a * np.exp(-a * x), 1e-6, np.pi)
    return float(a / (1.0 + a * a) * (a * np.sin(phi) - np.cos(phi) + np.exp(-a * phi)))
