# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""The published friction law: friction keeps the direction of the slip before the impact.

Rey Arias 2024: full reference in doc/theory.md.
"""

from __future__ import annotations

from math import hypot, nan

from impact_predictor.impact_result import ContactMode, Flag
from impact_predictor.laws.friction_law import FRICTION_LAWS, Answer, FrictionLaw
from impact_predictor.symmetric3 import Matrix, Triple, times

_LEAST_SLIP = 1e-6  # slip that has a direction [m/s]
_UNDEFINED = int(Flag.SLIP_UNDEFINED)


def sliding_impulse(G: Matrix, v: Triple, friction: float, restitution: float = 0.0) -> Answer:
    """Return the impulse on the robot in p [N.s], with mode and flags; Rey Arias 2024 (11)-(16).

    Without slip before the impact friction has no direction and is left out (flag). Where no
    impulse stops the approach (jamming), the impulse is NaN. Where the slip turns around, friction
    would do work: reversal.

    Args:
        G: Delassus matrix J M^-1 J^T in p, three rows [1/kg].
        v: velocity of the contact point in p, z component negative [m/s].
        friction: coefficient mu >= 0 [-].
        restitution: coefficient e, 0 to 1 [-].
    """
    slip = hypot(v[0], v[1])
    ux, uy = (v[0] / slip, v[1] / slip) if slip >= _LEAST_SLIP else (0.0, 0.0)
    flags = _UNDEFINED if slip < _LEAST_SLIP and friction > 0.0 else 0
    direction = (-friction * ux, -friction * uy, 1.0)
    gx, gy, gn = times(G, direction)
    if gn <= 0.0:
        return (nan, nan, nan), ContactMode.UNKNOWN, flags | int(Flag.JAMMING)
    normal = -(1 + restitution) * v[2] / gn
    impulse = (direction[0] * normal, direction[1] * normal, normal)
    if friction > 0.0 and ux * (v[0] + gx * normal) + uy * (v[1] + gy * normal) < 0.0:
        return impulse, ContactMode.REVERSAL, flags | int(Flag.FRICTION_REVERSAL)
    return impulse, ContactMode.SLIDE, flags


FRICTION_LAWS.register(
    FrictionLaw(
        "sliding", sliding_impulse, "as published: friction opposes the slip before the impact"
    )
)
