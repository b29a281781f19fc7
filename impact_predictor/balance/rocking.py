# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
r"""A pushed body on its support: it gives like a spring up to the edge, then turns about it.

The inverted pendulum of a robot whose zero-moment point saturates at the edge of its support
(Kajita et al. 2001; Stephens, Humanoids 2007, with the inertia about the edge):

.. math:: I\ddot\theta = M(t) + m g z\,\theta - \min(k\theta, m g d)

M is the push's moment about the edge, z the centre of mass's height, d its level distance from the
edge. Here theta is divided by d/z, at which the centre of mass is above the edge, moments by m g d,
and times are multiplied by the rate :math:`\lambda = \sqrt{m g z/I}`; ``give`` is m g z/k.
"""

from __future__ import annotations

from math import acos, cos, exp, expm1, inf, sin, sqrt

_HALVINGS = 60  # of the interval of moments


def largest_moment(duration: float, give: float) -> float:
    """Return the constant moment, over m g d, beyond which a push tips the body.

    Sustained and sudden it is 1 - sqrt(give), very short sqrt(1 - give)/duration, for a stiff
    support (give 0) 1/(1 - exp(-duration)).

    Args:
        duration: of the push, above 0, times lambda; ``inf`` for a sustained one.
        give: in [0, 1); with 1 the body would not stand.
    """
    if give <= 0.0:
        return -1.0 / expm1(-duration)
    if duration == inf:
        return 1.0 - sqrt(give)
    low, high = 0.0, -1.0 / expm1(-duration)
    for _ in range(_HALVINGS):
        middle = 0.5 * (low + high)
        low, high = (low, middle) if _tips(middle, duration, give) else (middle, high)
    return low


def largest_impulse(give: float) -> float:
    """Return the angular impulse, times lambda/(m g d), beyond which the body tips."""
    return sqrt(1.0 - give)


def _tips(moment: float, duration: float, give: float) -> bool:
    """Return whether a push turns the body beyond where it comes back."""
    rate = sqrt(1.0 / give - 1.0)  # of the spring's oscillation
    turned = 1.0 - give * rate**2 / moment  # cos(rate t) when it reaches the edge
    lifts = acos(turned) / rate if turned >= -1.0 else inf
    if lifts < duration:
        ahead = give + moment / rate * sin(rate * lifts)  # angle + velocity, which grow alone
        left = ahead + moment - 1.0
        return left > 0.0 and left * exp(min(duration - lifts, 500.0)) - (moment - 1.0) > 1.0
    angle = moment / rate**2 * (1.0 - cos(rate * duration))
    velocity = moment / rate * sin(rate * duration)
    energy = (rate * angle) ** 2 + velocity**2 - (rate * give) ** 2  # left at the edge
    return energy > 0.0 and give + sqrt(energy) > 1.0
