# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Arms whose tool moves as asked."""

import numpy as np

from impact_robots import ArmDynamics


def moving(robot, velocity, turning=(0.0, 0.0, 0.0), q=None):
    """Joint velocities in ``q``, or the stance, that move the tool [m/s] and turn it [rad/s]."""
    J = ArmDynamics(robot)(robot.stance if q is None else q, np.zeros(robot.dof)).J
    return np.linalg.pinv(J) @ np.concatenate([velocity, turning])
