# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Our recordings in other tools, and those of `ros2 bag record` in ours."""

import json
import re
import shutil

import pytest
import yaml
from rosbags.rosbag2 import CompressionFormat, CompressionMode, Reader, StoragePlugin, Writer

from impact_analysis.analyze import analyze
from impact_bags import impact_typestore
from impact_cli.command_line import run as main

STATE = "sensor_msgs/msg/JointState"
NAMES = [f"panda_joint{i}" for i in range(1, 8)]
MCAP = {"storage_plugin": StoragePlugin.MCAP}
FLOATS = ("float64", "float32")


@pytest.fixture(scope="module")
def trial(tmp_path_factory):
    folder = tmp_path_factory.mktemp("recorded") / "trials"
    assert main(["simulate", "flex_exp_type4", "--trials", "1", "--record", str(folder)]) == 0
    return folder / "flex_exp_type4_000"


@pytest.fixture(scope="module")
def found(trial):
    return analyze(trial).impacts[0].measured.detection_time


def copied(trial, path, keep=lambda time: True, **options):
    """Write the trial's bag again, as another recorder would."""
    types = impact_typestore()
    compression = options.pop("compression", None)
    writer = Writer(path, version=9, **options)
    if compression:
        writer.set_compression(*compression)
    with Reader(trial) as source, writer:
        made = {
            each.id: writer.add_connection(each.topic, each.msgtype, typestore=types)
            for each in source.connections
        }
        for connection, time, data in source.messages():
            if keep(time):
                writer.write(made[connection.id], time, data)
    return path


@pytest.mark.parametrize("mode", [CompressionMode.FILE, CompressionMode.MESSAGE])
@pytest.mark.parametrize("storage", [StoragePlugin.MCAP, StoragePlugin.SQLITE3])
def test_compressed_recordings_are_read(trial, found, tmp_path, storage, mode):
    compression = (mode, CompressionFormat.ZSTD)
    path = copied(trial, tmp_path / "bag", storage_plugin=storage, compression=compression)
    (impact,) = analyze(path).impacts
    assert impact.measured.detection_time == found


def test_a_split_recording_is_read_as_one(trial, found, tmp_path):
    with Reader(trial) as source:
        middle = (source.start_time + source.end_time) // 2
    halves = [
        copied(
            trial, tmp_path / "one", lambda time: time < middle, storage_plugin=StoragePlugin.MCAP
        ),
        copied(
            trial, tmp_path / "two", lambda time: time >= middle, storage_plugin=StoragePlugin.MCAP
        ),
    ]
    bag = tmp_path / "bag"
    bag.mkdir()
    records = [yaml.safe_load((half / "metadata.yaml").read_text()) for half in halves]
    information = [record["rosbag2_bagfile_information"] for record in records]
    names = [f"bag_{k}.mcap" for k in range(2)]
    for half, name in zip(halves, names, strict=True):
        shutil.copy(next(half.glob("*.mcap")), bag / name)
    first, second = information
    first["relative_file_paths"] = names
    first["message_count"] += second["message_count"]
    first["duration"]["nanoseconds"] += second["duration"]["nanoseconds"]
    for a, b in zip(
        first["topics_with_message_count"], second["topics_with_message_count"], strict=True
    ):
        a["message_count"] += b["message_count"]
    first["files"] = [
        item | {"path": name}
        for name, record in zip(names, information, strict=True)
        for item in record.get("files", [{}])[:1]
    ]
    (bag / "metadata.yaml").write_text(yaml.safe_dump(records[0]))
    (impact,) = analyze(bag).impacts
    assert impact.measured.detection_time == found


def test_what_we_record_says_all_that_a_player_asks_for(trial):
    metadata = yaml.safe_load((trial / "metadata.yaml").read_text())
    bag = metadata["rosbag2_bagfile_information"]
    assert bag["storage_identifier"] == "mcap"
    assert [(trial / name).is_file() for name in bag["relative_file_paths"]] == [True]
    for topic in bag["topics_with_message_count"]:
        about = topic["topic_metadata"]
        assert about["serialization_format"] == "cdr"
        assert about["type_description_hash"].startswith("RIHS01_")
        assert re.fullmatch(r"(/[a-z][a-z0-9_]*)+", about["name"])


def fields_of(types, kind):
    return {name: description for name, description in types.fielddefs[kind][1]}


def test_every_curve_of_the_layout_is_a_number_of_a_message(project_root):
    layout = json.loads((project_root / "foxglove" / "impact.json").read_text())
    kinds = {
        "/impact_qp/status": "impact_msgs/msg/ControllerStatus",
        "/impact_detector/status": "impact_msgs/msg/DetectorStatus",
        "/joint_states": STATE,
        "/wrench": "geometry_msgs/msg/WrenchStamped",
    }
    types = impact_typestore()
    curves = [
        path["value"] for panel in layout["configById"].values() for path in panel.get("paths", [])
    ]
    assert len(curves) > 15
    for curve in curves:
        topic, *parts = curve.split(".")
        kind = kinds[topic]
        for part in parts:
            if part.startswith("@"):
                continue
            name = part.split("[")[0]
            fields = fields_of(types, kind)
            assert name in fields, curve
            kind = _named(fields[name])
        assert kind in FLOATS, curve


def _named(description):
    """The type of a field, or of the elements of an array."""
    _, inner = description
    while not isinstance(inner, str):
        inner = inner[0] if isinstance(inner[0], str) else inner[0][1]
    return inner


def test_every_panel_of_the_layout_is_placed(project_root):
    layout = json.loads((project_root / "foxglove" / "impact.json").read_text())

    def panels(node):
        if isinstance(node, str):
            return [node]
        return panels(node["first"]) + panels(node["second"])

    assert sorted(panels(layout["layout"])) == sorted(layout["configById"])


def test_rviz_shows_topics_that_there_are(project_root):
    displays = yaml.safe_load((project_root / "rviz" / "impact.rviz").read_text())
    page = (project_root / "doc" / "topics.md").read_text()
    shown = [
        entry["Topic"]["Value"]
        for entry in displays["Visualization Manager"]["Displays"]
        if "Topic" in entry
    ]
    assert shown == ["/impact_predictor/markers", "/wrench"]
    assert "`~/markers`" in page
    assert "`wrench`" in page
    assert displays["Visualization Manager"]["Global Options"]["Fixed Frame"] == "panda_link0"
