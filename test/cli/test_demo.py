# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""The command `demo` as a user runs it: its figures are physics, and it ends in one clear line."""

import contextlib
import json
import os
import select
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

pytest.importorskip("rclpy")
pytest.importorskip("rosbags")

from impact_bags import BagReader, RecordingError
from impact_cli.command_line import run as run_command
from impact_robots import load_robot

ROOT = Path(__file__).resolve().parents[2]
TIME_OUT = 120.0  # for all four runs [s]
CONTROLLERS = ("unaware", "robust", "existential", "joint_load")
KEYS = {
    "controller",
    "contact_speed_mps",
    "speed_bound_mps",
    "impulsive_torque_nm",
    "worst_admissible_impulsive_torque_nm",
    "impulse_in_set",
    "impulse_normal_ratio",
    "detection_delay_s",
    "prediction_rms_degps",
}

needs_linux = pytest.mark.skipif(
    not hasattr(os, "pidfd_open"), reason="processes are watched the way Linux does it"
)


def start(*arguments):
    """Start the command in a process group of its own, as a shell does."""
    entries = [str(ROOT), *filter(None, [os.environ.get("PYTHONPATH")])]
    return subprocess.Popen(
        [sys.executable, "-m", "impact_cli", "demo", *map(str, arguments)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=os.environ | {"PYTHONPATH": os.pathsep.join(entries)},
        start_new_session=True,
    )


def finish(process):
    """Return what it printed on both streams."""
    try:
        return process.communicate(timeout=TIME_OUT)
    finally:
        process.kill()


def wait_for(process, condition):
    """Wait until a condition about a running process holds, and return its value."""
    end = time.monotonic() + TIME_OUT
    while time.monotonic() < end:
        if value := condition():
            return value
        with pytest.raises(subprocess.TimeoutExpired):
            process.wait(0.01)
    raise AssertionError("waited in vain")


def suite_of(process):
    """Return a descriptor of the suite's process, None while there is none."""
    children = Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()
    for child in children:  # libraries start short-lived ones
        with contextlib.suppress(OSError):
            if b"impact_bringup.suite" in Path(f"/proc/{child}/cmdline").read_bytes():
                return os.pidfd_open(int(child))
    return None


def size(bag):
    """Return the size of a recording [bytes], 0 while there is none."""
    return sum(file.stat().st_size for file in bag.glob("*.mcap"))


@pytest.fixture(scope="module")
def demo(tmp_path_factory):
    """Output folder, document and messages of one full demo."""
    folder = tmp_path_factory.mktemp("demo") / "new" / "folder"
    process = start("--json", "--out", folder)
    out, err = finish(process)
    assert process.returncode == 0, err
    return folder, json.loads(out), err


@pytest.fixture(scope="module")
def runs(demo):
    return {run["controller"]: run for run in demo[1]["runs"]}


# --- figures ----------------------------------------------------------------------------------


def test_detect_finds_its_impacts_again(demo, runs, capsys):
    """To the millisecond: the detection to the sample, contact by the force sensor."""
    assert run_command(["detect", str(demo[0]), "--json"]) == 0
    events = json.loads(capsys.readouterr().out)["events"]
    found = {Path(event["file"]).parent.name: event for event in events}
    assert len(events) == len(found) == len(CONTROLLERS)
    for controller, run in runs.items():
        touch, event = run["contact_time_s"], found[controller]
        assert event["impact_time_s"] == pytest.approx(touch, abs=5e-4)
        assert event["detection_time_s"] == pytest.approx(touch + run["detection_delay_s"])


def test_it_prints_one_document_and_nothing_else(demo):
    folder, document, err = demo
    assert tuple(run["controller"] for run in document["runs"]) == CONTROLLERS
    assert document["output_dir"] == str(folder)
    for run in document["runs"]:
        assert set(run) >= KEYS
        assert set(run["prediction_rms_degps"]) == {"M", "M+B_theta", "M+B_rho"}
    assert all(line.startswith("[") for line in err.splitlines()), err  # progress


def test_the_folder_holds_table_pictures_and_recordings(demo):
    folder, document, _ = demo
    assert json.loads((folder / "table.json").read_text()) == document
    pictures = {picture.name for picture in folder.glob("*.png")}
    velocities = {f"joint_velocities_{controller}.png" for controller in CONTROLLERS}
    assert pictures >= {"contact_speed.png", "force.png", "impulse_polytope.png", *velocities}
    assert all(picture.stat().st_size > 10_000 for picture in folder.glob("*.png"))
    for controller in CONTROLLERS:
        with BagReader(folder / controller / "bag") as reader:
            assert {"/joint_states", "/impact_qp/command"} <= set(reader.topics)


@pytest.mark.parametrize("controller", ["robust", "existential", "joint_load"])
def test_the_arm_hits_at_its_highest_safe_speed(runs, controller):
    run = runs[controller]
    kept = 0.98 if controller == "joint_load" else 1.0  # of the bound, which is without reserve
    assert run["contact_speed_mps"] == pytest.approx(kept * run["speed_bound_mps"], rel=0.02)


def test_robust_keeps_every_admissible_torque_within_its_limit_and_no_other_does(runs):
    limit = load_robot("panda").limits.impulsive_torque[5]
    worst = {name: run["worst_admissible_impulsive_torque_nm"] for name, run in runs.items()}
    assert worst["robust"] <= limit == 12.0
    assert worst["existential"] > 2.0 * limit
    assert worst["unaware"] > 5.0 * limit
    assert {run["worst_admissible_joint"] for run in runs.values()} == {"panda_joint6"}


def test_by_what_the_joints_feel_the_same_wall_is_hit_faster_and_no_joint_is_overloaded(runs):
    fast, robust = runs["joint_load"], runs["robust"]
    assert fast["contact_speed_mps"] > 1.4 * robust["contact_speed_mps"]
    assert fast["worst_admissible_impulsive_torque_nm"] > 1.4 * 12.0  # the formula forbids it
    for run in (fast, robust):
        assert run["torque_change_nm"] < 0.6 * run["torque_change_limit_nm"] == 0.6 * 12.0
        assert run["largest_torque_nm"] < run["torque_range_nm"]
    assert runs["unaware"]["torque_change_nm"] > 2.0 * 12.0
    assert {run["torque_change_joint"] for run in runs.values()} == {"panda_joint6"}


def test_what_was_measured_is_no_worse_than_what_was_announced(runs):
    for run in runs.values():
        assert run["impulse_in_set"] is True
        assert 1.0 <= run["impulse_normal_ratio"] <= 1.3
        assert run["impulsive_torque_nm"] <= run["worst_admissible_impulsive_torque_nm"]
    assert runs["robust"]["impulsive_torque_nm"] <= 12.0


def test_unaware_hits_with_nearly_its_reference_speed(runs):
    assert 0.45 <= runs["unaware"]["contact_speed_mps"] <= 0.5


def test_the_torque_loop_is_felt_in_the_impact(runs):
    """M + B_theta predicts the velocities after the impact best, whatever the speed."""
    for run in runs.values():
        rms = run["prediction_rms_degps"]
        assert min(rms, key=rms.get) == "M+B_theta"
        assert 5.0 * rms["M+B_theta"] < rms["M+B_rho"] < rms["M"]


def test_a_harder_impact_is_detected_sooner(runs):
    unaware, existential, robust = (
        runs[name]["detection_delay_s"] for name in ("unaware", "existential", "robust")
    )
    period = 1e-3  # of the samples, in which the contact falls anywhere
    assert 0.5e-3 < unaware < existential + period < robust + period < 5e-3 + period
    assert unaware < robust


# --- endings ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "status", "lines"),
    [
        (["--out", "."], 1, ["impact: --out: expected a new folder, . exists already"]),
        (["--out", "/dev/null/x"], 1, ["impact: --out: cannot make /dev/null/x: Not a directory"]),
        (["--scenario", "moon"], 2, ["impact demo: argument --scenario", "qp_panda_demo"]),
        (["--seed", "-1"], 2, ["impact demo: argument --seed: expected an integer from 0", "'-1'"]),
        (["--seed", "9" * 30], 2, ["impact demo: argument --seed: expected an integer from 0"]),
        (["--seed", "x"], 2, ["impact demo: argument --seed: expected an integer from 0"]),
        (["--speed", "1"], 2, ["impact", "--speed"]),
    ],
)
def test_wrong_usage_is_one_line(arguments, status, lines, refused):
    err = refused("demo", *arguments, status=status)
    assert all(line in err for line in lines)


