# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Files of a bag written faster are those that rosbags writes, byte by byte."""

import numpy as np
import pytest

pytest.importorskip("rosbags")

from rosbags.rosbag2 import StoragePlugin, Writer

from impact_bags import BagWriter, impact_typestore
from impact_bags.exceptions import RecordingError
from impact_bags.typestore import definition
from impact_bags.writing.bag_file import TopicMessages
from impact_bags.writing.writer import LATCHED, SAVE_COUNT, SAVE_PERIOD

STATE, WRENCH = "sensor_msgs/msg/JointState", "geometry_msgs/msg/WrenchStamped"
MOST = 2**20


@pytest.fixture(scope="module")
def typestore():
    return impact_typestore()


def files(path):
    return {each.name.replace(path.name, "BAG"): each.read_bytes() for each in path.iterdir()}


def text_of(path):
    return (path / "metadata.yaml").read_text()


@pytest.mark.parametrize("name", ["wall_000", "2024", "null", "a" * 60, "e e"])
@pytest.mark.parametrize("topics", [0, 1, 2])
def test_metadata_are_those_of_rosbags(tmp_path, typestore, name, topics):
    (tmp_path / "other").mkdir()
    own, other = BagWriter(tmp_path / name, typestore), tmp_path / "other" / name
    messages = [("/arm/wrench", WRENCH, False), ("/states", STATE, True)][:topics]
    with own:
        for topic, kind, latched in messages:
            own.add_topic(topic, kind, latched=latched)
            own.write_raw(topic, kind, b"\0\1\0\0abcd", 12)
    with Writer(other, version=9, storage_plugin=StoragePlugin.MCAP) as writer:
        for topic, kind, latched in messages:
            connection = writer.add_connection(
                topic,
                kind,
                msgdef=definition(typestore, kind),
                rihs01=typestore.hash_rihs01(kind),
                offered_qos_profiles=[LATCHED] if latched else [],
            )
            writer.write(connection, 12, b"\0\1\0\0abcd")
    assert text_of(tmp_path / name) == text_of(other)
    assert files(tmp_path / name) == files(other)


def test_chunks_and_their_index_are_those_of_rosbags(tmp_path, typestore):
    """Two topics, of which one is silent in the second chunk, and one that never speaks."""
    large, times = bytes(range(256)) * 1000, range(5, 18)
    topics = ("/never", STATE), ("/states", STATE), ("/wrench", WRENCH)
    messages = [("/states", STATE, b"\0\1\0\0abcd", time) for time in times[:3]]
    messages += [("/wrench", WRENCH, large, time) for time in times]
    (tmp_path / "other").mkdir()
    with BagWriter(tmp_path / "bag", typestore) as own:
        for topic, kind in topics:
            own.add_topic(topic, kind)
        for message in messages:
            own.write_raw(*message)
    place = tmp_path / "other" / "bag"
    with Writer(place, version=9, storage_plugin=StoragePlugin.MCAP) as writer:
        of = {}
        for topic, kind in topics:
            described = definition(typestore, kind), typestore.hash_rihs01(kind)
            of[topic] = writer.add_connection(topic, kind, msgdef=described[0], rihs01=described[1])
        for topic, _, cdr, time in messages:
            writer.write(of[topic], time, cdr)
    assert len(large) * len(times) > 3 * MOST
    assert files(tmp_path / "bag") == files(place)


def rows_of(count, *, period=1_000_000, length=300, start=5):
    random = np.random.default_rng(count)
    times = start + period * np.arange(count)
    return [
        TopicMessages("/states", STATE, times, random.integers(0, 256, (count, length), np.uint8)),
        TopicMessages("/wrench", WRENCH, times - 3, random.integers(0, 256, (count, 56), np.uint8)),
    ]


def singly(writer, rows):
    for k in range(len(rows[0].times)):
        for topic, kind, times, cdr in rows:
            writer.write_raw(topic, kind, cdr[k].tobytes(), int(times[k]))


@pytest.mark.parametrize(
    "rows",
    [
        rows_of(1),
        rows_of(50),
        rows_of(3 * SAVE_PERIOD // 100_000_000, period=100_000_000),  # saved in between
        rows_of(SAVE_COUNT + 7, period=10, length=8),  # and after so many messages
        rows_of(400, length=MOST // 64),  # chunks become full
        rows_of(3, length=MOST + 1),  # each message is a chunk
    ],
    ids=["one", "few", "long", "many", "large", "huge"],
)
def test_rows_are_written_as_single_messages_are(tmp_path, typestore, rows):
    with BagWriter(tmp_path / "one", typestore) as one:
        singly(one, rows)
        singly(one, rows)
    with BagWriter(tmp_path / "many", typestore) as many:
        many.write_rows(rows)
        many.write_rows(rows)
    metadata = [text_of(tmp_path / name).replace(name, "BAG") for name in ("one", "many")]
    assert metadata[0] == metadata[1]
    assert one.count == many.count
    messages = [
        [(m[0].topic, m[1], bytes(m[2])) for m in reader_messages(path)]
        for path in (tmp_path / "one", tmp_path / "many")
    ]
    assert messages[0] == messages[1]


def reader_messages(path):
    from rosbags.rosbag2 import Reader

    with Reader(path) as reader:
        yield from reader.messages()


def test_the_bytes_are_the_same_too(tmp_path, typestore):
    for folder, write in (("a", singly), ("b", BagWriter.write_rows)):
        (tmp_path / folder).mkdir()
        with BagWriter(tmp_path / folder / "bag", typestore) as writer:
            write(writer, rows_of(2500, length=700))
    assert files(tmp_path / "a" / "bag") == files(tmp_path / "b" / "bag")


def test_other_storages_and_listeners_get_every_message(tmp_path, typestore):
    heard = []
    with BagWriter(tmp_path / "sql", typestore, storage="sqlite3") as writer:
        writer.write_rows(rows_of(20))
    assert len(list(reader_messages(tmp_path / "sql"))) == 40
    with BagWriter(tmp_path / "tapped", typestore, tap=lambda *each: heard.append(each)) as writer:
        writer.write_rows(rows_of(20))
    assert [(topic, time) for topic, _, _, time in heard[:3]] == [
        ("/states", 5),
        ("/wrench", 2),
        ("/states", 1_000_005),
    ]
    assert len(heard) == 40


def test_bad_rows_are_refused_as_single_messages_are(tmp_path, typestore):
    with BagWriter(tmp_path / "bag", typestore) as writer:
        writer.write_rows(rows_of(3))
        late = [each._replace(times=each.times - 1_000_006) for each in rows_of(3)]
        with pytest.raises(RecordingError, match="at least 0 ns, got -1000001"):
            writer.write_rows(late)
        other = [each._replace(type_name=WRENCH) for each in rows_of(3)]
        with pytest.raises(RecordingError, match="on /states, got"):
            writer.write_rows(other)
