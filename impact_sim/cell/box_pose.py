# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""The message with the pose of a simulated box."""

from __future__ import annotations

import numpy as np
from geometry_msgs.msg import PoseStamped

from impact_robots.state.quaternions import quaternion_wxyz
from impact_ros.message_fields import pose_fields, stamped, write
from impact_sim.cell.cell_plant import BoxState

WORLD = "world"


def pose_message(stamp_ns: int, box: BoxState) -> PoseStamped:
    """Return the pose of a box's centre in the world, at a stamp [ns]."""
    pose = pose_fields(box.position, np.roll(quaternion_wxyz(box.rotation), -1))
    write(message := PoseStamped(), stamped(stamp_ns, WORLD, {"pose": pose}))
    return message
