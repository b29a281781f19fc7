# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
r"""Torque sensors that show too little: how much of the arm's own gravity they show before a hit.

The factor :math:`\gamma = \tau^T e/(e^T e)` takes what is expected, :math:`e = h + M\ddot q`, to
the measured :math:`\tau`. Joints that carry much count most; it is one factor for all joints.
"""

from __future__ import annotations

import numpy as np

from impact_predictor.exceptions import PredictionError
from impact_predictor.recorded_hit import RecordedHit
from impact_robots.dynamics import ArmDynamics
from impact_robots.robot import Robot

CARRIED = 5.0  # gravity of all joints together, below which there is nothing to see it by [N.m]
TRUE = 0.95  # gain from which sensors count as true: links' masses are not known better
LEAST = 0.6  # gain below which it is not one of sensors but another arm or payload


def shown_gravity(robot: Robot, hit: RecordedHit, quiet: np.ndarray) -> float:
    """Return the gain of the torque sensors, measured over true [-]; 1 where they are not low.

    Sensors that show more than there is, or an arm that carries more than its model, make loads
    look higher than they are: then it is 1, too.

    Args:
        robot: the arm.
        hit: its torques count with gravity.
        quiet: samples of the motion before contact, shape (k,).

    Raises:
        PredictionError: the sensors show so little that the arm cannot be the one of the model.
    """
    arm = ArmDynamics(robot)
    middle = quiet[len(quiet) // 2]
    time = hit.time[quiet] - hit.time[middle]
    acceleration = np.polyfit(time, hit.velocity[quiet], 1)[0]
    state = arm(hit.position[middle], hit.velocity[quiet].mean(axis=0))
    expected = state.h + state.robot_state.M @ acceleration
    if not np.linalg.norm(state.g) >= CARRIED:
        return 1.0
    gain = float(hit.torque[quiet].mean(axis=0) @ expected / (expected @ expected))
    if not gain >= LEAST:
        raise PredictionError(
            f"hit: expected torques of at least {LEAST:g} of the arm's gravity before the touch,"
            f" got {gain:.2f}: another arm, another mounting, or torques without gravity"
        )
    return 1.0 if gain >= TRUE else gain
