# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Fields in and out of messages: exact stamps, arrays in place, joints in any order."""

from array import array
from types import SimpleNamespace

import numpy as np
import pytest

from impact_ros.exceptions import MessageError
from impact_ros.messages import (
    JointReader,
    fill,
    from_nanoseconds,
    non_finite,
    reorder,
    rotation_of,
    set_orientation,
    set_vector,
    to_nanoseconds,
    vector,
)


def joint_state(names, position=(), velocity=(), effort=()):
    return SimpleNamespace(
        name=list(names),
        position=array("d", position),
        velocity=array("d", velocity),
        effort=array("d", effort),
    )


def stamp(sec=0, nanosec=0):
    return SimpleNamespace(sec=sec, nanosec=nanosec)


@pytest.mark.parametrize(
    "nanoseconds", [0, 1, 999_999_999, 1_700_000_000_123_456_789, -1, -(10**9)]
)
def test_stamps_are_exact(nanoseconds):
    written = from_nanoseconds(nanoseconds, stamp())
    assert 0 <= written.nanosec < 10**9
    assert to_nanoseconds(written) == nanoseconds


def test_a_stamp_takes_integers_within_32_bits_only():
    with pytest.raises(MessageError, match=r"expected integer nanoseconds, got 1\.5"):
        from_nanoseconds(1.5, stamp())
    with pytest.raises(MessageError, match="within 32 bits"):
        from_nanoseconds(2**31 * 10**9, stamp())


@pytest.mark.parametrize(("sec", "nanosec"), [(0, 10**9), (5, 4294967295), (2**31 - 1, 0), (0, -1)])
def test_what_is_no_stamp_is_refused(sec, nanosec):
    with pytest.raises(MessageError, match=f"got sec {sec}, nanosec {nanosec}"):
        to_nanoseconds(stamp(sec, nanosec))


def test_fill_keeps_the_field_itself():
    field = array("d", [1.0])
    fill(field, np.arange(6.0).reshape(2, 3))
    assert field == array("d", range(6))
    fill(field, [])
    assert len(field) == 0
    field = array("f", [0.0, 0.0])
    fill(field, [1, 2])
    assert list(field) == [1.0, 2.0]


@pytest.mark.parametrize("count", [0, 6, 8])
def test_a_fixed_field_takes_exactly_its_length(count):
    field = np.zeros(7)
    with pytest.raises(MessageError, match=f"expected 7 values, got {count}"):
        fill(field, np.ones(count))
    assert not field.any()


def test_names_are_filled_too():
    field = ["a"]
    fill(field, ("b", "c"))
    assert field == ["b", "c"]


def test_vectors_go_in_and_out():
    target = SimpleNamespace(x=0.0, y=0.0, z=0.0)
    set_vector(target, np.array([1.0, 2.0, 3.0]))
    assert type(target.x) is float
    assert vector(target).tolist() == [1.0, 2.0, 3.0]
    with pytest.raises(MessageError, match="expected 3 values"):
        set_vector(target, np.zeros(2))


TURNED = np.array([[0.0, 0.0, 1.0], [0.0, 1.0, 0.0], [-1.0, 0.0, 0.0]])


@pytest.mark.parametrize("rotation", [np.eye(3), TURNED, TURNED.T, np.diag([-1.0, -1.0, 1.0])])
@pytest.mark.parametrize("length", [0.9991, 1.0, 1.0009])
def test_orientations_go_in_and_out(rotation, length):
    """A goal's normal was tilted by 0.1 deg when its quaternion was not of norm 1."""
    target = SimpleNamespace(x=0.0, y=0.0, z=0.0, w=0.0)
    set_orientation(target, rotation)
    assert type(target.x) is float
    for name in "xyzw":
        setattr(target, name, length * getattr(target, name))
    np.testing.assert_allclose(rotation_of(target), rotation, atol=1e-12)


@pytest.mark.parametrize("w", [0.0, 0.99, 1.01, float("nan"), float("inf")])
def test_an_orientation_that_is_no_unit_quaternion_is_refused(w):
    with pytest.raises(MessageError, match=r"expected a unit quaternion, got \[0\.0, 0\.0, 0\.0, "):
        rotation_of(SimpleNamespace(x=0.0, y=0.0, z=0.0, w=w))


def test_reorder_gives_the_wanted_order():
    data = np.array([10.0, 20.0, 30.0])
    assert data[reorder(["a", "b", "c"], ["c", "a"])].tolist() == [30.0, 10.0]


def test_missing_and_double_joints_are_named():
    with pytest.raises(MessageError) as caught:
        reorder(["a", "x"], ["a", "b", "c"])
    assert str(caught.value) == "expected joints a, b, c, missing b, c; got a, x"
    with pytest.raises(MessageError, match="got a more than once"):
        reorder(["a", "a"], ["a"])


def test_other_order_extra_joints_and_missing_arrays():
    message = joint_state(["gripper", "j2", "j1"], [9.0, 2.0, 1.0], effort=[90.0, 20.0, 10.0])
    position, velocity, effort = JointReader(["j1", "j2"]).read(message)
    assert position.tolist() == [1.0, 2.0]
    assert np.isnan(velocity).all()
    assert effort.tolist() == [10.0, 20.0]


def test_an_array_of_another_length_is_refused():
    message = joint_state(["j1", "j2"], [1.0, 2.0], velocity=[1.0])
    with pytest.raises(MessageError, match=r"expected 2 values of velocity \(or none\), got 1"):
        JointReader(["j1", "j2"]).read(message)


def test_a_reader_notices_that_the_order_changed():
    reader = JointReader(["j1", "j2"])
    first = reader.read(joint_state(["j1", "j2"], [1.0, 2.0]))
    second = reader.read(joint_state(["j2", "j1"], [1.0, 2.0]))
    assert first.position.tolist() == [1.0, 2.0]
    assert second.position.tolist() == [2.0, 1.0]


def test_a_reader_still_refuses_after_an_error():
    reader = JointReader(["j1"])
    for _ in range(2):
        with pytest.raises(MessageError, match="missing j1; got none"):
            reader.read(joint_state([]))


def test_returned_arrays_do_not_follow_the_message():
    message = joint_state(["j1"], [1.0])
    arrays = JointReader(["j1"]).read(message)
    message.position[0] = 5.0
    assert arrays.position.tolist() == [1.0]


def test_non_finite_values_are_named():
    names = ["j1", "j2"]
    assert non_finite(names, position=np.zeros(2), velocity=np.ones(2)) == []
    found = non_finite(names, position=np.array([0.0, np.nan]), velocity=np.array([np.inf, 0.0]))
    assert found == ["j2 position", "j1 velocity"]


def test_real_messages():
    sensor_msgs = pytest.importorskip("sensor_msgs.msg")
    if not hasattr(sensor_msgs, "JointState"):
        pytest.skip("needs ROS messages")
    message = sensor_msgs.JointState(name=["j2", "j1"])
    fill(message.position, np.array([2.0, 1.0]))
    fill(message.name, ["j2", "j1"])
    from_nanoseconds(1_000_000_001, message.header.stamp)
    assert JointReader(["j1", "j2"]).read(message).position.tolist() == [1.0, 2.0]
    assert to_nanoseconds(message.header.stamp) == 1_000_000_001
    assert from_nanoseconds(5).nanosec == 5
    imu = sensor_msgs.Imu()
    with pytest.raises(MessageError, match="expected 9 values, got 6"):
        fill(imu.orientation_covariance, np.ones(6))
