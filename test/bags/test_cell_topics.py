# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Which arms and which object a bag has, by the names and types of its topics."""

import numpy as np
import pytest

pytest.importorskip("rosbags")

from impact_bags import BagWriter, impact_typestore
from impact_bags.reading.cell_topics import cell_topics
from impact_bags.writing.message_maker import MessageMaker

OWN = "impact_qp/desired_joint_states"


def bag(path, *topics):
    """Write one message on each topic, of the type that its name suggests."""
    types = impact_typestore()
    make = MessageMaker(types, "base")
    nothing = np.zeros(1)
    with BagWriter(path, types) as writer:
        for topic in topics:
            if topic.endswith("joint_states"):
                made = make.joint_state(0, ["a"], nothing, nothing, nothing)
            elif "reference" in topic or "twist" in topic:
                made = make.velocity(0, np.zeros(3))
            elif "wrench" in topic:
                made = make.wrench(0, np.zeros(3))
            else:
                made = make.pose(0, "world", np.zeros(3), np.array([1.0, 0, 0, 0]))
            writer.write(topic, *made, 0)
    return path


@pytest.mark.parametrize(
    ("topics", "arms", "silent"),
    [
        (("/left/joint_states", "/right/joint_states"), ("left", "right"), ()),
        (("/cell/a/joint_states", "/cell/b/joint_states"), ("cell/a", "cell/b"), ()),
        (("/left/joint_states", "/right/joint_states", "/joint_states"), ("left", "right"), ()),
        (("/left/joint_states", f"/left/{OWN}", f"/right/{OWN}"), ("left",), ("right",)),
        (("/a/x/measured_joint_states", "/b/y/measured_joint_states"), ("a", "b"), ()),
    ],
)
def test_arms_are_told_by_namespaces(tmp_path, topics, arms, silent):
    found = cell_topics(bag(tmp_path / "bag", *topics))
    assert (found.arms, found.silent, found.object) == (arms, silent, "")
    assert found.many


@pytest.mark.parametrize(
    "topics",
    [
        ("/joint_states",),
        ("/franka/joint_states", f"/{OWN}", "/ft/wrench"),
        ("/franka/joint_states", f"/controller/{OWN}"),
        ("/joint_states", "/franka/joint_states"),
        ("/joint_states", "/franka_robot_state_broadcaster/current_pose"),
    ],
)
def test_one_arm_stays_one_arm(tmp_path, topics):
    assert cell_topics(bag(tmp_path / "bag", *topics)) is None


@pytest.mark.parametrize(
    ("topics", "known", "others"),
    [
        (("/joint_states", "/box_pose"), "/box_pose", ()),
        (("/joint_states", "/vicon/Object1/pose", "/tcp"), "/vicon/Object1/pose", ("/tcp",)),
        (("/joint_states", "/object_twist"), "/object_twist", ()),
        (("/joint_states", "/impact_qp/post_reference"), "", ()),
    ],
)
def test_the_object_is_told_by_its_name(tmp_path, topics, known, others):
    found = cell_topics(bag(tmp_path / "bag", *topics))
    assert (found.arms, found.object, found.poses) == (("",), known, others)
    assert not found.many


def test_an_arm_has_its_own_poses(tmp_path):
    path = bag(tmp_path / "bag", "/l/joint_states", "/r/joint_states", "/l/box_in_hand")
    assert cell_topics(path).object == ""


def test_a_topic_that_is_no_pose_is_named(tmp_path):
    path = bag(tmp_path / "bag", "/l/joint_states", "/r/joint_states", "/box_pose")
    found = cell_topics(path, "/boxx")
    assert (found.unknown, found.object, found.poses) == ("/boxx", "", ("/box_pose",))
