# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Friction along the path of the slip, compiled; equations are in ``laws.slip_path``."""

from __future__ import annotations

from math import hypot, sqrt

from impact_predictor import symmetric3
from impact_predictor.symmetric3 import Rows, Triple
from impact_robots.compiling.compiled import compiled, part

STEP = 0.2  # of the clock, over the fastest relative change of the slip
_STILL = 1e-10  # slip over the velocity before at which it has ended
_MOST = 20000  # steps; a slip that ends slower than exponentially is taken as ended
_HALVINGS = 60  # of the step that holds the end

_times = part(symmetric3.times)


@part
def _turned(G: Rows, v: Triple, mu: float, q: Triple) -> Triple:
    """Return dq/dtau of the impulse q: friction -mu s and normal |s|, s the slip at q."""
    x, y, _ = _times(G, q)
    x, y = v[0] + x, v[1] + y
    return -mu * x, -mu * y, hypot(x, y)


@part
def _along(q: Triple, rate: Triple, h: float) -> Triple:
    return q[0] + h * rate[0], q[1] + h * rate[1], q[2] + h * rate[2]


@part
def _stepped(G: Rows, v: Triple, mu: float, q: Triple, h: float) -> Triple:
    """Return the impulse one step on (Runge, Kutta)."""
    a = _turned(G, v, mu, q)
    b = _turned(G, v, mu, _along(q, a, h / 2))
    c = _turned(G, v, mu, _along(q, b, h / 2))
    d = _turned(G, v, mu, _along(q, c, h))
    return _along(_along(_along(_along(q, a, h / 6), b, h / 3), c, h / 3), d, h / 6)


@compiled
def slip_path(
    G: Rows, v: Triple, mu: float, ended: Triple, start: Triple, stop: float, by_impulse: bool
) -> tuple[Triple, bool]:
    """Return the impulse at the end of a path [N.s], and whether the slip has ended on the way.

    Args:
        G: Delassus matrix in p, three rows.
        v: velocity of the contact point in p before the impact.
        mu: friction.
        ended: impulse per normal impulse once the slip has ended: what sticks, or begins to slide.
        start: impulse at which the path begins.
        stop: normal velocity after it [m/s], or normal impulse [N.s].
        by_impulse: whether ``stop`` is an impulse.
    """
    size = sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2])
    fastest = mu * (G[0][0] + G[1][1]) + hypot(G[0][2], G[1][2])
    q, h = start, 0.0 if fastest == 0.0 else STEP / fastest
    for _ in range(_MOST if mu > 0.0 else 0):
        x, y, _ = _times(G, q)
        if hypot(v[0] + x, v[1] + y) <= _STILL * size:
            break
        after = _stepped(G, v, mu, q, h)
        left = stop - (after[2] if by_impulse else v[2] + _times(G, after)[2])
        if left > 0.0:
            q = after
            continue
        low, high = 0.0, h
        for _ in range(_HALVINGS):
            middle = (low + high) / 2
            after = _stepped(G, v, mu, q, middle)
            left = stop - (after[2] if by_impulse else v[2] + _times(G, after)[2])
            low, high = (middle, high) if left > 0.0 else (low, middle)
        return _stepped(G, v, mu, q, high), False
    direction = ended if mu > 0.0 else (0.0, 0.0, 1.0)
    left = stop - (q[2] if by_impulse else v[2] + _times(G, q)[2])
    slope = 1.0 if by_impulse else _times(G, direction)[2]
    return _along(q, direction, max(left, 0.0) / slope), mu > 0.0
