# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""External loads as a Franka arm estimates and filters them itself, from its driver's topics."""

from __future__ import annotations

from collections import defaultdict
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from impact_bags.bag_recording import JOINT_STATE, UNREADABLE, WRENCH
from impact_bags.reading.reader import BagReader
from impact_bags.series import Series, series
from impact_robots.robot import Robot
from impact_ros.joints import JointReader
from impact_ros.messages import to_nanoseconds, vector

# Of franka_ros2's franka_robot_state_broadcaster; `impact hit` records the first one, too.
TORQUES = "franka_robot_state_broadcaster/external_joint_torques"  # effort: tau_ext_hat_filtered
FORCES = "franka_robot_state_broadcaster/external_wrench_in_base_frame"  # O_F_ext_hat_K
STATE = "franka_msgs/msg/FrankaRobotState"


class ArmEstimate(NamedTuple):
    """The arm's own estimate of external loads; without rows where it was not recorded."""

    torque: Series  # of the joints, shape (k, n) [N.m]
    force: Series  # and moment, axes of the base, shape (k, 6) [N], [N.m]


def read_arm_estimate(path: Path, robot: Robot) -> ArmEstimate:
    """Return what a bag says of the arm's own estimate.

    Raises:
        RecordingError: nothing of the bag can be read.
    """
    joints, n = JointReader(robot.joint_names), robot.dof
    found: dict[str, list[tuple[int, np.ndarray]]] = defaultdict(list)
    with BagReader(path, salvage=True) as bag:
        kinds = {topic: info.type_name for topic, info in bag.topics.items()}
        named = [topic for topic, kind in kinds.items() if _is_estimate(topic, kind)]
        topics = named or [topic for topic, kind in kinds.items() if kind == STATE]
        for topic, _, message in bag.messages(topics) if topics else ():
            with suppress(*UNREADABLE):
                time = to_nanoseconds(message.header.stamp)
                if kinds[topic] != WRENCH:
                    found["torque"].append((time, _torque(message, joints)))
                if kinds[topic] != JOINT_STATE:
                    found["force"].append((time, _force(message)))
    return ArmEstimate(_series(found["torque"], n), _series(found["force"], 6))


def _is_estimate(topic: str, kind: str) -> bool:
    wanted = {JOINT_STATE: TORQUES, WRENCH: FORCES}
    return kind in wanted and topic.endswith(f"/{wanted[kind]}")


def _torque(message: Any, joints: JointReader) -> np.ndarray:
    state = getattr(message, "tau_ext_hat_filtered", message)
    return joints.read(state).effort


def _force(message: Any) -> np.ndarray:
    wrench = getattr(message, "o_f_ext_hat_k", message).wrench
    return np.concatenate([vector(wrench.force), vector(wrench.torque)])


def _series(rows: list[tuple[int, np.ndarray]], width: int) -> Series:
    return series([time for time, _ in rows], [values for _, values in rows], width)
