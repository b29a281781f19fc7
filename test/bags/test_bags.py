# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Recordings: what goes in comes out, and what is broken says so."""

import json
import os
import shutil
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("rosbags")

from rosbags.rosbag2 import Reader, StoragePlugin, Writer
from rosbags.typesys import Stores, get_typestore

from impact_bags import BagReader, BagWriter, RecordingError, impact_typestore
from impact_bags.bag_recording import TopicChoice
from impact_bags.open_recording import open_recording, recording_paths
from impact_bags.typestore import ensure_type, message_text
from impact_bags.writing.message_maker import MessageMaker

EVENT = "impact_msgs/msg/ImpactEvent"
BATCH = "impact_msgs/msg/WrenchBatch"
MESSAGES = sorted(
    path.stem for path in (Path(__file__).resolve().parents[2] / "impact_msgs/msg").glob("*.msg")
)


@pytest.fixture(scope="module")
def store():
    return impact_typestore()


def make_stamp(store, time_ns):
    return store.types["builtin_interfaces/msg/Time"](*divmod(time_ns, 10**9))


def make_header(store, time_ns):
    return store.types["std_msgs/msg/Header"](make_stamp(store, time_ns), "panda_link0")


def make_event(store, time_ns, statistic):
    return store.types[EVENT](
        header=make_header(store, time_ns),
        impact_time=make_stamp(store, time_ns - 3_000_000),
        detection_time=make_stamp(store, time_ns),
        detector=1,
        statistic=statistic,
        threshold=2.5,
        contact="tool",
        link="",
        expected=1,
        reason="",
        direction=store.types["geometry_msgs/msg/Vector3"](np.nan, 0.0, 1.0),
    )


def make_batch(store, time_ns, force):
    return store.types[BATCH](
        make_header(store, time_ns), 4e-5, np.asarray(force, dtype=float).reshape(-1), np.zeros(0)
    )


@pytest.fixture(params=["mcap", "sqlite3"])
def recording(request, tmp_path, store):
    """Three events and two batches, interleaved, not written in the order of time."""
    path = tmp_path / "deep" / "run"
    with BagWriter(path, store, storage=request.param) as writer:
        writer.add_topic("/silent", EVENT, latched=True)
        for index in (1, 0, 2):
            time_ns = 1_000_000_000 + index * 1_000_000
            writer.write("/impact", EVENT, make_event(store, time_ns, float(index)), time_ns)
        for index in range(2):
            force = np.full((25, 3), index)
            time_ns = 1_000_500_000 + index * 1_000_000
            writer.write("/force", BATCH, make_batch(store, time_ns, force), time_ns)
    return path


def test_what_goes_in_comes_out_in_the_order_of_time(recording):
    with BagReader(recording) as reader:
        items = list(reader.messages())
    assert [topic for topic, _, _ in items] == ["/impact", "/force", "/impact", "/force", "/impact"]
    times = [time_ns for _, time_ns, _ in items]
    assert times == sorted(times)
    event = items[0][2]
    assert (event.statistic, event.contact, event.expected) == (0.0, "tool", 1)
    assert event.impact_time.sec == 0
    assert event.impact_time.nanosec == 997_000_000
    assert np.isnan(event.direction.x)
    assert items[3][2].force.reshape(25, 3)[24].tolist() == [1.0, 1.0, 1.0]


def test_topics_are_listed_with_type_count_and_hash(recording, store):
    with BagReader(recording) as reader:
        topics = dict(reader.topics)
    assert {name: info.message_count for name, info in topics.items()} == {
        "/impact": 3,
        "/force": 2,
        "/silent": 0,
    }
    assert topics["/force"].type_name == BATCH
    assert topics["/impact"].type_hash == store.hash_rihs01(EVENT)


def test_a_selection_of_topics(recording):
    with BagReader(recording) as reader:
        assert [item[0] for item in reader.messages(["/force"])] == ["/force"] * 2
        assert list(reader.messages([])) == []
        with pytest.raises(RecordingError) as caught:
            list(reader.messages(["/wrench"]))
    assert str(caught.value) == (
        f"{recording}: no topic /wrench; recorded: /force, /impact, /silent"
    )


def test_one_file_of_a_recording_reads_alone(recording):
    (file,) = [path for path in recording.iterdir() if path.suffix in (".mcap", ".db3")]
    with BagReader(file) as reader:
        assert reader.topics["/impact"].message_count == 3
        assert len(list(reader.raw())) == 5


def test_bytes_are_written_unchanged(tmp_path, store):
    data = bytes(store.serialize_cdr(make_event(store, 5 * 10**9, 7.0), EVENT))
    with BagWriter(tmp_path / "run") as writer:
        writer.write_raw("/impact", EVENT, data, 5 * 10**9)
    with BagReader(tmp_path / "run") as reader:
        assert list(reader.raw()) == [("/impact", 5 * 10**9, data)]


