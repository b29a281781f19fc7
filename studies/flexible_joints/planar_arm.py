# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""The planar arm simulated by Rey Arias 2024: joints 2, 4 and 6 of a Panda in the plane y = 0."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from impact_bags.exceptions import AnalysisError
from impact_robots import ArmDynamics, PointState, Robot, load_robot
from studies.published import PLANAR_ARM

PLANE = [0, 2, 4]  # rows of the spatial Jacobian that matter: x, z and rotation about y
_START = np.array([0.0, -2.0, 2.0])  # elbow up [rad]
_LARGEST_STEP = 0.1  # of one iteration [rad]


def planar_arm(stiffness: Sequence[float], damping: Sequence[float]) -> Robot:
    """Return the arm with joint stiffness K [N.m/rad] and damping D [N.m.s/rad], both (3,)."""
    return replace(
        load_robot(PLANAR_ARM),
        joint_stiffness=np.array(stiffness, dtype=float),
        joint_damping=np.array(damping, dtype=float),
    )


def plane_pose(state: PointState) -> np.ndarray:
    """Return x and z of the contact point [m] and the pitch of the tool [rad], shape (3,).

    Pitch is the angle of the tool's axis from the upward vertical: pi points straight down.
    """
    axis = state.rotation[:, 2]
    return np.array([state.position[0], state.position[2], np.arctan2(axis[0], axis[2])])


def pose_error(wanted: np.ndarray, found: np.ndarray) -> np.ndarray:
    """Return ``wanted`` minus ``found``, both plane poses (3,), the angle in -pi to pi."""
    error = wanted - found
    error[2] = np.angle(np.exp(1j * error[2]))
    return error


def inverse_plane_kinematics(robot: Robot, pose: np.ndarray) -> np.ndarray:
    """Return joint positions, shape (3,) [rad], at a plane pose (x [m], z [m], pitch [rad]).

    Raises:
        AnalysisError: the pose is out of reach.
    """
    dynamics, q = ArmDynamics(robot), _START
    for _ in range(200):
        state = dynamics(q, np.zeros(3))
        error = pose_error(pose, plane_pose(state))
        if np.abs(error).max() < 1e-12:
            return q
        q = q + np.linalg.solve(state.J[PLANE], np.clip(error, -_LARGEST_STEP, _LARGEST_STEP))
    raise AnalysisError(f"planar arm: expected a pose within reach, got {pose.tolist()}")
