# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""What stands in examples/ runs, and says what it promises."""

import re
import subprocess
import sys

import pytest

from impact_cli.command_line import run as main

SCRIPTS = {
    "analyze_trials": r"M\+B_theta, coulomb explains the joint velocities",
    "detect_in_bag": r"states, 1 impacts\ncontact at \d\.\d{4} s, detected \d\.\d ms later, link ",
    "own_loop": r"(?s)s: approach\n.*s: coast\n.*s: retract\n.*s: hold\napproached at 0\.1\d\d m/s",
    "own_robot": r"panda: 7 joints, (?s:.*)M: normal impulse 0\.408 N\.s\nM\+B_theta: ",
    "plan_and_map": r"joint_load: 0\.081 m/s, (?s:.*)\ny -0\.20 m, z 0\.42 m: 0\.094 m/s",
    "predict": r"normal impulse 0\.279 N\.s, effective mass 13\.18 kg\n",
}


def printed(root, name, *arguments):
    """Return what a script prints that ends well."""
    call = [sys.executable, root / "examples" / f"{name}.py", *arguments]
    result = subprocess.run(call, capture_output=True, text=True, cwd=root)
    assert result.returncode == 0, result.stderr
    return result.stdout


@pytest.fixture(scope="module")
def trials(tmp_path_factory):
    """A folder of two recorded trials."""
    folder = tmp_path_factory.mktemp("examples") / "trials"
    assert main(["simulate", "flex_exp_type4", "--trials", "2", "--record", str(folder)]) == 0
    return folder


@pytest.mark.parametrize("name", ["predict", "plan_and_map"])
def test_a_script_by_itself(name, project_root):
    assert re.search(SCRIPTS[name], printed(project_root, name))


def test_a_loop_of_ones_own(project_root):
    assert re.search(SCRIPTS["own_loop"], printed(project_root, "own_loop"))


def test_a_robot_of_ones_own(project_root):
    urdf = project_root / "impact_robots" / "panda.urdf"
    assert re.search(SCRIPTS["own_robot"], printed(project_root, "own_robot", urdf))


def test_recordings(trials, project_root):
    bag = next(path.parent for path in sorted(trials.rglob("*.mcap")))
    assert re.search(SCRIPTS["detect_in_bag"], printed(project_root, "detect_in_bag", bag))
    assert re.search(SCRIPTS["analyze_trials"], printed(project_root, "analyze_trials", trials))


def test_every_example_is_tested(project_root):
    assert {path.stem for path in (project_root / "examples").glob("*.py")} == set(SCRIPTS)