def test_the_schema_is_inside_with_its_comments(recording):
    with Reader(recording) as reader:
        texts = {item.topic: item.msgdef.data for item in reader.connections}
    assert "ON THE ROBOT" in texts["/force"]
    assert "MSG: std_msgs/Header" in texts["/force"]


def test_a_recording_needs_no_messages_from_outside(recording, monkeypatch):
    def nothing(*_):
        raise AssertionError("looked outside the recording")

    monkeypatch.setattr("impact_bags.reading.reader.impact_typestore", nothing)
    with BagReader(recording) as reader:
        assert len(list(reader.messages())) == 5


def test_nothing_is_overwritten(recording):
    with pytest.raises(RecordingError, match="exists already, and recordings are never overwr"):
        BagWriter(recording)
    with BagReader(recording) as reader:
        assert len(list(reader.raw())) == 5


@pytest.mark.parametrize("storage", ["mcap", "sqlite3"])
def test_after_an_exception_it_does_not_look_whole(tmp_path, store, storage):
    path = tmp_path / "run"
    with pytest.raises(RuntimeError, match="plant died"):
        with BagWriter(path, store, storage=storage) as writer:
            writer.write("/impact", EVENT, make_event(store, 10**9, 1.0), 10**9)
            raise RuntimeError("plant died")
    with pytest.raises(RecordingError) as caught:
        BagReader(path)
    assert str(caught.value) == f"{path}: was not finished (it has no metadata.yaml)"


def test_an_exception_before_the_first_message_leaves_nothing(tmp_path, store):
    with pytest.raises(RuntimeError), BagWriter(tmp_path / "run", store):
        raise RuntimeError
    assert list(tmp_path.iterdir()) == []


def test_an_empty_recording_is_one(tmp_path, store):
    with BagWriter(tmp_path / "run", store):
        pass
    with BagReader(tmp_path / "run") as reader:
        assert reader.topics == {}
        assert list(reader.messages()) == []


@pytest.mark.parametrize("kept", [0.0, 0.1, 0.5, 0.99])
def test_a_truncated_file(tmp_path, store, kept):
    with BagWriter(tmp_path / "run", store) as writer:
        for index in range(200):
            writer.write("/f", BATCH, make_batch(store, index, np.ones((25, 3))), index)
    file = tmp_path / "run" / "run.mcap"
    data = file.read_bytes()
    file.write_bytes(data[: int(len(data) * kept)])
    for path in (file, tmp_path / "run"):
        with pytest.raises(RecordingError, match=r"truncated|empty|damaged") as caught:
            with BagReader(path) as reader:
                list(reader.messages())
        assert "\n" not in str(caught.value)
        assert str(path) in str(caught.value)


