# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Quaternions of rotations, by tf_transformations where it is installed, else by transforms3d."""

from __future__ import annotations

import numpy as np

try:
    from tf_transformations import quaternion_from_matrix
except ImportError:  # without ROS, or without that package
    from transforms3d.quaternions import mat2quat

    quaternion_from_matrix = None


def quaternion_wxyz(rotation: np.ndarray) -> np.ndarray:
    """Return the unit quaternion of a rotation.

    Args:
        rotation: Rotation matrix, shape (3, 3).

    Returns:
        w, x, y, z, shape (4,): the order of MuJoCo. ROS messages hold x, y, z, w.
    """
    if quaternion_from_matrix is None:
        return np.asarray(mat2quat(rotation))
    placement = np.eye(4)
    placement[:3, :3] = rotation
    x, y, z, w = quaternion_from_matrix(placement)
    return np.array([w, x, y, z])
