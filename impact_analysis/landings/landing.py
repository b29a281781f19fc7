# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""A recorded landing of a robot with a floating base, in the robot's own order of joints."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class LossWeights:
    """Of the squared errors of a simulated state against the recorded one.

    Angles in rad, lengths in m, seconds; the loss has no unit of its own.
    """

    position: float  # of the base's position
    turn: float  # of the squared angle between the orientations
    joint: float  # of every joint position
    linear: float  # of the base's linear velocity
    angular: float  # of the base's angular velocity
    joint_velocity: np.ndarray  # of each joint's velocity, shape (n,)


@dataclass(frozen=True)
class Landing:
    """States and motor torques at k equidistant samples.

    Positions and velocities are those of a floating robot, see
    ``impact_robots.description.floating_base``.
    """

    name: str
    period: float  # between samples [s]
    q: np.ndarray  # shape (k, nq)
    v: np.ndarray  # as recorded, shape (k, nv)
    v_differentiated: np.ndarray  # base as recorded, joints from their positions, shape (k, nv)
    torques: np.ndarray  # of the motors, shape (k, n) [N.m]
    weights: LossWeights
