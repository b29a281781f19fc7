# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""`plan --reflex`: collision thresholds of a hit, by cases with known answers."""

import json
import re
import shlex
import shutil

import numpy as np
import pytest
import yaml
from direct_arm import DirectArm
from half_sine import observed_fraction

from impact_analysis.franka.loop_record import measured
from impact_bags import BagReader, BagWriter
from impact_bags.reading.run_record import Run, read_run
from impact_bags.typestore import parsed
from impact_cli.command_line import run
from impact_cli.franka.fake_hits import fake_plan, fake_setup
from impact_cli.franka.fci_run import recorded_run
from impact_drivers.exceptions import DriverError
from impact_drivers.fake_fr3.observed import observed_peaks
from impact_drivers.franka.arm.settings import ArmSettings, read_settings
from impact_drivers.franka.hit_process import HitJob, perform
from impact_robots import ArmDynamics, load_robot
from impact_sim import load_scenario
from impact_sim.driver.simulation import START_NS
from impact_trials.in_process.run import run_in_process

ENTRY = {
    "q": [0.2, -0.01, 0.56, -1.59, -1.76, 2.57, -2.02],
    "u": [1.0, 0.0, 0.0],
    "v": 0.05,
    "stiffness": [1e5],
    "vendor": [20.0, 20.0, 18.0, 18.0, 16.0, 14.0, 12.0],
}


LOW = np.array(ENTRY["vendor"]), np.array([20.0, 20.0, 20.0, 25.0, 25.0, 25.0])
DRIVER = "/franka_robot_state_broadcaster/"


@pytest.fixture(scope="session")
def gentle(tmp_path_factory):
    """A gentle hit of the fake FR3 on foam: folder of the recording, and what the arm observed."""
    folder, setup = tmp_path_factory.mktemp("gentle"), fake_setup("gentle", 0.1)
    try:
        robot = setup.load_robot()
    except DriverError as error:
        pytest.skip(str(error))
    threshold = setup.load_scenario().detection_threshold
    job, arm = HitJob("", fake_plan(setup), ArmSettings(realtime=False), threshold), setup.arm()
    outcome = perform(DirectArm(arm), robot, job, now=lambda: START_NS)
    recorded_run(job, outcome, measured(outcome, arm.log), robot, folder)
    return folder / "joint_load" / "bag", observed_peaks(robot, arm.log)


@pytest.fixture(scope="session")
def wall(tmp_path_factory):
    """A bag of the simulator: a Panda hits a hard wall."""
    hit = Run(load_scenario("qp_panda_demo"), "robust", tmp_path_factory.mktemp("wall") / "hit")
    run_in_process(hit)
    return hit.bag


@pytest.fixture
def planned(capsys):
    """Return a function that plans, and returns the document, or the error."""

    def plan(*given, status=0):
        capsys.readouterr()
        assert run(["plan", "--reflex", *map(str, given), "--json"]) == status
        out, err = capsys.readouterr()
        return err if status else json.loads(out)

    return plan


def changed(bag, path, change):
    """Write a bag again with other messages; ``change`` returns topic, type, message, or None."""
    with BagReader(bag) as source, BagWriter(path) as writer:
        kinds = {topic: info.type_name for topic, info in source.topics.items()}
        for topic, time, message in source.messages():
            if (made := change(writer.typestore, topic, kinds[topic], message)) is not None:
                writer.write(*made, time)
    return path


def by_rule(observed, ratio, growth):
    """Return thresholds of torque and force by the rule."""
    peaks = np.array(observed[0]), np.array(observed[1])
    return [
        np.maximum(low, 1.1 * growth * ratio * each) for low, each in zip(LOW, peaks, strict=True)
    ]


def test_a_hit_of_the_fake_fr3_by_the_arms_own_estimate(planned, gentle):
    bag, seen = gentle
    document = planned(bag, "--speed", "0.25")
    (hit,) = document["hits"]
    assert (hit["torque_by"], document["robot"]) == ("the arm's own estimate", "fr3")
    assert hit["speed_mps"] == pytest.approx(0.095, abs=0.005)
    np.testing.assert_allclose(hit["observed_torque_nm"][:4], seen.torque[:4], rtol=0.02)
    np.testing.assert_allclose(hit["observed_force"][:2], seen.force[:2], rtol=0.02)
    ratio = 0.25 / hit["speed_mps"]
    assert 2.0 < ratio < 4.0
    assert (hit["speed_ratio"], hit["growth"]) == (pytest.approx(ratio), 1.3)
    expected = by_rule((hit["observed_torque_nm"], hit["observed_force"]), ratio, 1.3)
    np.testing.assert_allclose(document["torque_thresholds_nm"], expected[0])
    np.testing.assert_allclose(document["force_thresholds"], expected[1])
    pushes, vendors = document["push_that_stops_N"], document["push_that_stops_N_vendor"]
    assert all(pushes[name] > vendors[name] for name in ("tool", "forearm", "elbow_across"))
    assert any("along the upper arm" in each for each in document["warnings"])
    assert any("axes" in each and "not confirmed" in each for each in document["warnings"])