@pytest.mark.parametrize(("arguments", "status"), [(["--out", "."], 1), (["--seed", "x"], 2)])
def test_wrong_usage_ends_the_process_with_its_line(arguments, status):
    process = start(*arguments)
    out, err = finish(process)
    assert (process.returncode, out, err.count("\n")) == (status, "", 1)


@needs_linux
@pytest.mark.parametrize("moment", ["starting", "running"])
def test_ctrl_c_ends_all_with_one_line(tmp_path, moment):
    process = start("--out", tmp_path / "demo")
    bag = tmp_path / "demo" / "unaware" / "bag"
    try:
        suite = wait_for(process, lambda: suite_of(process))
        if moment == "running":
            wait_for(process, lambda: size(bag) > 50_000)
        os.killpg(process.pid, signal.SIGINT)
        out, err = finish(process)
        assert (process.returncode, out) == (130, "")
        progress, line = err.splitlines()
        assert progress == "[1/4] unaware ..."
        assert line == "impact: interrupted"
        assert select.select([suite], [], [], 0)[0], "the suite was left behind"
        with BagReader(bag) as reader:
            assert moment == "starting" or "/joint_states" in reader.topics
    finally:
        process.kill()


@needs_linux
def test_a_killed_demo_leaves_no_process_and_no_riddle(tmp_path):
    process = start("--out", tmp_path / "demo")
    bag = tmp_path / "demo" / "unaware" / "bag"
    try:
        suite = wait_for(process, lambda: suite_of(process))
        wait_for(process, lambda: size(bag) > 50_000)
        process.kill()
        finish(process)
        assert select.select([suite], [], [], 20.0)[0], "the suite was left behind"
    finally:
        process.kill()
    with pytest.raises(RecordingError) as caught:
        BagReader(bag).__enter__()
    assert str(bag) in str(caught.value)
    assert "\n" not in str(caught.value)
