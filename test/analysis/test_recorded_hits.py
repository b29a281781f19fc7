# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""`analyze --learn`: what recorded hits tell of wall and joints, and why some tell nothing."""

import json
from dataclasses import fields, replace
from types import SimpleNamespace

import numpy as np
import pytest
import yaml
from learned_hits import NORMAL, struck

from impact_analysis.analyze.reading.collected import AnalyzedImpact
from impact_analysis.analyze.settings import AnalysisSettings
from impact_analysis.learning.recorded_hits import learn_analysis, learn_recorded, read_commands
from impact_analysis.spreading.episodes import CellFindings, arm_of
from impact_bags import BagWriter, impact_typestore
from impact_bags.bag_recording import TopicChoice
from impact_bags.exceptions import RecordingError
from impact_bags.reading.cell_topics import CellTopics
from impact_bags.reading.run_record import Run
from impact_bags.series import Series
from impact_bags.writing.message_maker import MessageMaker
from impact_predictor.learning.learning_box import learning_box
from impact_robots import Surface
from impact_sim.scenarios import load_scenario
from impact_trials.in_process.run import run_in_process

STIFFNESS, RESTITUTION, FRICTION = 2e5, 0.25, 0.3
SIGNALS = ("time", "position", "velocity", "torque")


@pytest.fixture(scope="module")
def impacts(panda):
    """Three impacts of a known wall, each faster than the one before."""
    box = learning_box(panda, Surface(None, NORMAL, (0.0, 1.0), (0.0, 1.0), (1e4, 1e8)))
    figures = 0.5 * (box.low + box.high)
    figures[:4] = np.log(STIFFNESS), RESTITUTION, FRICTION, 1.0
    figures[6:] = 1.0
    return [impact(struck(box, figures, 0.06 + 0.04 * k, k)) for k in range(3)]


def impact(hit, recording="bag"):
    """An impact of an analysis, of which only what is learned from is known."""
    nothing = dict.fromkeys((each.name for each in fields(AnalyzedImpact)), np.nan)
    trace = replace(hit, command=None)
    known = {"recording": recording, "time": 100.0, "normal": NORMAL, "trace": trace}
    return AnalyzedImpact(**(nothing | known))


@pytest.fixture(scope="module")
def learned(panda, impacts):
    return learn_recorded(panda, impacts, {})


def test_the_ranges_hold_the_wall_and_are_narrow(learned):
    wall = learned.as_json()["wall"]
    assert learned.reason == "" and len(learned.used) == 3
    for name, truth in (
        ("stiffness", STIFFNESS),
        ("restitution", RESTITUTION),
        ("friction", FRICTION),
    ):
        low, high = wall[name]
        assert low < truth < high, name
    assert wall["stiffness"][1] < 4.0 * wall["stiffness"][0]
    assert wall["restitution"][1] - wall["restitution"][0] < 0.4
    joints = learned.as_json()["joints"]
    low, high = joints["joint_stiffness_range"]
    assert np.all(np.array(low) < high)
    assert [hit["speed"] for hit in learned.as_json()["hits"]] == pytest.approx(
        [0.06, 0.10, 0.14], rel=0.05
    )


def test_it_is_said_in_words(learned):
    first, *others = learned.lines()
    assert first.startswith("learned from 3 hits, three standard deviations: stiffness ")
    assert others == ["commanded torques were not recorded: taken as constant through the hits"]


def test_commands_that_were_recorded_are_used(panda, impacts):
    time = 99_000_000_000 + 1_000_000 * np.arange(2000)
    for late, used in ((0, True), (1_000_000_000, False)):
        commands = Series(time + late, np.zeros((2000, 8)))
        found = learn_recorded(panda, impacts[:1], {"bag": commands})
        assert found.used[0].commanded is used
        assert (len(found.lines()) == 1) is used


def lacking(item, **changes):
    return replace(item, trace=replace(item.trace, **changes))


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda each: replace(each, trace=None), "its samples were not kept"),
        (lambda each: replace(each, normal=np.full(3, np.nan)), "the normal is not known"),
        (lambda each: lacking(each, torque=np.nan * each.trace.torque), "no torque was rec"),
        (
            lambda each: lacking(
                each,
                **{name: getattr(each.trace, name)[::10] for name in SIGNALS},
            ),
            "hit: expected 12 samples before",
        ),
    ],
)
def test_an_impact_that_tells_nothing_says_why(panda, impacts, change, said):
    found = learn_recorded(panda, [change(impacts[0])], {})
    assert found.box is None and found.reason == "no impact was recorded as that needs"
    lines = found.lines()
    assert lines[0] == f"learned nothing: {found.reason}"
    assert lines[1].startswith(f"learned nothing from impact 1: {said}")
    document = found.as_json()
    assert document["wall"] is None and document["hits"][0]["skipped"].startswith(said)


