# SPDX-License-Identifier: Apache-2.0
"""The published friction law: friction keeps the direction of the slip before the impact.

P1 is Rey Arias, Weekers, Morganti, Padois, Saccon, RA-L 2024.
"""

from __future__ import annotations

import numpy as np

from impact_predictor.impact_result import ContactMode, Flag

_LEAST_SLIP = 1e-6  # slip that has a direction [m/s]


def sliding_impulse(
    G: np.ndarray, velocity: np.ndarray, friction: float, restitution: float = 0.0
) -> tuple[np.ndarray, ContactMode, Flag]:
    """Return the impulse on the robot in p, shape (3,) [N.s], with mode and flags; P1 (11)-(16).

    Without slip before the impact friction has no direction and is left out (flag). Where no
    impulse stops the approach (jamming), the impulse is NaN. Where the slip turns around, friction
    would do work: reversal.

    Args:
        G: Delassus matrix J M^-1 J^T in p, shape (3, 3) [1/kg].
        velocity: of the contact point in p, z component negative, shape (3,) [m/s].
        friction: coefficient mu >= 0 [-].
        restitution: coefficient e, 0 to 1 [-].
    """
    flags = Flag.NONE
    slip = np.hypot(velocity[0], velocity[1])
    u = np.zeros(2)
    if slip >= _LEAST_SLIP:
        u = velocity[:2] / slip
    elif friction > 0.0:
        flags |= Flag.SLIP_UNDEFINED
    direction = np.array([-friction * u[0], -friction * u[1], 1.0])
    per_normal = G @ direction
    if per_normal[2] <= 0.0:
        return np.full(3, np.nan), ContactMode.UNKNOWN, flags | Flag.JAMMING
    impulse = -(1 + restitution) * velocity[2] / per_normal[2] * direction
    if friction > 0.0 and u @ (velocity[:2] + G[:2] @ impulse) < 0.0:
        return impulse, ContactMode.REVERSAL, flags | Flag.FRICTION_REVERSAL
    return impulse, ContactMode.SLIDE, flags
