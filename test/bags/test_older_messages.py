# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Recordings made with older definitions of a contact are read as they were meant."""

import pytest

pytest.importorskip("rosbags")

from rosbags.typesys import Stores, get_types_from_msg, get_typestore

from impact_bags import BagReader, BagWriter
from impact_bags.typestore import ensure_type
from impact_detector.exceptions import DetectorError
from impact_detector.ros.conversion import announcement
from impact_robots.surface import ANY_STIFFNESS

ANNOUNCEMENT, CONTACT = "impact_msgs/msg/ImpactAnnouncement", "impact_msgs/msg/Contact"
TOPIC = "/impact_qp/announcement"
NUMBERS = ("friction", "restitution", "friction_uncertainty", "restitution_uncertainty")
STIFFNESS = ("stiffness_low", "stiffness_high")
NAN, INF = float("nan"), float("inf")


def older_store(names):
    """Return the types with contacts that have these numbers instead of a surface."""
    text = "string frame\ngeometry_msgs/Point offset\ngeometry_msgs/Vector3 normal\n"
    store = get_typestore(Stores.ROS2_KILTED)
    store.register(get_types_from_msg(text + "".join(f"float64 {n}\n" for n in names), CONTACT))
    ensure_type(store, ANNOUNCEMENT)
    return store


def made(store, numbers):
    kinds = store.types
    never = kinds["builtin_interfaces/msg/Time"](0, 0)
    header = kinds["std_msgs/msg/Header"](kinds["builtin_interfaces/msg/Time"](1, 0), "base")
    point = kinds["geometry_msgs/msg/Point"](0.0, 0.0, 0.0)
    normal = kinds["geometry_msgs/msg/Vector3"](-1.0, 0.0, 0.0)
    contact = kinds[CONTACT]("tool", point, normal, **numbers)
    return kinds[ANNOUNCEMENT](header, False, contact, never, never)


def surface_in_bag(folder, numbers, storage="mcap"):
    """Write a bag as it was written, and return the surface that is read from it."""
    store = older_store(numbers)
    with BagWriter(folder, store, storage=storage) as writer:
        writer.write(TOPIC, ANNOUNCEMENT, made(store, numbers), 10**9)
    with BagReader(folder) as reader:
        ((_, _, message),) = reader.messages([TOPIC])
    assert not hasattr(message.contact, "surface")
    return announcement(message).surface


def numbers(*values, stiffness=None):
    ends = {} if stiffness is None else dict(zip(STIFFNESS, stiffness, strict=True))
    return dict(zip(NUMBERS, values, strict=True)) | ends


@pytest.mark.parametrize("storage", ["mcap", "sqlite3"])
@pytest.mark.parametrize(
    ("stiffness", "expected"),
    [
        (None, ANY_STIFFNESS),  # from before the stiffness
        ((0.0, 0.0), ANY_STIFFNESS),
        ((1e5, INF), (1e5, INF)),
        ((2e5, 1e6), (2e5, 1e6)),
    ],
)
def test_a_contact_with_middle_and_half_has_their_range(tmp_path, storage, stiffness, expected):
    said = numbers(0.2, 0.1, 0.1, 0.05, stiffness=stiffness)
    surface = surface_in_bag(tmp_path / "old", said, storage)
    assert surface.friction == (0.2 - 0.1, 0.2 + 0.1)
    assert surface.restitution == (0.1 - 0.05, 0.1 + 0.05)
    assert surface.stiffness == expected


def test_its_ranges_end_where_the_quantities_do(tmp_path):
    surface = surface_in_bag(tmp_path / "old", numbers(0.3, 0.2, 0.5, 0.9))
    assert surface.friction == (0.0, 0.8)
    assert surface.restitution == (0.0, 1.0)


@pytest.mark.parametrize(
    ("values", "line"),
    [
        ((-0.1, 0.1, 0.3, 0.0), "announcement: friction: expected a finite number, at least 0"),
        ((NAN, 0.1, 0.3, 0.0), "announcement: friction: expected a finite number, at least 0"),
        ((0.1, 1.5, 0.0, 0.0), "announcement: restitution: expected a number from 0 to 1"),
        ((0.1, 0.1, -0.1, 0.0), "announcement: friction_uncertainty, restitution_uncertainty: exp"),
        ((0.1, 0.1, 0.0, INF), "announcement: friction_uncertainty, restitution_uncertainty: exp"),
    ],
)
def test_its_impossible_numbers_are_refused(values, line):
    store = older_store(NUMBERS)
    message = made(store, numbers(*values))
    with pytest.raises(DetectorError, match=line):
        announcement(message)
