# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""The base of a robot: fixed, or floating with a pose and six velocities.

A floating base is pinocchio's free-flyer, the model's first joint: q begins with the base's
position in the world and its quaternion x, y, z, w; velocities begin with the linear and the
angular one of the base, both in the base's axes.
"""

from __future__ import annotations

import numpy as np
import pinocchio as pin
from numpy.typing import ArrayLike

from impact_robots.entries import Entries
from impact_robots.exceptions import OutOfRangeError
from impact_robots.validation import finite_array

BASES = ("fixed", "floating")
BASE_VELOCITIES = ("base_x", "base_y", "base_z", "base_roll", "base_pitch", "base_yaw")
ROOT = "root_joint"  # pinocchio's name of a free-flyer


def read_base(entries: Entries) -> str:
    """Return the kind of base in a robot's YAML.

    Raises:
        RobotError: neither of :data:`BASES`.
    """
    return entries.text("base", "fixed", BASES)


def is_floating(model: pin.Model) -> bool:
    """Return whether a model's first joint is a free-flyer."""
    return bool(model.njoints > 1 and model.joints[1].nv == 6)


def joint_names(model: pin.Model) -> tuple[str, ...]:
    """Return the joints of one coordinate: all but a floating base's."""
    return tuple(model.names)[2 if is_floating(model) else 1 :]


def base_turned(q: np.ndarray) -> np.ndarray:
    """Return the rotation from base to world axes, shape (3, 3), of a floating robot's q (nq,)."""
    return np.array(pin.Quaternion(q[3:7]).toRotationMatrix())


def floating_position(position: ArrayLike, quaternion: ArrayLike, joints: ArrayLike) -> np.ndarray:
    """Return q of a floating robot, shape (7 + n,).

    Args:
        position: of the base in the world, shape (3,) [m].
        quaternion: of its axes, x, y, z, w, shape (4,); any length.
        joints: shape (n,) [rad].

    Raises:
        OutOfRangeError: an array of the wrong shape or not finite, or an invalid quaternion.
    """
    turn = finite_array(quaternion, (4,), "quaternion")
    if not turn.any():
        raise OutOfRangeError("quaternion", "four numbers, not all zero", quaternion)
    return np.concatenate(
        [
            finite_array(position, (3,), "position"),
            turn / np.linalg.norm(turn),
            finite_array(joints, (np.size(joints),), "joints"),
        ]
    )


def floating_velocity(
    q: np.ndarray, linear: ArrayLike, angular: ArrayLike, joints: ArrayLike
) -> np.ndarray:
    """Return the velocities of a floating robot, shape (6 + n,).

    Args:
        q: positions, shape (7 + n,).
        linear: of the base's origin, in world axes, shape (3,) [m/s].
        angular: of the base, in world axes, shape (3,) [rad/s].
        joints: shape (n,) [rad/s].

    Raises:
        OutOfRangeError: an array of the wrong shape, or not finite.
    """
    R = base_turned(q)
    return np.concatenate(
        [
            R.T @ finite_array(linear, (3,), "linear"),
            R.T @ finite_array(angular, (3,), "angular"),
            finite_array(joints, (len(q) - 7,), "joints"),
        ]
    )
