# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""The demo of a humanoid's grab: as planned, and in haste under three controllers, side by side.

Trials are cut off a second after the impact, so nothing is lifted here.
"""

import contextlib
import io
import json
import sys
import tempfile
from dataclasses import replace

import numpy as np
import pytest
from hrp4_grab import GOOD_PALM

pytest.importorskip("rosbags")
pytest.importorskip("mujoco")

from impact_analysis.demo import grab_table
from impact_analysis.demo.grab_evaluation import GrabEvaluation
from impact_bags import BagReader
from impact_cli.command_line import run as run_command
from impact_robots import load_robot
from impact_sim.driver.simulation import START_NS
from impact_sim.humanoid import grab_stage
from impact_sim.humanoid.grab_file import grab_names, load_grab
from impact_trials.grab.haste import HASTE, MODES, in_haste, scenario_of_mode
from impact_trials.grab.outcome import BoxOutcome, GrabOutcome

OWN = "{like: qp_hrp4_grab, box_masses: [0.8], title: a box of .8 kg}"
CUT = 1.7  # when a trial stops to look for more [s]
TOPICS = {
    *("/joint_states", "/odom", "/impact_qp/desired_joint_states", "/box0_pose"),
    *(f"/{side}_{part}/wrench" for side in ("left", "right") for part in ("palm", "sole")),
    *("/impact_qp/command", "/impact_qp/status", "/impact_humanoid/grab"),
}
OF_NODES = {
    "/box0_size",
    "/impact_qp/commands",
    "/robot_description",
    "/impact_humanoid/transition_event",
}
NAN = float("nan")


def demo(*arguments):
    """Status, output and what was said of a demo."""
    out = io.StringIO()
    with tempfile.TemporaryFile("w+") as err:  # rclpy's executor asks for the number of a file
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            status = run_command(["demo", *map(str, arguments)])
        err.seek(0)
        return status, out.getvalue(), err.read()


@pytest.fixture(scope="module")
def shown(tmp_path_factory):
    """A box of one's own by file, as a document; and the folder. Over DDS if there is ROS."""
    folder = tmp_path_factory.mktemp("grab")
    (folder / "mine.yaml").write_text(OWN)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(grab_stage, "LONGEST", CUT)
        found = demo("--scenario", folder / "mine.yaml", "--out", folder / "demo", "--json")
    assert found[0] == 0, found[2]
    return *found[1:], folder / "demo"


@pytest.fixture(scope="module")
def shown_here(shown):
    """The same without ROS, in this process."""
    folder = shown[2].parent
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(grab_stage, "LONGEST", CUT)
        patch.setitem(sys.modules, "impact_bringup.experiments.grab_experiment", None)
        found = demo("--scenario", folder / "mine.yaml", "--out", folder / "here", "--json")
    assert found[0] == 0, found[2]
    return *found[1:], folder / "here"


@pytest.fixture(scope="module")
def runs(shown):
    return {run["mode"]: run for run in json.loads(shown[0])["runs"]}


def palms(run):
    return [palm for box in run["boxes"] for palm in box["palms"]]


def test_limits_slow_the_palms_down_and_spare_the_wrists(runs):
    assert [*runs] == [*MODES]
    fastest = {mode: max(palm["speed_mps"] for palm in palms(run)) for mode, run in runs.items()}
    assert 0.205 < fastest["planned"] < 0.225
    assert fastest["robust"] < 0.28 < 0.6 < fastest["existential"] < 0.75 < fastest["unaware"]
    wrist = {m: max(p["wrist_torque_over_limit"] for p in palms(r)) for m, r in runs.items()}
    assert max(wrist["planned"], wrist["robust"]) < 1.0
    assert 1.2 < wrist["existential"] < wrist["unaware"]


def test_nobody_falls_and_every_touch_is_noticed(runs):
    for mode, run in runs.items():
        assert not run["fell"]
        if mode in ("planned", "robust"):
            assert run["cycles_without_solution"] == 0
        if mode == "existential":  # the cycle after both palms touched at 0.7 m/s may have none
            assert run["cycles_without_solution"] <= 1
        assert len(palms(run)) == 2
        assert all(0.0 < palm["detection_delay_s"] < 0.01 for palm in palms(run))
        assert run["boxes"][0]["zmp_margin_m"] > 0.05 or mode == "unaware"  # it has no grip
        assert run["boxes"][0]["zmp_margin_toss_m"] is None  # there was none


def test_the_document_is_in_the_folder_beside_pictures(shown):
    out, err, folder = shown
    assert (folder / "table.json").read_text() == out
    document = json.loads(out)
    assert (document["scenario"], document["seed"]) == ("mine", 0)
    pictures = {picture.name: picture.stat().st_size for picture in folder.glob("*.png")}
    assert set(pictures) == {"palm_speeds.png", "palm_forces.png", "zmp_margin.png"}
    assert min(pictures.values()) > 10_000
    assert err.startswith("[1/4] planned ...") or err.startswith("demo: no ROS 2 (")


def test_without_ros_the_figures_are_the_same(shown, shown_here):
    assert shown_here[1].startswith("demo: no ROS 2 (")
    ours, theirs = (json.loads(found[0])["runs"] for found in (shown, shown_here))
    for one, other in zip(ours, theirs, strict=True):
        for palm, same in zip(palms(one), palms(other), strict=True):
            delays = palm.pop("detection_delay_s"), same.pop("detection_delay_s")
            assert delays[0] == pytest.approx(delays[1], abs=1e-9)
    assert ours == theirs


