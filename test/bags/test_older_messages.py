# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Recordings made before a message got more fields are read as they were meant."""

import pytest

pytest.importorskip("rosbags")

from rosbags.typesys import Stores, get_types_from_msg, get_typestore

from impact_bags import BagReader, BagWriter
from impact_bags.typestore import ensure_type, message_text
from impact_detector.ros.conversion import announcement
from impact_robots.surface import ANY_STIFFNESS

ANNOUNCEMENT, CONTACT = "impact_msgs/msg/ImpactAnnouncement", "impact_msgs/msg/Contact"
TOPIC = "/impact_qp/announcement"


@pytest.fixture
def older():
    """Return the types with contacts that say nothing of stiffness."""
    store = get_typestore(Stores.ROS2_KILTED)
    lines = message_text(CONTACT).splitlines()
    text = "\n".join(line for line in lines if not line.startswith("float64 stiffness"))
    store.register(get_types_from_msg(text, CONTACT))
    ensure_type(store, ANNOUNCEMENT)
    return store


def made(store):
    kinds = store.types
    never = kinds["builtin_interfaces/msg/Time"](0, 0)
    header = kinds["std_msgs/msg/Header"](kinds["builtin_interfaces/msg/Time"](1, 0), "base")
    point = kinds["geometry_msgs/msg/Point"](0.0, 0.0, 0.0)
    normal = kinds["geometry_msgs/msg/Vector3"](-1.0, 0.0, 0.0)
    contact = kinds[CONTACT]("tool", point, normal, 0.2, 0.1, 0.1, 0.05)
    return kinds[ANNOUNCEMENT](header, False, contact, never, never)


@pytest.mark.parametrize("storage", ["mcap", "sqlite3"])
def test_a_contact_without_stiffness_may_be_of_any(tmp_path, older, storage):
    with BagWriter(tmp_path / "old", older, storage=storage) as writer:
        writer.write(TOPIC, ANNOUNCEMENT, made(older), 10**9)
    with BagReader(tmp_path / "old") as reader:
        ((_, _, message),) = reader.messages([TOPIC])
    assert not hasattr(message.contact, "stiffness_low")
    surface = announcement(message).surface
    assert surface.stiffness == ANY_STIFFNESS
    assert surface.friction == pytest.approx((0.1, 0.3))
