# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""A run whose controller stopped says so, instead of a missing impact."""

import dataclasses

import numpy as np
import pytest

pytest.importorskip("rosbags")

from rosbags.typesys import Stores, get_types_from_msg, get_typestore

from impact_bags import BagWriter, impact_typestore
from impact_bags.exceptions import RecordingError
from impact_bags.reading.run_record import RunRecord, read_run
from impact_bags.series import series
from impact_bags.typestore import message_text
from impact_bags.writing.suite_messages import SuiteMessages
from impact_cli.commands import demo
from impact_qp.control.state_machine import Fault
from impact_qp.control.status import Counts, status_fields
from impact_robots import load_robot
from impact_sim import load_scenario

STOPPED = "11 control cycles of 1 ms missed in a row (max_consecutive_missed 10)"


BLIND, LOADED = "waiting: the detector is not ready", "panda_joint2: 3.1 N.m beyond the model"
STATUS = "impact_msgs/msg/ControllerStatus"


def record(fault):
    nothing = series([], [], 1)
    return RunRecord(nothing, nothing, nothing, fault=fault)


@pytest.fixture
def recorded(tmp_path):
    """Return the record of a bag with one state, and one status a fault and text."""

    def write(typestore, *said):
        robot = load_robot("panda")
        make = SuiteMessages(typestore, robot.base_frame)
        with BagWriter(tmp_path / "bag", typestore) as bag:
            still = np.zeros(robot.dof)
            bag.write("/joint_states", *make.joint_state(1, robot.joint_names, *[still] * 3), 1)
            for time, (fault, text) in enumerate(said, 2):
                fields = status_fields(typestore.types[STATUS], Counts(), text, fault=fault)
                names = {field.name for field in dataclasses.fields(typestore.types[STATUS])}
                known = {name: fields[name] for name in fields if name in names}
                bag.write("/impact_qp/status", *make.message(STATUS, time, "", known), time)
        return read_run(tmp_path / "bag", robot)

    return write


@pytest.mark.parametrize(
    ("said", "fault"),
    [
        ([(Fault.NONE, "")], ""),
        ([(Fault.NONE, BLIND), (Fault.NONE, LOADED), (Fault.NONE, "shut down")], ""),
        ([(Fault.NONE, LOADED), (Fault.STOPPED, STOPPED), (Fault.LATCHED, "jump")], STOPPED),
        ([(Fault.LATCHED, "states jumped")], "states jumped"),
    ],
)
def test_a_fault_is_what_stopped_the_controller_and_no_remark_is(recorded, said, fault):
    assert recorded(impact_typestore(), *said).fault == fault


@pytest.mark.parametrize(
    ("texts", "fault"),
    [((BLIND, "shut down"), ""), ((BLIND, STOPPED, "shut down"), STOPPED)],
)
def test_older_recordings_without_codes_are_read_by_their_texts(
    monkeypatch, recorded, texts, fault
):
    lines = [line for line in message_text(STATUS).splitlines() if "FAULT" not in line]
    text = "\n".join(line for line in lines if line != "uint8 fault")
    store = get_typestore(Stores.ROS2_KILTED)
    store.register(get_types_from_msg(text, STATUS))
    monkeypatch.setattr("impact_bags.typestore.message_text", lambda name: {STATUS: text}.get(name))
    assert recorded(store, *[(Fault.NONE, each) for each in texts]).fault == fault


@pytest.mark.parametrize(
    ("fault", "line"),
    [(STOPPED, f"robust: the controller stopped: {STOPPED}"), ("", "no impact to evaluate")],
)
def test_the_demo_says_why_there_was_no_impact(monkeypatch, tmp_path, fault, line):
    def no_impact(*args):
        raise RecordingError("no impact to evaluate")

    monkeypatch.setattr(demo, "read_run", lambda *args: record(fault))
    monkeypatch.setattr(demo, "evaluate_run", no_impact)
    scenario = load_scenario("qp_panda_demo")
    with pytest.raises(RecordingError) as error:
        demo._evaluate(scenario, "robust", tmp_path, load_robot("panda"))
    assert str(error.value) == line
