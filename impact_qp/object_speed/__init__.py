# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Safe speeds of arms with plates that hit a movable object, by the impact limits."""

from impact_qp.object_speed.delays import DelayedBound
from impact_qp.object_speed.object_hit import ArmForces, ObjectHit
from impact_qp.object_speed.safe_scale import (
    OBJECT_LIMITS,
    ObjectBound,
    ObjectSpeeds,
    object_speeds,
)

__all__ = [
    "OBJECT_LIMITS",
    "ArmForces",
    "DelayedBound",
    "ObjectBound",
    "ObjectHit",
    "ObjectSpeeds",
    "object_speeds",
]
