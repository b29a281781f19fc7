# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
r"""Gain of torque sensors that read too low, from the arm's gravity before a hit.

The gain :math:`\gamma = \tau^T e/(e^T e)` relates the measured :math:`\tau` to the expected torque,
:math:`e = h + M\ddot q`. It is common to all joints; joints with large torques dominate.
"""

from __future__ import annotations

import numpy as np

from impact_predictor.exceptions import PredictionError
from impact_predictor.recorded_hit import RecordedHit
from impact_robots.dynamics import ArmDynamics
from impact_robots.robot import Robot

CARRIED = 5.0  # smallest gravity torque of all joints for an estimate [N.m]
TRUE = 0.95  # gain from which sensors are accepted: links' masses are not known better
LEAST = 0.6  # smallest plausible gain; below: another arm or payload


def shown_gravity(robot: Robot, hit: RecordedHit, quiet: np.ndarray) -> float:
    """Return the gain of the torque sensors, measured over true [-]; 1 where they are not low.

    If sensors read too high, or the arm has a larger payload than its model, loads are
    overestimated: then it is 1, too.

    Args:
        robot: the arm.
        hit: its torques count with gravity.
        quiet: samples of the motion before contact, shape (k,).

    Raises:
        PredictionError: the gain is too small for the arm of the model.
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
            f"hit: expected torques of at least {LEAST:g} of the arm's gravity before contact,"
            f" got {gain:.2f}: another arm, another mounting, or torques without gravity"
        )
    return 1.0 if gain >= TRUE else gain
