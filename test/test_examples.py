# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""The scripts in examples/ run, and their output is right."""

import re
import subprocess
import sys

import numpy as np
import pytest
from other_arms import UR, write_arm

from impact_cli.command_line import run as main
from impact_robots import load_robot


@pytest.fixture
def example(project_root):
    """A function that runs a script of examples/, and returns what it prints."""

    def run(name, *arguments):
        command = [sys.executable, project_root / "examples" / f"{name}.py", *arguments]
        result = subprocess.run(command, capture_output=True, text=True, cwd=project_root)
        assert result.returncode == 0, result.stderr
        return result.stdout

    return run


@pytest.fixture(scope="module")
def trials(tmp_path_factory):
    """A folder of two recorded impacts."""
    folder = tmp_path_factory.mktemp("recorded") / "trials"
    assert main(["simulate", "flex_exp_type4", "--trials", "2", "--record", str(folder)]) == 0
    return folder


@pytest.mark.parametrize("name", ["analyze_trials", "detect_in_bag", "own_robot"])
def test_one_that_needs_a_file_says_so(project_root, name):
    command = [sys.executable, project_root / "examples" / f"{name}.py"]
    result = subprocess.run(command, capture_output=True, text=True, cwd=project_root)
    assert result.returncode == 1
    assert "Traceback" not in result.stderr and f"python examples/{name}.py " in result.stderr


def test_predict_impact(example):
    printed = example("predict_impact")
    names = re.findall(r"^(\S+) +[\d.]+ N\.s, largest jump", printed, re.MULTILINE)
    assert names == list(load_robot("panda").motor_inertias)
    intervals = re.findall(r"panda_joint\d: (\S+) to (\S+)$", printed, re.MULTILINE)
    assert len(intervals) == 7
    assert all(float(low) < float(high) for low, high in intervals)


def test_plan_hit(example):
    printed = example("plan_hit")
    speeds = dict(re.findall(r"^(\w+): ([\d.]+) m/s, limited by panda_", printed, re.MULTILINE))
    assert float(speeds["robust"]) < float(speeds["joint_load"]) < 0.5
    rows = printed.split("top row first\n")[1].splitlines()
    found = np.array([[float(speed) for speed in row.split()] for row in rows])
    assert found.shape == (2, 3)
    assert np.all(found > float(speeds["joint_load"]))  # configurations were looked for


def test_detect_in_bag(example, trials):
    printed = example("detect_in_bag", trials / "flex_exp_type4_000")
    assert re.search(r"fused: impact at [\d.]+ s, detected \d\.\d ms later,\n  on panda_", printed)


def test_analyze_trials(example, trials):
    printed = example("analyze_trials", trials)
    assert "M+B_theta, coulomb explains the joint velocities" in printed
    assert "largest error: " in printed


def test_own_robot(example, tmp_path):
    printed = example("own_robot", write_arm(tmp_path, UR))
    assert re.search(r"^ur_class: safe up to 0\.\d+ m/s, limited by ", printed, re.MULTILINE)
    assert printed.count("rad/s after a hit") == 6


def test_own_loop(example):
    printed = example("own_loop")
    phases = re.findall(r"^[\d.]+ s (\w+)$", printed, re.MULTILINE)
    assert phases == ["APPROACH", "COAST", "RETRACT", "BRAKE", "HOLD"]
    assert 0.05 < float(re.search(r"fastest ([\d.]+) m/s", printed)[1]) < 0.3


def test_governed_loop(example):
    printed = example("governed_loop")
    speed, bound = map(
        float, re.search(r"contact at ([\d.]+) m/s, bound ([\d.]+)", printed).groups()
    )
    assert 0.8 * bound < speed < bound
    assert "surface wall: panda_joint6" in printed and "anywhere_speed" in printed


def test_every_example_is_tested(project_root):
    names = {path.stem for path in (project_root / "examples").glob("*.py")}
    tests = {name.removeprefix("test_") for name in globals() if name.startswith("test_")}
    assert names < tests and len(names) == 7
