# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Recording real topics: bytes unchanged, times from headers, every way to end."""

import shutil

import numpy as np
import pytest

pytest.importorskip("rclpy")
pytest.importorskip("rosbags")

from geometry_msgs.msg import WrenchStamped
from rclpy.node import Node
from rclpy.serialization import deserialize_message, serialize_message
from sensor_msgs.msg import Imu, JointState
from std_msgs.msg import Float64MultiArray
from trajectory_msgs.msg import JointTrajectory, JointTrajectoryPoint

from impact_bags import BagReader, RecordingError
from impact_bringup.experiments.recorder import (
    Recorder,
    has_header,
    message_class_of,
    stamp_of,
    type_name,
)
from impact_ros.messages import from_nanoseconds
from impact_ros.node.spin import spin
from impact_ros.qos import (
    LATCHED,
    RECORD,
    RECORD_BEST_EFFORT,
    RECORD_LATCHED,
    SENSOR,
    STREAM,
    recording_profile,
)


@pytest.fixture
def context(own_context):
    return own_context


@pytest.fixture
def talker(context):
    node = Node("talker", context=context)
    yield node
    node.destroy_node()


@pytest.fixture
def make_recorder(context, tmp_path):
    made = []

    def make(*arguments, **options):
        made.append(Recorder(tmp_path / "run", *arguments, context=context, **options))
        return made[-1]

    yield make
    for recorder in made:
        recorder.destroy_node()


def state_at(time_ns):
    message = JointState(name=["j1"], position=[time_ns * 1e-9])
    from_nanoseconds(time_ns, message.header.stamp)
    return message


def trajectory():
    points = [JointTrajectoryPoint(positions=[float(index + 1)]) for index in range(2)]
    return JointTrajectory(joint_names=["j1"], points=points)


def matched(*publishers):
    return lambda: all(item.get_subscription_count() == 1 for item in publishers)


def written(recorder, count):
    return lambda: recorder.writer.count + len(recorder._waiting) >= count


def test_bytes_arrive_unchanged_at_the_time_of_their_header(talker, make_recorder, tmp_path):
    recorder = make_recorder([("/state", JointState, RECORD)])
    publisher = talker.create_publisher(JointState, "/state", RECORD)
    heard = []
    talker.create_subscription(JointState, "/state", heard.append, RECORD, raw=True)
    nodes = [talker, recorder]
    both = lambda: publisher.get_subscription_count() == 2  # noqa: E731
    assert spin(nodes, until=both, timeout=10.0) == "condition"
    sent = [state_at(1_000_000 * (index + 1)) for index in range(500)]
    for message in sent:
        publisher.publish(message)
    arrived = written(recorder, 500)
    assert spin(nodes, until=lambda: arrived() and len(heard) == 500, timeout=10.0) == "condition"
    recorder.close()
    with BagReader(tmp_path / "run") as reader:
        got = list(reader.raw())
    assert [time_ns for _, time_ns, _ in got] == [1_000_000 * (i + 1) for i in range(500)]
    assert [data for _, _, data in got] == heard
    assert [deserialize_message(data, JointState) for _, _, data in got] == sent


def test_what_was_recorded_until_it_is_killed_is_read(talker, make_recorder, tmp_path):
    recorder = make_recorder([("/state", JointState, RECORD)])
    publisher = talker.create_publisher(JointState, "/state", RECORD)
    nodes = [talker, recorder]
    assert spin(nodes, until=matched(publisher), timeout=10.0) == "condition"
    for index in range(3500):
        publisher.publish(state_at(1_000_000 * (index + 1)))
        if index % 100 == 99:
            arrived = written(recorder, index + 1)
            assert spin(nodes, until=arrived, timeout=10.0) == "condition"
    shutil.copytree(tmp_path / "run", tmp_path / "killed")  # as it is on the disk at this moment
    with pytest.raises(RecordingError, match="was not finished"):
        BagReader(tmp_path / "killed")
    with BagReader(tmp_path / "killed", salvage=True) as reader:
        times = [time_ns for _, time_ns, _ in reader.messages()]
    assert 3000 <= len(times) <= 3500
    assert times == [1_000_000 * (index + 1) for index in range(len(times))]
    assert reader.lost


def test_unstamped_messages_take_the_latest_time(talker, make_recorder, tmp_path):
    recorder = make_recorder(
        [("/state", JointState, RECORD), ("/command", Float64MultiArray, RECORD)]
    )
    state = talker.create_publisher(JointState, "/state", RECORD)
    command = talker.create_publisher(Float64MultiArray, "/command", RECORD)
    nodes = [talker, recorder]
    assert spin(nodes, until=matched(state, command), timeout=10.0) == "condition"
    steps = [
        (command, Float64MultiArray(data=[0.0])),
        (state, state_at(2_000_000)),
        (command, Float64MultiArray(data=[1.0])),
        (state, state_at(0)),
    ]
    for count, (publisher, message) in enumerate(steps, start=1):
        publisher.publish(message)
        assert spin(nodes, until=written(recorder, count), timeout=10.0) == "condition"
    recorder.close()
    with BagReader(tmp_path / "run") as reader:
        got = [(topic, time_ns) for topic, time_ns, _ in reader.messages()]
    assert got == [
        ("/command", 2_000_000),
        ("/state", 2_000_000),
        ("/command", 2_000_000),
        ("/state", 2_000_000),
    ]


