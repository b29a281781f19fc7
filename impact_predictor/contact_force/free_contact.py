# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
r"""A free mass against the (extended) Hunt-Crossley law, without an ODE solver.

With length :math:`L = (m v^2/k)^{1/(\eta+1)}` and time :math:`L/v` the motion depends on the
exponent and on :math:`s = d|v^-|/k` alone: :math:`\xi'' = -\xi^\eta(1 + s\xi')`,
:math:`\xi'(0) = 1`.
Penetration and rate are closed forms of one variable, time is one quadrature over it. The variable
is :math:`d = \ln(1+s) - \ln(1+s\xi')`, which resolves every s, and :math:`p = -s\xi'` where the
extended law separates. Own derivation; restitution at an exponent of 1 is in doc/theory.md.
All quantities here have no unit.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import numpy as np

SMALLEST = 1e-5  # below this s the law is elastic to five digits
PANELS = 40  # of the quadrature, per leg
TURN = 12.0  # how far beyond the turn the rate still changes quickly, in d
_GAUSS_POINTS, _GAUSS_WEIGHTS = np.polynomial.legendre.leggauss(4)

# maps the variable to penetration, rate and (exponent-free) slowness: dt = slowness/(s xi^eta)
_State = Callable[[np.ndarray], tuple[np.ndarray, np.ndarray, np.ndarray]]
_Leg = tuple[np.ndarray, np.ndarray, np.ndarray]  # durations, penetrations, rates


@dataclass(frozen=True)
class FreeContact:
    """Penetration and rate at instants from contact to separation, all without unit."""

    s: float
    exponent: float
    extended: bool
    time: np.ndarray  # shape (n,)
    penetration: np.ndarray  # shape (n,)
    rate: np.ndarray  # shape (n,), 1 at contact
    compression_end: float  # time of the largest penetration

    def force(self, time: np.ndarray) -> np.ndarray:
        """Return the force at ``time``, any shape; zero before contact and after separation."""
        from scipy.interpolate import CubicHermiteSpline  # loads slowly

        deceleration = self._law(self.penetration, self.rate)
        xi = CubicHermiteSpline(self.time, self.penetration, self.rate)(time)
        rate = CubicHermiteSpline(self.time, self.rate, -deceleration)(time)
        touching = (time >= 0.0) & (time <= self.time[-1])
        return np.where(touching, self._law(np.maximum(xi, 0.0), rate), 0.0)

    def _law(self, xi: np.ndarray, rate: np.ndarray) -> np.ndarray:
        ratio = self.s * rate
        if self.extended:
            factor = np.where(ratio < 0.0, np.exp(np.minimum(ratio, 0.0)), 1.0 + ratio)
            return xi**self.exponent * factor
        return xi**self.exponent * (1.0 + ratio)


def rebound(s: float, extended: bool = False) -> float:
    r"""Return the exact restitution at :math:`s = d|v^-|/k`, whatever the exponent.

    Hunt-Crossley: :math:`[1 + W_0(-(1+s)e^{-(1+s)})]/s`. Extended law:
    :math:`[1 + W_0((s - \ln(1+s) - 1)/e)]/s` (own derivation from Rey Arias 2024 eq. 7).
    """
    if s < SMALLEST:
        return 1.0 - (2.0 / 3.0) * s
    return (_extended_end(s) if extended else _plain_end(s) - s) / s


def free_contact(s: float, exponent: float, extended: bool = False) -> FreeContact:
    """Return the motion of a free mass from contact to separation.

    Args:
        s: damping times approach speed over stiffness; positive.
        exponent: eta, at least 1.
        extended: exponential while separating (Rey Arias 2024 eq. 7), else linear in the rate.
    """
    s = max(s, SMALLEST)
    turn = float(np.log1p(s))
    legs = [_leg(partial(_touching, s, exponent), s, exponent, 0.0, turn, exponent)]
    if extended:
        end, state = _extended_end(s), partial(_separating_extended, s, exponent)
        fast = end / 2.0
    else:
        end, state = _plain_end(s), partial(_separating, s, exponent)
        fast = min(TURN, (end - turn) / 2.0)
    left = end if extended else end - turn
    legs.append(_leg(state, s, exponent, left, -fast, 0.0))
    legs.append(_backwards(_leg(state, s, exponent, 0.0, left - fast, exponent)))
    time = np.append(0.0, np.cumsum(np.concatenate([leg[0] for leg in legs])))
    xi, rate = (np.concatenate([leg[i][bool(n) :] for n, leg in enumerate(legs)]) for i in (1, 2))
    return FreeContact(s, exponent, extended, time, xi, rate, float(time[PANELS]))


def _leg(
    state: _State, s: float, exponent: float, origin: float, span: float, power: float
) -> _Leg:
    """Integrate time over ``origin + span u^(power+1)``, u = 0..1.

    A power equal to the exponent takes out the singularity where the penetration is zero.
    """
    edges = np.linspace(0.0, 1.0, PANELS + 1)
    u = edges[:-1, None] + (_GAUSS_POINTS + 1.0) / (2 * PANELS)
    xi, _, slowness = state(origin + span * u ** (power + 1.0))
    speed_of_variable = abs(span) * (power + 1.0) * u**power
    durations = slowness * speed_of_variable / (s * xi**exponent) @ _GAUSS_WEIGHTS / (2 * PANELS)
    xi, rate, _ = state(origin + span * edges ** (power + 1.0))
    return durations, xi, rate


def _backwards(leg: _Leg) -> _Leg:
    return leg[0][::-1], leg[1][::-1], leg[2][::-1]


def _touching(
    s: float, exponent: float, d: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """State at ``d`` from contact."""
    energy = (1.0 + s) * -np.expm1(-d) - d
    return _xi(energy, s, exponent), np.expm1(np.log1p(s) - d) / s, np.ones_like(d)


def _separating(
    s: float, exponent: float, q: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """State ``q`` before separation, counted in d."""
    log_w = np.log1p(s) - _plain_end(s) + q
    energy = q + np.exp(log_w) * np.expm1(-q)
    return _xi(energy, s, exponent), np.expm1(log_w) / s, np.ones_like(q)


def _separating_extended(
    s: float, exponent: float, q: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """State ``q`` before separation, counted in p."""
    end = _extended_end(s)
    shrink = np.expm1(-q)
    energy = np.exp(end) * (shrink + q * np.exp(-q) - end * shrink)
    return _xi(energy, s, exponent), (q - end) / s, np.exp(end - q)


def _xi(energy: np.ndarray, s: float, exponent: float) -> np.ndarray:
    """Invert xi^(eta+1)/(eta+1) = energy/s^2."""
    return ((exponent + 1.0) * np.maximum(energy, 0.0) / s**2) ** (1.0 / (exponent + 1.0))


def _plain_end(s: float) -> float:
    """Return D > 0 with (1+s)(1 - e^-D) = D; Newton repairs Lambert's branch point."""
    from scipy.special import lambertw  # loads slowly

    w = 1.0 + s
    end = max(w + float(np.real(lambertw(-w * np.exp(-w)))), 2.0 * s * (1.0 - s))
    for _ in range(3):
        end -= (-w * np.expm1(-end) - end) / (w * np.exp(-end) - 1.0)
    return float(end)


def _extended_end(s: float) -> float:
    """Return p > 0 with e^p (p - 1) + 1 = s - ln(1+s); Newton repairs the branch point."""
    from scipy.special import lambertw  # loads slowly

    energy = s - np.log1p(s)
    end = max(1.0 + float(np.real(lambertw((energy - 1.0) / np.e))), s * (1.0 - s))
    for _ in range(3):
        end -= (end * np.exp(end) - np.expm1(end) - energy) / (end * np.exp(end))
    return float(end)
