# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Joint speeds of an arm that follows references of its contact point."""

from __future__ import annotations

import numpy as np
import pinocchio as pin

from impact_qp.references.quintics import Quintics
from impact_robots.dynamics import ArmDynamics
from impact_robots.robot import Robot

_STEP = 5e-3  # [s]
_PULL = 50.0  # back to the reference [1/s]


def fastest_joints(
    robot: Robot, reference: Quintics, rotation: np.ndarray, q: np.ndarray, until: float
) -> np.ndarray:
    """Return the highest speed of each joint along a path, shape (n,) [rad/s].

    Args:
        robot: an arm whose joints are determined by contact point, orientation and first joint.
        reference: of [p; xi], from its first knot on.
        rotation: constant, contact frame's axes in base axes, shape (3, 3).
        q: start of the arm, shape (n,) [rad].
        until: end of the path [s].
    """
    dynamics, fastest = ArmDynamics(robot), np.zeros(robot.dof)
    first, still = np.eye(1, robot.dof), np.zeros(robot.dof)
    for time in np.arange(reference.start, until + _STEP / 2, _STEP):
        point, motion = dynamics(q, still), reference(float(time))
        missing = motion.position - np.append(point.position, point.q[0])
        turn = point.rotation @ pin.log3(point.rotation.T @ rotation)
        straight = motion.velocity + _PULL * missing
        wanted = np.concatenate([straight[:3], _PULL * turn, straight[3:]])
        dq = np.linalg.lstsq(np.vstack([point.J, first]), wanted, rcond=1e-6)[0]
        fastest = np.maximum(fastest, np.abs(dq))
        q = q + _STEP * dq
    return fastest
