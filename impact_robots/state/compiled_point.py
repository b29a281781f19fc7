# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""The motion of a frame's origin out of what pinocchio has computed for its joint, compiled."""

from __future__ import annotations

import numpy as np

from impact_robots.compiling.array_kinds import Matrix, ToVector, Vector
from impact_robots.compiling.compiled import compiled
from impact_robots.compiling.plain_numbers import JointNumbers, PointNumbers
from impact_robots.compiling.small_algebra import cross


@compiled
def point_motion(dq: Vector, joint: JointNumbers, point: PointNumbers) -> None:
    """Write the motion of a frame's origin.

    Args:
        dq: velocities, shape (n,).
        joint: of the frame; acceleration is that without accelerations of the joints.
        point: written.
    """
    J, position, drift, R, lever = point.J, point.position, point.drift, joint.rotation, joint.lever
    J[:], point.twist[:], point.rotation[:] = 0.0, 0.0, 0.0
    pull = cross(joint.angular, lever)
    for i in range(3):
        position[i], drift[i], drift[3 + i] = joint.position[i], joint.gravity[i], 0.0
        for k in range(3):
            position[i] += R[i, k] * lever[k]
            drift[i] += R[i, k] * (joint.linear[k] + pull[k])
            drift[3 + i] += R[i, k] * joint.angular[k]
            for j in range(3):
                point.rotation[i, j] += R[i, k] * joint.frame_rotation[k, j]
    for column in range(len(dq)):
        if joint.moves[column] == 0.0:
            continue
        turning = cross(joint.J[3:, column], position)
        for i in range(3):
            J[i, column] = joint.J[i, column] + turning[i]
            J[3 + i, column] = joint.J[3 + i, column]
        for i in range(6):
            point.twist[i] += J[i, column] * dq[column]
    turning = cross(point.twist[3:], point.twist[:3])
    for i in range(3):
        drift[i] += turning[i]


@compiled
def add_force_about(
    point: Vector,
    rotation: Matrix,
    position: Vector,
    linear: Vector,
    angular: Vector,
    wrench: ToVector,
) -> None:
    """Add a spatial force in a joint's axes to a wrench about a point, in O.

    Args:
        point: in O, shape (3,) [m].
        rotation: axes of the joint, in O, shape (3, 3).
        position: its origin in O, shape (3,) [m].
        linear: the force, own axes, shape (3,) [N].
        angular: its moment about the joint's origin, own axes, shape (3,) [N.m].
        wrench: added to, force and moment, shape (6,) [N; N.m].
    """
    lever, force = np.empty(3), np.zeros(3)
    for i in range(3):
        lever[i] = position[i] - point[i]
        for k in range(3):
            force[i] += rotation[i, k] * linear[k]
            wrench[3 + i] += rotation[i, k] * angular[k]
    moment = cross(lever, force)
    for i in range(3):
        wrench[i] += force[i]
        wrench[3 + i] += moment[i]