def test_a_hit_of_another_wall_is_left_out(panda, impacts):
    other = replace(impacts[1], normal=np.array([0.0, 0.0, 1.0]))
    found = learn_recorded(panda, [impacts[0], other], {})
    assert [each.skipped for each in found.hits][1].startswith("another normal")
    assert len(found.used) == 1 and found.box is not None


def test_a_robot_without_what_loads_need_learns_nothing_and_says_why(panda, impacts):
    bare = replace(panda, joint_stiffness=np.full(7, np.nan))
    found = learn_recorded(bare, impacts, {})
    assert found.lines() == [
        "learned nothing: joint load: robot panda does not give 'joint_stiffness'"
    ]


def test_commands_are_read_in_time_order_or_there_are_none(panda, tmp_path):
    write_commands(tmp_path / "bag", panda, {"": 0.0}, times=(2_000_000_000, 1_000_000_000))
    found = read_commands(tmp_path / "bag", panda, TopicChoice())
    assert found.seconds == pytest.approx([1.0, 2.0])
    assert found.values[:, 0] == pytest.approx([1.0, 2.0])
    columns = ["time_s", *(kind % j for kind in ("q%d_rad", "dq%d_radps") for j in range(1, 8))]
    (tmp_path / "x.csv").write_text(",".join(columns) + "\n")
    assert read_commands(tmp_path / "x.csv", panda, TopicChoice()) is None
    with BagWriter(tmp_path / "empty") as bag:
        bag.add_topic("/joint_states", "sensor_msgs/msg/JointState")
    assert read_commands(tmp_path / "empty", panda, TopicChoice()) is None


def write_commands(path, robot, arms, times):
    """Write joint states and commands of arms: time [s] and an arm's number, in every joint."""
    maker = MessageMaker(impact_typestore(), robot.base_frame)
    state, names = np.zeros(robot.dof), robot.joint_names
    with BagWriter(path) as bag:
        for time in times:
            for arm, number in arms.items():
                own = f"/{arm}" if arm else ""
                message = maker.joint_state(time, names, state, state, state)
                bag.write(f"{own}/joint_states", *message, time)
                message = maker.command(time, robot, np.full(7, time * 1e-9 + number))
                bag.write(f"{own}/impact_qp/command", *message, time)


ARMS = {"left": 100.0, "right": 200.0}
TWO_ARMS = CellTopics(("left", "right"), (), "", ())


def test_each_arm_has_its_own_commands(panda, tmp_path):
    write_commands(tmp_path / "bag", panda, ARMS, times=(1_000_000_000,))
    for arm, number in ARMS.items():
        for choice in (TopicChoice(state=f"/{arm}/joint_states"), TopicChoice(namespace=arm)):
            found = read_commands(tmp_path / "bag", panda, choice)
            assert found.values[:, 0] == pytest.approx([number + 1.0])


def test_hits_of_two_arms_are_learned_from_with_their_commands(panda, impacts, tmp_path):
    times = range(99_000_000_000, 101_000_000_000, 10_000_000)
    write_commands(tmp_path / "bag", panda, ARMS, times)
    hit = SimpleNamespace(measured=replace(impacts[0], recording=arm_of("bag", "right")))
    analysis = SimpleNamespace(
        robot=panda,
        settings=AnalysisSettings(),
        impacts=[hit],
        arms=[CellFindings("bag", TWO_ARMS)],
    )
    found = learn_analysis(tmp_path / "bag", analysis)
    assert found.used[0].commanded
    assert "not recorded" not in "\n".join(found.lines())


def test_a_damaged_bag_is_not_one_without_commands(panda, tmp_path):
    write_commands(tmp_path / "bag", panda, {"": 0.0}, times=(1_000_000_000,))
    (file,) = (tmp_path / "bag").glob("*.mcap")
    file.write_bytes(b"garbage" * 100)
    with pytest.raises(RecordingError, match="damaged"):
        read_commands(tmp_path / "bag", panda, TopicChoice())


def test_the_command_learns_from_a_bag(tmp_path, impact):
    """A hit in the closed loop, whose commands are in the bag."""
    run_in_process(Run(load_scenario("qp_panda_demo"), "robust", tmp_path / "run"))
    out = tmp_path / "out"
    status, text, _ = impact("analyze", tmp_path / "run" / "bag", "--learn", "--json", "--out", out)
    assert status == 0
    learned = json.loads(text)["learned"]
    assert json.loads((out / "analysis.json").read_text())["learned"] == learned
    assert [hit["commanded"] for hit in learned["hits"] if not hit["skipped"]] == [True]
    low, high = learned["wall"]["stiffness"]
    assert low < 1.2e5 < high < 100.0 * low
    wall = yaml.safe_load((out / "learned" / "wall.yaml").read_text())
    assert wall["stiffness"] == pytest.approx([low, high])
    assert (out / "learned" / "joints.yaml").is_file()
