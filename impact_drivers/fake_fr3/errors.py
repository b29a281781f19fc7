# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""The errors of the arm by their index in the protocol."""

from __future__ import annotations

from collections.abc import Iterable

COUNT = 41
_PLACES = {
    "joint_position_limits_violation": 0,
    "joint_velocity_violation": 3,
    "joint_reflex": 6,
    "cartesian_reflex": 7,
    "communication_constraints_violation": 25,
    "controller_torque_discontinuity": 32,
    "tau_j_range_violation": 34,
}


def flags(names: Iterable[str]) -> tuple[bool, ...]:
    """Return the errors as the arm sends them, shape (41,)."""
    places = {_PLACES[name] for name in names}
    return tuple(place in places for place in range(COUNT))
