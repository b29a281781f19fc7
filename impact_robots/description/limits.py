# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""The limits of a robot: from its YAML, else from its URDF, else unknown."""

from __future__ import annotations

import numpy as np
import pinocchio as pin

from impact_robots.description.floating_base import joint_names
from impact_robots.entries import ABOVE_0, Entries
from impact_robots.robot import JointLimits
from impact_robots.urdf.urdf_limits import UrdfLimit, check_against_urdf

_NOT_IN_A_URDF = ("acceleration", "jerk", "torque_rate", "impulsive_torque", "torque_range")


def read_limits(entries: Entries, model: pin.Model) -> JointLimits:
    """Return the limits; each joint must have a range of positions; NaN is unknown.

    Args:
        entries: of the YAML.
        model: of the joints that move, from the URDF, where 0 means an unknown limit.

    Raises:
        RobotError: a wrong entry, no range of positions, or a limit wider than the URDF's.
    """
    n = len(joint_names(model))  # the last of the model's
    unknown = np.full(n, np.nan)
    lower = entries.vector("position_lower", n, model.lowerPositionLimit[-n:])
    upper = entries.vector("position_upper", n, model.upperPositionLimit[-n:])
    if np.any(lower >= upper):
        raise entries.error("position_lower", "less than position_upper", lower.tolist())
    fastest = _known(model.upperVelocityLimit[-n:])
    strongest = _known(model.upperEffortLimit[-n:])
    velocity = entries.vector("velocity", n, fastest, ABOVE_0)
    torque = entries.vector("torque", n, strongest, ABOVE_0)
    compared = (
        UrdfLimit("position_lower", lower, model.lowerPositionLimit[-n:], -1.0),
        UrdfLimit("position_upper", upper, model.upperPositionLimit[-n:]),
        UrdfLimit("velocity", velocity, fastest),
        UrdfLimit("torque", torque, strongest),
    )
    check_against_urdf(entries, joint_names(model), compared)
    return JointLimits(
        position_lower=lower,
        position_upper=upper,
        velocity=velocity,
        torque=torque,
        **{key: entries.vector(key, n, unknown, ABOVE_0) for key in _NOT_IN_A_URDF},
    )


def _known(limit: np.ndarray) -> np.ndarray:
    """Return a URDF's limits; NaN for zero or missing ones."""
    return np.where((limit > 0.0) & np.isfinite(limit), limit, np.nan)