@pytest.mark.parametrize("way", ["shown", "shown_here"])
def test_a_recording_holds_joints_base_forces_and_box(request, way, runs):
    robot, folder = load_robot("hrp4"), request.getfixturevalue(way)[2]
    touch = min(palm["touch_time_s"] for palm in palms(runs["unaware"]))
    with BagReader(folder / "unaware" / "bag") as bag:
        assert set(bag.topics) - OF_NODES == TOPICS
        read = {topic: [*bag.messages([topic])] for topic in TOPICS}
    counts = {len(messages) for messages in read.values()}
    assert max(counts) - min(counts) <= 1  # each once a cycle; the last state may have no answer
    times = np.array([time for _, time, _ in read["/joint_states"]])
    assert set(np.diff(times)) == {5_000_000}
    joints = read["/joint_states"][0][2]
    assert tuple(joints.name) == robot.joint_names
    assert len(joints.position) == len(joints.velocity) == len(joints.effort) == robot.dof
    base = read["/odom"][0][2]
    assert (base.header.frame_id, base.child_frame_id) == ("world", robot.base_frame)
    start = load_grab("qp_hrp4_grab")
    assert base.pose.pose.position.z == pytest.approx(
        in_haste(start, "unaware").start(robot)[2], abs=0.01
    )
    weight = sum(read[f"/{side}_sole/wrench"][0][2].wrench.force.z for side in ("left", "right"))
    assert weight == pytest.approx(38.055 * 9.81, rel=0.1)
    pressed = np.array([each.wrench.force.y for _, _, each in read["/left_palm/wrench"]])
    first = times[np.argmax(pressed > 20.0)] - START_NS
    assert touch < first * 1e-9 < touch + 0.015
    assert pressed[(times - START_NS) * 1e-9 < touch].max() < 5.0
    box = [each.pose.position.z for _, _, each in read["/box0_pose"]]
    assert box[0] == pytest.approx(0.93, abs=1e-3)


def evaluations(**figures):
    """Of all modes, one palm of which did something."""
    box = BoxOutcome((replace(GOOD_PALM, **figures), GOOD_PALM), 0.099, 0.0, 0.9, 0.09, NAN)
    fell = figures.get("speed", 0.0) > 2.0
    outcome = GrabOutcome((box,), fell, "", "rest", int(fell), 9.0)
    return [
        GrabEvaluation(mode, 0.25 if mode == "planned" else 1.0, 0.1, outcome) for mode in MODES
    ]


def test_the_table_and_its_sentence_say_what_was_found():
    lines = grab_table.grab_table(evaluations(speed=0.25)).splitlines()
    assert lines[0].split() == [*MODES]
    rows = {line[:34].strip(): line[34:].split("  ") for line in lines}
    speeds = [cell.strip() for cell in rows["speed at contact [m/s]"] if cell.strip()]
    assert speeds == 4 * ["0.245 to 0.250"]
    tossed = [cell.strip() for cell in rows["ZMP margin from there on [m]"] if cell.strip()]
    assert tossed == 4 * ["-"]
    said = grab_table.grab_sentence(evaluations())
    assert "no solution" not in said
    assert (
        "is never too much" in said
        and "It falls in none" in said
        and "at 0.91 of the robust" in said
    )
    said = grab_table.grab_sentence(evaluations(wrist_load=1.5, speed=2.5))
    assert "more than its motor may give: planned, robust, existential, unaware" in said
    assert "was held: planned 1, robust 1" in said
    assert "It falls: planned" in said and "9.33 of the robust bound" in said


def test_haste_changes_nothing_of_the_box_but_how_many_there_are():
    scenario = load_grab("qp_hrp4_grab")
    assert scenario_of_mode(scenario, "planned") is scenario
    hasty = scenario_of_mode(scenario, "robust")
    changed = {name for name, value in vars(hasty).items() if value != vars(scenario)[name]}
    assert changed == {*HASTE, "box_masses", "tosses"}
    assert hasty.box_masses == (1.08,) and hasty.impact_limits == "robust"


@pytest.mark.parametrize("name", grab_names())
def test_every_scenario_can_begin_in_haste(name):
    scenario = in_haste(load_grab(name), "robust")
    assert np.isfinite(scenario.start(load_robot(scenario.robot))).all()


def test_a_box_out_of_reach_is_one_line(tmp_path, monkeypatch):
    monkeypatch.setattr(grab_stage, "LONGEST", CUT)
    (tmp_path / "gone.yaml").write_text("{like: qp_hrp4_grab, box_offset: [0.5, 0, 0]}")
    status, out, err = demo("--scenario", tmp_path / "gone.yaml", "--out", tmp_path / "demo")
    assert (status, out) == (1, "")
    assert err.endswith("impact: gone: planned: expected a palm to touch the box, none did\n")


@pytest.mark.parametrize("option", ["--realtime", "--fci", "--dry-run"])
def test_options_that_would_do_nothing_are_refused(refused, tmp_path, option):
    folder = tmp_path / "demo"
    line = refused("demo", "--scenario=qp_hrp4_grab", f"--out={folder}", option)
    assert f"{option}: not with a box, as in qp_hrp4_grab" in line
    assert not folder.exists()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{like: qp_hrp4_grab, half_width: -1}", "half_width: expected a finite number above 0"),
        ("{like: qp_hrp4_grab, wings: 2}", "wings"),
        ("{like: qp_hrp4_grab, impact_limits: none_such}", "impact_limits: expected one of"),
        ("like: qp_hrp5", "like: expected one of"),
    ],
)
def test_a_file_that_is_no_grab_is_one_line(refused, tmp_path, text, message):
    path = tmp_path / "mine.yaml"
    path.write_text(text)
    err = refused("demo", "--scenario", path)
    assert "impact demo: argument --scenario: " in err and message in err
