# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""The ways to build the project, each from a clean copy, as a user would.

They take minutes: ``./impact test -m slow_build`` and ``.ci/run`` run them, ``./impact test`` and
``colcon test`` do not.
"""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from impact_setup import environment
from impact_setup.distribution import select_ros
from impact_setup.layout import Layout

pytestmark = [pytest.mark.slow_build, pytest.mark.timeout(1200)]

COMMAND_TIMEOUT_S = 900
SCRIPTS = [
    *("bring_up", "impact", "impact_detector", "impact_predictor"),
    *("impact_qp", "impact_sim", "suite"),
]
LIBRARY = (
    "impact_robots impact_ros impact_predictor impact_detector impact_qp impact_sim "
    "impact_foreign impact_bags impact_trials impact_bringup impact_analysis impact_cli"
)
SMOKE = f"""
import importlib, importlib.util
for name in {LIBRARY.split()!r}:
    importlib.import_module(name)
from impact_robots import load_robot
assert load_robot("panda").name
assert importlib.util.find_spec("rclpy") is None, "meant to run without ROS"
"""


@pytest.fixture(scope="module")
def variables(project_root):
    """What a user's terminal has: ROS 2 and nothing of the checkout."""
    source = select_ros(os.environ, project_root)
    return environment.for_building(os.environ, Layout(project_root), source)


@pytest.fixture(scope="module")
def source_files(project_root):
    """The files that a clone would hold."""
    listing = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=project_root,
        capture_output=True,
        text=True,
        timeout=COMMAND_TIMEOUT_S,
        check=False,
    )
    if listing.returncode:
        pytest.skip("the checkout is no git repository")
    return [name for name in listing.stdout.split("\0") if (project_root / name).is_file()]


@pytest.fixture
def clone(project_root, source_files):
    """A function that copies the source files to a folder."""

    def copy(to: Path) -> Path:
        for name in source_files:
            (to / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(project_root / name, to / name)
        return to

    return copy


def run(command, cwd, variables):
    """Run a command to its end and return its output; a failure shows it."""
    result = subprocess.run(
        command,
        cwd=cwd,
        env=variables,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=COMMAND_TIMEOUT_S,
        check=False,
    )
    assert result.returncode == 0, f"{command}\n{result.stdout[-4000:]}"
    return result.stdout


def check_install(workspace, variables):
    """Both packages are found by whoever sources the workspace."""
    for script in SCRIPTS:
        assert os.access(workspace / "install/impact_control/lib/impact_control" / script, os.X_OK)
    use = (
        ". install/setup.sh && python -c "
        "'import impact_msgs.msg, impact_robots; print(impact_robots.__file__)' && "
        "install/impact_control/lib/impact_control/impact --help"
    )
    output = run(["sh", "-c", use], workspace, variables)
    assert str(workspace) in output


def test_plain_colcon_builds_and_tests_the_repository(clone, tmp_path, variables):
    root = clone(tmp_path / "impact")
    run(["colcon", "build"], root, variables)
    check_install(root, variables)
    run(["colcon", "test", "--pytest-args", "test/robots", "test/setup"], root, variables)
    summary = run(["colcon", "test-result", "--all"], root, variables).splitlines()[-1]
    tests = int(summary.removeprefix("Summary: ").split(" tests")[0])
    assert tests > 50, summary


def test_a_clone_into_a_larger_workspace_builds(clone, tmp_path, variables):
    clone(tmp_path / "src" / "impact")
    line = "colcon build --base-paths src src/*/impact_msgs"
    output = run(["sh", "-c", line], tmp_path, variables)
    assert "2 packages finished" in output
    check_install(tmp_path, variables)


def test_pip_installs_the_library_without_ros(clone, tmp_path, variables, source_files):
    root = clone(tmp_path / "impact")
    base = os.path.realpath(sys.executable)
    plain = {k: v for k, v in variables.items() if k not in environment.SEARCH_PATHS}
    plain["PATH"] = f"{tmp_path}/venv/bin:{os.defpath}"
    run([base, "-m", "venv", "venv"], tmp_path, plain)
    run(["venv/bin/python", "-m", "pip", "install", str(root)], tmp_path, plain)
    run(["venv/bin/python", "-c", SMOKE], tmp_path, plain)
    assert "demo" in run(["venv/bin/impact", "--help"], tmp_path, plain)
    check_data_files(source_files, next((tmp_path / "venv" / "lib").glob("python3*/site-packages")))


def check_data_files(names, site_packages):
    """Every file of the packages, data files too, is installed with them."""
    wanted = [name for name in names if name.split("/")[0] in LIBRARY.split()]
    assert wanted
    for name in wanted:
        assert (site_packages / name).exists(), f"{name} is left out"