def test_topics_are_discovered_with_what_their_publishers_offer(talker, make_recorder, tmp_path):
    sensor = talker.create_publisher(WrenchStamped, "/wrench", SENSOR)
    recorder = make_recorder()
    event = talker.create_publisher(JointState, "/late/event", LATCHED)
    hidden = talker.create_publisher(JointState, "/action/_action/status", LATCHED)
    event.publish(state_at(5))
    hidden.publish(state_at(6))
    nodes = [talker, recorder]
    assert spin(nodes, until=matched(sensor, event), timeout=10.0) == "condition"
    message = WrenchStamped()
    from_nanoseconds(7, message.header.stamp)
    sensor.publish(message)
    assert spin(nodes, until=written(recorder, 2), timeout=10.0) == "condition"
    recorder.close()
    with BagReader(tmp_path / "run") as reader:
        assert sorted(reader.topics) == ["/late/event", "/wrench"]
        assert [item[:2] for item in reader.raw()] == [("/late/event", 5), ("/wrench", 7)]


def test_custom_messages_are_recorded_with_their_hash(talker, make_recorder, tmp_path):
    messages = pytest.importorskip("impact_msgs.msg")
    if not hasattr(messages, "ImpactEvent"):
        pytest.skip("impact_msgs was not built")
    recorder = make_recorder([("/impact", messages.ImpactEvent, RECORD_LATCHED)])
    publisher = talker.create_publisher(messages.ImpactEvent, "/impact", LATCHED)
    event = messages.ImpactEvent(statistic=3.5, contact="tool")
    from_nanoseconds(9, event.header.stamp)
    publisher.publish(event)
    assert spin([talker, recorder], until=written(recorder, 1), timeout=10.0) == "condition"
    recorder.close()
    (info,) = talker.get_publishers_info_by_topic("/impact")
    with BagReader(tmp_path / "run") as reader:
        ((_, time_ns, got),) = reader.messages()
        assert reader.topics["/impact"].type_hash == str(info.topic_type_hash)
    assert (time_ns, got.statistic, got.contact) == (9, 3.5, "tool")


def test_messages_of_rclpy_are_written_too(tmp_path):
    from impact_bags import BagWriter

    sent = state_at(5)
    with BagWriter(tmp_path / "run") as writer:
        writer.write("/state", "sensor_msgs/msg/JointState", sent, 5)
        writer.write("/imu", "sensor_msgs/msg/Imu", Imu(orientation_covariance=np.arange(9.0)), 6)
        writer.write("/path", "trajectory_msgs/msg/JointTrajectory", trajectory(), 7)
    with BagReader(tmp_path / "run") as reader:
        (_, _, state), (_, _, imu), (_, _, path) = reader.raw()
        (_, _, decoded) = next(reader.messages(["/path"]))
    assert deserialize_message(state, JointState) == sent
    assert list(deserialize_message(imu, Imu).orientation_covariance) == list(range(9))
    assert deserialize_message(path, JointTrajectory) == trajectory()
    assert decoded.points[1].positions.tolist() == [2.0]


def test_closing_is_orderly_in_every_order(talker, make_recorder, context, tmp_path):
    recorder = make_recorder([("/state", JointState, RECORD)])
    context.try_shutdown()
    recorder.close()
    recorder.close()
    recorder.destroy_node()
    with BagReader(tmp_path / "run") as reader:
        assert reader.topics["/state"].message_count == 0


def test_an_existing_recording_is_left_alone(make_recorder, tmp_path):
    (tmp_path / "run").mkdir()
    with pytest.raises(RecordingError, match="exists already"):
        make_recorder([])


def test_a_type_without_text_is_skipped_and_named(make_recorder):
    class Unknown(JointState):
        pass

    Unknown.__module__ = "unknown_msgs.msg._unknown"
    recorder = make_recorder([("/x", Unknown, RECORD)])
    assert "unknown_msgs/msg/Unknown is unknown" in recorder.skipped["/x"]


def test_stamps_are_read_from_the_bytes():
    data = serialize_message(state_at(1_700_000_000_123_456_789))
    assert stamp_of(data) == 1_700_000_000_123_456_789
    assert stamp_of(b"\0\0\0\0" + (3).to_bytes(4, "big") + (4).to_bytes(4, "big")) == 3_000_000_004
    assert stamp_of(b"\0\1") == 0
    assert has_header(JointState)
    assert not has_header(Float64MultiArray)


def test_names_and_classes_of_types():
    assert type_name(JointState) == "sensor_msgs/msg/JointState"
    assert message_class_of("sensor_msgs/msg/JointState") is JointState
    with pytest.raises(Exception, match="message type no_msgs/msg/X is not installed"):
        message_class_of("no_msgs/msg/X")


def test_the_profile_follows_what_is_offered():
    assert recording_profile([STREAM]) is RECORD
    assert recording_profile([STREAM, SENSOR]) is RECORD_BEST_EFFORT
    assert recording_profile([LATCHED]) is RECORD_LATCHED
    assert recording_profile([LATCHED, STREAM]) is RECORD