def test_without_the_arms_estimate_an_observer_finds_the_same(planned, gentle, tmp_path):
    def without(store, topic, kind, message):
        return None if topic.startswith(DRIVER) else (topic, kind, message)

    bare = changed(gentle[0], tmp_path / "bag", without)
    robot = gentle[0].parent.parent / "fr3.yaml"
    own, observed = (planned(bag, "--speed", "0.25", "--robot", robot) for bag in (gentle[0], bare))
    assert observed["hits"][0]["torque_by"] == "a momentum observer of 100 1/s"
    assert any("not published" in each for each in observed["warnings"])
    for name in ("torque_thresholds_nm", "force_thresholds"):  # the fake arm's filter is this one
        np.testing.assert_allclose(observed[name], own[name], rtol=1e-3)


def test_the_state_of_franka_ros2_has_the_estimate_of_torques_and_force(planned, gentle, tmp_path):
    """Only the fields that are read, under the names of franka_msgs/FrankaRobotState."""
    force = np.array([3.0, -90.0, 0.0])

    def as_state(store, topic, kind, message):
        if topic != f"{DRIVER}external_joint_torques":
            return topic, kind, message
        name = "franka_msgs/msg/FrankaRobotState"
        if name not in store.fielddefs:
            text = (
                "std_msgs/Header header\nsensor_msgs/JointState tau_ext_hat_filtered\n"
                "geometry_msgs/WrenchStamped o_f_ext_hat_k\n"
            )
            store.register(dict(parsed(text, name)))
        types = store.types
        vectors = [types["geometry_msgs/msg/Vector3"](*each) for each in (force, [1.0, 2.0, 40.0])]
        wrench = types["geometry_msgs/msg/WrenchStamped"](
            message.header, types["geometry_msgs/msg/Wrench"](*vectors)
        )
        doubled = types["sensor_msgs/msg/JointState"](
            message.header, message.name, message.position, message.velocity, 2.0 * message.effort
        )
        return f"{DRIVER}robot_state", name, types[name](message.header, doubled, wrench)

    bag = changed(gentle[0], tmp_path / "bag", as_state)
    robot = gentle[0].parent.parent / "fr3.yaml"
    hit, before = (
        planned(each, "--speed", "0.15", "--robot", robot)["hits"][0] for each in (bag, gentle[0])
    )
    assert hit["torque_by"] == hit["force_by"] == "the arm's own estimate"
    np.testing.assert_allclose(hit["observed_force"], [3.0, 90.0, 0.0, 1.0, 2.0, 40.0])
    twice = 2.0 * np.array(before["observed_torque_nm"])
    np.testing.assert_allclose(hit["observed_torque_nm"], twice, rtol=0.02)


def test_a_hit_of_the_simulator_by_the_walls_true_force(planned, wall):
    """The observer's peaks are those of the true force behind a filter of 100 1/s."""
    (hit,) = planned(wall, "--speed", "0.1")["hits"]
    robot = load_robot("panda")
    force = read_run(wall, robot).force
    t, true = force.since(round(hit["time_s"] * 1e9)), force.values
    near = (t > -0.02) & (t < 0.3)
    steps = 1.0 - np.exp(-100.0 * np.diff(t[near], prepend=t[near][0] - force.period))
    seen, peak = np.zeros(3), np.zeros(3)
    for share, each in zip(steps, true[near], strict=True):
        seen = seen + share * (each - seen)
        peak = np.where(np.abs(seen) > np.abs(peak), seen, peak)
    levers = ArmDynamics(robot)(hit["q_rad"], np.zeros(7)).J[:3]
    expected = np.abs(levers.T @ peak)
    found = np.array(hit["observed_torque_nm"])
    large = expected > 2.0  # [N.m]
    assert large.sum() >= 2 and hit["torque_by"].startswith("a momentum observer")
    np.testing.assert_allclose(found[large], expected[large], rtol=0.25)


def test_more_than_four_times_the_recorded_speed_is_refused(planned, gentle):
    line = planned(gentle[0], "--speed", "0.45", status=1)
    assert line.startswith("impact: collision thresholds: expected a speed of at most 4 times the")
    assert line.count("\n") == 1


def test_the_worst_of_the_recorded_hits_counts(planned, gentle, tmp_path):
    def doubled(store, topic, kind, message):
        if topic.startswith(DRIVER):
            message.effort = 2.0 * message.effort
        return topic, kind, message

    worse = changed(gentle[0], tmp_path / "bag", doubled)
    robot = gentle[0].parent.parent / "fr3.yaml"
    alone, both = (
        planned(*bags, "--speed", "0.15", "--robot", robot)
        for bags in ([worse], [gentle[0], worse])
    )
    assert [len(each["hits"]) for each in (alone, both)] == [1, 2]
    assert both["torque_thresholds_nm"] == alone["torque_thresholds_nm"]


