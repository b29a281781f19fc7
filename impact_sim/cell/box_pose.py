# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""The message with the pose of a simulated box."""

from __future__ import annotations

from geometry_msgs.msg import PoseStamped

from impact_ros.messages import from_nanoseconds, set_orientation, set_vector
from impact_sim.cell.cell_plant import BoxState

WORLD = "world"


def pose_message(stamp_ns: int, box: BoxState) -> PoseStamped:
    """Return the pose of a box's centre in the world, at a stamp [ns]."""
    message = PoseStamped()
    from_nanoseconds(stamp_ns, message.header.stamp)
    message.header.frame_id = WORLD
    set_vector(message.pose.position, box.position)
    set_orientation(message.pose.orientation, box.rotation)
    return message