def test_a_damaged_database(tmp_path, store):
    with BagWriter(tmp_path / "run", store, storage="sqlite3") as writer:
        for index in range(200):
            writer.write("/f", BATCH, make_batch(store, index, np.ones((25, 3))), index)
    file = tmp_path / "run" / "run.db3"
    file.write_bytes(file.read_bytes()[: file.stat().st_size // 2])
    with pytest.raises(RecordingError), BagReader(file) as reader:
        list(reader.messages())


def test_what_is_no_recording(tmp_path):
    (tmp_path / "notes.txt").write_text("hello")
    (tmp_path / "fake.mcap").write_text("hello, this is no recording " * 10)
    (tmp_path / "fake.db3").write_text("hello, this is no recording " * 10)
    (tmp_path / "folder").mkdir()
    for name, words in {
        "nowhere": "no such recording",
        "notes.txt": r"expected a folder or a file \.mcap or \.db3",
        "fake.mcap": "damaged or no recording",
        "fake.db3": "damaged or no recording",
        "folder": r"is no recording \(it has no metadata\.yaml\)",
    }.items():
        with pytest.raises(RecordingError, match=words), BagReader(tmp_path / name):
            pass


def test_wrong_use_is_refused(tmp_path, store):
    event = make_event(store, 10**9, 1.0)
    with pytest.raises(RecordingError, match="expected storage mcap or sqlite3, got 'csv'"):
        BagWriter(tmp_path / "run", store, storage="csv")
    with pytest.raises(RecordingError, match="is not open for writing"):
        BagWriter(tmp_path / "run", store).write("/impact", EVENT, event, 0)
    with BagWriter(tmp_path / "run", store) as writer:
        writer.write("/impact", EVENT, event, 0)
        with pytest.raises(RecordingError, match=f"expected {EVENT} on /impact, got {BATCH}"):
            writer.write("/impact", BATCH, event, 0)
        with pytest.raises(RecordingError, match=f"message on /force is no {BATCH}"):
            writer.write("/force", BATCH, event, 0)
        with pytest.raises(RecordingError, match="unknown_msgs/msg/Nothing is unknown"):
            writer.write_raw("/x", "unknown_msgs/msg/Nothing", b"\0\1\0\0", 0)
        with pytest.raises(RecordingError, match="expected a time of at least 0 ns, got -1"):
            writer.write("/impact", EVENT, event, -1)


def test_a_recording_without_schemas_reads_with_our_messages(tmp_path, store):
    path = tmp_path / "old"
    with Writer(path, version=8, storage_plugin=StoragePlugin.SQLITE3) as writer:
        connection = writer.add_connection("/impact", EVENT, typestore=store)
        writer.write(connection, 5, store.serialize_cdr(make_event(store, 10**9, 4.0), EVENT))
    import sqlite3

    with sqlite3.connect(path / "old.db3") as database:
        database.execute("DELETE FROM message_definitions")
    database.close()
    with BagReader(path) as reader:
        ((_, time_ns, event),) = reader.messages()
    assert (time_ns, event.statistic) == (5, 4.0)


def test_a_type_made_of_others_of_its_package_is_found(tmp_path, monkeypatch):
    folder = tmp_path / "share" / "other_msgs" / "msg"
    folder.mkdir(parents=True)
    (folder / "Inner.msg").write_text("float64 value  # [m]\n")
    (folder / "Outer.msg").write_text("std_msgs/Header header\nInner[] inner\n")
    monkeypatch.setenv("AMENT_PREFIX_PATH", str(tmp_path))
    store = get_typestore(Stores.ROS2_KILTED)
    ensure_type(store, "other_msgs/msg/Outer")
    assert "other_msgs/msg/Inner" in store.fielddefs
    assert message_text("other_msgs/msg/Missing") is None


def installed_hash(name):
    """Find the type hash that the interface generator computed, if the package was built."""
    for prefix in os.environ.get("AMENT_PREFIX_PATH", "").split(os.pathsep):
        path = Path(prefix, "share", "impact_msgs", "msg", f"{name}.json")
        if prefix and path.is_file():
            hashes = json.loads(path.read_text())["type_hashes"]
            return next(
                item["hash_string"]
                for item in hashes
                if item["type_name"] == f"impact_msgs/msg/{name}"
            )
    return None


@pytest.mark.parametrize("name", MESSAGES)
def test_type_hashes_equal_those_of_the_build(name, store):
    built = installed_hash(name)
    if built is None:
        pytest.skip("impact_msgs was not built")
    assert store.hash_rihs01(f"impact_msgs/msg/{name}") == built


@pytest.mark.parametrize("storage", ["mcap", "sqlite3"])
def test_suffixes_may_be_in_capitals(tmp_path, panda, store, storage):
    """As from a disk that knows no others: alone, in a folder, and among other recordings."""
    make, still = MessageMaker(store, "base"), np.zeros(panda.dof)
    with BagWriter(tmp_path / "bag", store, storage=storage) as writer:
        message = make.joint_state(1, panda.joint_names, still, still, still)
        writer.write("/joint_states", *message, 1)
    (file,) = (each for each in (tmp_path / "bag").iterdir() if each.suffix != ".yaml")
    single = file.rename(tmp_path / file.name.upper())
    columns = ["time_s", *(kind % j for kind in ("q%d_rad", "dq%d_radps") for j in range(1, 8))]
    (tmp_path / "TABLE.CSV").write_text(",".join(columns) + "\n")
    shutil.rmtree(tmp_path / "bag")
    with BagReader(single) as reader:
        assert [topic for topic, _, _ in reader.messages()] == ["/joint_states"]
    assert recording_paths(tmp_path) == sorted([single, tmp_path / "TABLE.CSV"])
    recording = open_recording(single, panda, TopicChoice())
    assert len(list(recording.items())) == 1 and recording.lost == []
    with BagReader(tmp_path, salvage=True) as reader:
        assert len(list(reader.messages())) == 1


@pytest.mark.parametrize("name", ["hits #3", "what?", "50%25", "%41", "é"])
def test_a_database_may_have_any_name(tmp_path, store, name):
    folder = tmp_path / name / name
    with BagWriter(folder, store, storage="sqlite3") as writer:
        writer.write("/impact", EVENT, make_event(store, 1_000_000_000, 1.0), 1_000_000_000)
    assert {*tmp_path.rglob("*.*")} == {folder / f"{name}.db3", folder / "metadata.yaml"}
    for path in (folder, folder / f"{name}.db3"):
        for salvage in (False, True):
            with BagReader(path, salvage=salvage) as reader:
                assert len(list(reader.messages())) == 1 and reader.lost == []
    (folder / "metadata.yaml").unlink()
    with BagReader(folder, salvage=True) as reader:
        assert len(list(reader.messages())) == 1


def test_a_folder_renamed_still_reads(recording, tmp_path):
    shutil.move(recording, tmp_path / "moved")
    with BagReader(tmp_path / "moved") as reader:
        assert len(list(reader.messages())) == 5
