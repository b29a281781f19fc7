# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""What each link adds to the mass matrix."""

from __future__ import annotations

import numpy as np
import pinocchio as pin

from impact_robots.robot import Robot


def link_inertias(robot: Robot, q: np.ndarray) -> np.ndarray:
    """Return the part of M that is each joint's body's, shape (n, n, n) [kg.m^2]; their sum is M.

    Row i is J_i^T I_i J_i of the body that moves with joint i: a body that weighs 1 % more, in the
    same shape, adds 1 % of it.

    Args:
        robot: the arm.
        q: joint positions, shape (n,) [rad].
    """
    model, data = robot.model, robot.model.createData()
    pin.computeJointJacobians(model, data, np.asarray(q, dtype=float))
    jacobians = [pin.getJointJacobian(model, data, i, pin.LOCAL) for i in range(1, model.njoints)]
    bodies = [model.inertias[i].matrix() for i in range(1, model.njoints)]
    return np.array([J.T @ body @ J for J, body in zip(jacobians, bodies, strict=True)])
