# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""The motion of a frame's origin out of what pinocchio has computed for its joint, compiled."""

from __future__ import annotations

from impact_robots.compiling.array_kinds import Vector
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
