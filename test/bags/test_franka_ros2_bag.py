# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Bags as `ros2 bag record -a` makes them beside franka_ros2: many joint states, one driver."""

import numpy as np
import pytest

from impact_analysis.analyze.reading.recordings import arms_of
from impact_analysis.analyze.settings import AnalysisSettings
from impact_bags import BagWriter
from impact_bags.bag_recording import BagRecording, TopicChoice
from impact_bags.exceptions import RecordingError
from impact_bags.writing.message_maker import MessageMaker
from impact_cli.command_line import run
from impact_sim.driver.simulation import START_NS

BROADCASTER = "/franka_robot_state_broadcaster"
FINGERS = ("panda_finger_joint1", "panda_finger_joint2")
PERIOD, SLOW = 1_000_000, 33  # of the driver [ns], and of what merges, in its cycles


@pytest.fixture
def record(tmp_path, panda):
    """A function that writes such a bag, with or without the broadcaster's topics."""

    def write(*, broadcaster=True, merged=("/joint_states", "/franka/joint_states")):
        with BagWriter(tmp_path / "bag") as writer:
            make, arm = MessageMaker(writer.typestore, "panda_link0"), panda.joint_names
            for cycle in range(400 if broadcaster else 100 * SLOW):
                time, fingers = START_NS + cycle * PERIOD, np.zeros(2)
                values = panda.stance, np.zeros(7), np.ones(7)

                def add(topic, names, *state, time=time):
                    writer.write(topic, *make.joint_state(time, names, *state), time)

                if broadcaster:
                    add(f"{BROADCASTER}/measured_joint_states", arm, *values)
                    add(f"{BROADCASTER}/desired_joint_states", arm, *values)
                if cycle % SLOW == 0:
                    add("/franka_gripper/joint_states", FINGERS, fingers, fingers, fingers)
                    for topic in merged:
                        both = [np.append(each, fingers) for each in values]
                        add(topic, (*arm, *FINGERS), *both)
        return tmp_path / "bag"

    return write


def test_the_drivers_own_states_are_read_without_an_option(record, panda):
    recording = BagRecording(record(), panda, TopicChoice())
    assert recording.state_topic == f"{BROADCASTER}/measured_joint_states"
    assert recording.has_reference and recording.pairing_rule == "same"


def test_the_gripper_and_what_merges_are_no_arms_of_a_cell(record):
    arms, cell = arms_of(record(), "bag", AnalysisSettings())
    assert [each.arm for each in arms] == [""] and cell is None


def test_two_drivers_of_whole_arms_are_asked_about(record, panda):
    path = record(broadcaster=False)
    with pytest.raises(RecordingError, match=r"got 2; choose with --state-topic among /"):
        BagRecording(path, panda, TopicChoice())


def test_merged_states_alone_are_called_too_slow_by_name(record, capsys):
    path = record(broadcaster=False, merged=("/joint_states",))
    assert run(["detect", str(path)]) == 1
    assert "(/joint_states: fused needs at least 333 Hz, got 30 Hz: " in capsys.readouterr().err