def test_the_pages_commands_lead_from_a_recording_to_the_arms_settings(
    gentle, tmp_path, monkeypatch, project_root, capsys
):
    monkeypatch.chdir(tmp_path)
    shutil.copytree(gentle[0].parent.parent, "gentle")
    page = (project_root / "doc" / "franka.md").read_text()
    (command,) = re.findall(r"^\./impact (plan --reflex .*)$", page, re.MULTILINE)
    assert run(shlex.split(command)) == 0
    printed = capsys.readouterr().out
    settings = read_settings("thresholds.yaml")
    assert settings.raise_thresholds and settings.hit_thresholds is not None
    call = re.search(r'SetFullCollisionBehavior "(.*)"', printed)
    request = yaml.safe_load(call[1])
    assert len(request) == 8
    for name, values in request.items():
        given = "hit_torque_thresholds" if "torque" in name else "hit_force_thresholds"
        assert tuple(values) == getattr(settings, given), name


def test_a_soft_surface_needs_no_recording(planned):
    given = ("--speed", "0.1", "--restitution", "0.6,1")
    soft = planned(*given, "--stiffness", "1e4,1e5")
    assert soft["source"] == "prediction" and soft["hits"] == []
    assert "at most 1e+06 N/m" in planned(*given, "--stiffness", "1e5,1e7", status=1)
    assert "joint 6 would need" in planned(
        *given, "--stiffness", "1e6", "--friction", "0", status=1
    )


@pytest.mark.parametrize(
    ("given", "reason"),
    [
        ([], "--reflex: expected --speed V, or a task with a speed"),
        (["--speed", "0"], "--speed: expected a finite number above 0, got 0"),
        (["--speed", "0.1", "--robot", "hrp4"], "plan needs a fixed base"),
        (["--speed", "0.1", "--task", "qp_hrp4_grab"], "--task: expected a hit with --reflex"),
        (["nothing", "--speed", "0.1"], "nothing: no such file or folder"),
    ],
)
def test_wrong_plans_are_refused_in_one_line(planned, given, reason):
    line = planned(*given, status=2)
    assert reason in line
    assert line.count("\n") == 1


def test_speed_belongs_to_reflex(capsys):
    assert run(["plan", "--speed", "0.1"]) == 2
    assert capsys.readouterr().err == "impact: --speed: only with --reflex\n"


@pytest.fixture
def answered(capsys, tmp_path):
    """Return a function that returns what the command prints for a document."""

    def answer(document):
        path = tmp_path / "case.json"
        path.write_text(json.dumps(document))
        assert run(["plan", "--reflex", "--case", str(path), "--json"]) == 0
        return json.loads(capsys.readouterr().out)

    return answer


def near(found, expected, tolerance):
    """Compare all numbers of an entry, and of what is inside of it."""
    if isinstance(expected, dict):
        for key, value in expected.items():
            near(found[key], value, tolerance)
    else:
        np.testing.assert_allclose(found, expected, rtol=tolerance, atol=1e-3)


def test_the_independent_prototypes_cases_are_met(answered, shared_data):
    path = shared_data / "derived" / "people_vectors.json"
    known = json.loads(path.read_text())
    questions = {  # without the answers
        key: [
            {k: v for k, v in each.items() if not k.startswith(("thr", "push", "F_", "impulse"))}
            for each in known[key]
        ]
        for key in ("A", "B", "C")
    }
    for answer, expected in zip(answered(questions), known["B"], strict=True):
        near(answer, expected, expected["tol_rel"])
    for cycles, expected in known["rho"].items():
        assert observed_fraction(float(cycles)) == pytest.approx(expected, rel=0.02)


def test_an_entry_comes_back_as_an_entry_and_a_list_as_a_list(answered):
    alone = answered(ENTRY)
    assert answered([ENTRY, ENTRY]) == [alone, alone]
    assert {key: alone[key] for key in ENTRY} == ENTRY
    assert alone["refused_filtered_15_9Hz"] is None


def test_why_an_arm_would_not_get_the_thresholds_is_beside_them(answered):
    hard = answered(ENTRY | {"stiffness": [1e6, 5e6], "v": 0.1})
    assert hard["refused_unfiltered"].startswith(
        "collision thresholds: expected recorded hits, or a stiffness of at most 1e+06 N/m"
    )
    assert (
        "joint 6 would need"
        in answered(ENTRY | {"stiffness": [1e6], "v": 0.1})["refused_unfiltered"]
    )


@pytest.mark.parametrize(
    ("document", "reason"),
    [
        ("nothing", "expected JSON"),
        ("[1, 2]", "expected an entry, a list of entries, or a list B"),
        (ENTRY | {"q": [0.0] * 6}, "entry 1: q: expected 7 numbers, got"),
        (ENTRY | {"v": "fast"}, "entry 1: v: expected a finite number, got 'fast'"),
        ({key: ENTRY[key] for key in ("q", "u", "v")}, "entry 1: vendor: expected 7 numbers"),
        (ENTRY | {"v": -0.1}, "speed: expected above 0 m/s, got -0.1"),
    ],
)
def test_wrong_cases_are_refused_in_one_line(refused, tmp_path, document, reason):
    path = tmp_path / "case.json"
    path.write_text(document if isinstance(document, str) else json.dumps(document))
    assert reason in refused("plan", "--reflex", "--case", path, "--json")
