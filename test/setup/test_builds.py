# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""The ways to build the project, each from a clean copy, as a user would.

Without ROS means a new ``venv`` with what pip finds in the package index and nothing else.
They take minutes: ``./impact test -m slow_build`` and ``.ci/run`` run them, ``./impact test`` and
``colcon test`` do not.
"""

import faulthandler
import json
import os
import shutil
import signal
import subprocess
import sys
import urllib.request
from pathlib import Path

import pytest
from impact_setup import environment
from impact_setup.distribution import RosSource, select_ros
from impact_setup.layout import Layout
from impact_setup.wheels import make as make_wheels

from impact_view.web.browser import find_browser

pytestmark = [pytest.mark.slow_build, pytest.mark.timeout(1200)]

COMMAND_TIMEOUT_S = 900
SCRIPTS = [
    *("bring_up", "impact", "impact_detector", "impact_predictor"),
    *("impact_qp", "impact_sim", "suite"),
]
LIBRARY = (
    "impact_robots impact_ros impact_predictor impact_detector impact_qp impact_sim "
    "impact_bags impact_trials impact_bringup impact_view impact_analysis impact_cli"
)
SMOKE = f"""
import importlib, importlib.util
for name in {LIBRARY.split()!r}:
    importlib.import_module(name)
from impact_robots import load_robot
assert load_robot("panda").name
assert importlib.util.find_spec("rclpy") is None, "meant to run without ROS"
"""


@pytest.fixture(autouse=True)
def _only_the_longer_time_out():
    """Leave out what ends a test that hangs in compiled code: builds wait for children, longer."""
    faulthandler.cancel_dump_traceback_later()


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


@pytest.fixture(scope="module")
def clone(project_root, source_files):
    """A function that copies the source files to a folder."""

    def copy(to: Path) -> Path:
        for name in source_files:
            (to / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(project_root / name, to / name)
        return to

    return copy


@pytest.fixture(scope="module")
def without_ros(clone, tmp_path_factory, variables):
    """A folder with a new ``venv`` of which pip has installed the project, and its variables."""
    folder = tmp_path_factory.mktemp("without_ros")
    plain = {k: v for k, v in variables.items() if k not in environment.SEARCH_PATHS}
    plain["PATH"] = f"{folder}/venv/bin:{os.defpath}"
    run([os.path.realpath(sys.executable), "-m", "venv", "venv"], folder, plain)
    root = str(clone(folder / "impact"))
    run(["venv/bin/python", "-m", "pip", "install", root], folder, plain)
    return folder, plain


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


def test_pip_installs_the_library_without_ros(without_ros, source_files):
    folder, plain = without_ros
    run(["venv/bin/python", "-c", SMOKE], folder, plain)
    assert "demo" in run(["venv/bin/impact", "--help"], folder, plain)
    check_data_files(source_files, site_packages(folder))


def test_the_messages_are_installed_as_they_are(without_ros, project_root):
    installed = sorted((site_packages(without_ros[0]) / "impact_bags" / "msg").glob("*.msg"))
    there = sorted((project_root / "impact_msgs" / "msg").glob("*.msg"))
    assert [each.name for each in installed] == [each.name for each in there]
    assert [each.read_text() for each in installed] == [each.read_text() for each in there]


def test_without_ros_the_demo_has_the_figures_of_dds(without_ros, tmp_path, project_root):
    folder, plain = without_ros
    told = run(["venv/bin/impact", "demo", "--out", "demo"], folder, plain)
    assert "demo: no ROS 2 (No module named 'rclpy'); running without DDS in this process" in told
    there = str(tmp_path / "demo")
    over_dds = [sys.executable, "-m", "impact_cli", "demo", "--json", "--out", there]
    run(over_dds, project_root, dict(os.environ))
    figures = [
        json.loads((place / "table.json").read_text())["runs"]
        for place in (folder / "demo", tmp_path / "demo")
    ]
    assert len(figures[0]) == 4 and figures[0] == figures[1]
    pictures = [
        sorted(path.name for path in Path(each).glob("*.png")) for each in (folder / "demo", there)
    ]
    assert pictures[0] == pictures[1] != []


def test_without_ros_the_demo_is_shown_live_with_the_same_figures(without_ros):
    folder, plain = without_ros
    page = "http://127.0.0.1:8458"
    command = ["venv/bin/impact", "demo", "--json", "--view", "--no-browser", "--port", "8458"]
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    with subprocess.Popen([*command, "--out", "live"], cwd=folder, env=plain, **pipes) as demo:
        told = []
        while not told or told[-1] not in ("", "The page stays until Ctrl-C.\n"):
            told.append(demo.stderr.readline())
        assert f"watch it at {page}\n" in told
        assert urllib.request.urlopen(page, timeout=COMMAND_TIMEOUT_S).status == 200
        demo.send_signal(signal.SIGINT)
        figures, rest = demo.communicate(timeout=COMMAND_TIMEOUT_S)
    assert (demo.returncode, rest) == (0, "")
    without = json.loads((folder / "demo" / "table.json").read_text())
    assert json.loads(figures)["runs"] == without["runs"]


def test_without_ros_trials_are_recorded_and_detected(without_ros):
    folder, plain = without_ros
    run(["venv/bin/impact", "simulate", "iim_wall_cfg1", "--record", "wall"], folder, plain)
    detected = run(["venv/bin/impact", "detect", "wall"], folder, plain)
    assert "impacts: 1" in detected and "as announced" in detected


@pytest.mark.skipif(find_browser() is None, reason="no Chromium to draw pictures")
def test_without_ros_a_recording_is_shown(without_ros):
    folder, plain = without_ros
    run(["venv/bin/impact", "simulate", "iim_wall_cfg3", "--record", "shown"], folder, plain)
    command = ["venv/bin/impact", "view", "shown", "--picture", "hit.png", "--port", "8459"]
    assert "picture: hit.png" in run(command, folder, plain)
    assert (folder / "hit.png").read_bytes().startswith(b"\x89PNG")


@pytest.fixture(scope="module")
def wheels(clone, tmp_path_factory, project_root):
    """Both wheels, as ``./impact wheels`` builds them for this Python."""
    layout = Layout(clone(tmp_path_factory.mktemp("wheels") / "impact"))
    layout.state.mkdir()
    layout.venv.symlink_to(project_root / ".venv")
    if not layout.python.exists():
        pytest.skip("needs the .venv of ./impact: ROS 2 is a distribution's")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PYTHON", str(layout.python))
        return make_wheels(dict(os.environ), layout, RosSource())


@pytest.fixture(scope="module")
def from_wheels(wheels, tmp_path_factory, variables):
    """A function that makes a new ``venv`` of the wheels' folder and what pip then installs."""

    def make(*arguments):
        folder = tmp_path_factory.mktemp("from_wheels")
        plain = {k: v for k, v in variables.items() if k not in environment.SEARCH_PATHS}
        plain = {k: v for k, v in plain.items() if k != environment.WHEELS_MARK}
        plain["PATH"] = f"{folder}/venv/bin:{os.defpath}"
        run([os.path.realpath(sys.executable), "-m", "venv", "venv"], folder, plain)
        options = ["--find-links", str(wheels[0].parent)]
        run(["venv/bin/python", "-m", "pip", "install", *options, *arguments], folder, plain)
        return folder, plain

    return make


def figures_of_demo(folder, plain):
    """Return the runs of the demo's table and what was printed."""
    printed = run(["venv/bin/impact", "demo", "--out", "demo"], folder, plain)
    return json.loads((folder / "demo" / "table.json").read_text())["runs"], printed


def test_wheels_have_the_demo_of_the_checkout_with_and_without_ros(
    wheels, from_wheels, tmp_path, project_root
):
    there = str(tmp_path / "demo")
    over_dds = [sys.executable, "-m", "impact_cli", "demo", "--json", "--out", there]
    run(over_dds, project_root, dict(os.environ))
    wanted = json.loads((tmp_path / "demo" / "table.json").read_text())["runs"]
    suite = next(str(wheel) for wheel in wheels if wheel.name.startswith("impact_control"))
    figures, printed = figures_of_demo(*from_wheels(suite))
    assert figures == wanted and "no ROS 2" in printed
    figures, printed = figures_of_demo(*from_wheels("impact-control[ros]"))
    assert figures == wanted and "no ROS 2" not in printed


def test_wheels_can_be_published_and_their_scripts_say_what_is_missing(wheels, from_wheels):
    suite = next(str(wheel) for wheel in wheels if wheel.name.startswith("impact_control"))
    folder, plain = from_wheels(suite, "twine")
    run(["venv/bin/twine", "check", "--strict", *map(str, wheels)], folder, plain)
    line = "needs ROS 2, of which rclpy is missing\n"
    assert said(["venv/bin/impact_bring_up"], folder, plain) == f"impact_bring_up: {line}"
    assert said(["venv/bin/impact_qp"], folder, plain) == f"impact_qp: {line}"
    for command in ("reproduce", "bench qp", "test", "doc", "wheels"):
        line = said(["venv/bin/impact", *command.split()], folder, plain)
        assert "in a checkout of the project" in line and line.count("\n") == 1


def said(command, folder, plain):
    """Return what a command that fails prints."""
    both = {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT}
    result = subprocess.run(
        command, cwd=folder, env=plain, text=True, timeout=COMMAND_TIMEOUT_S, check=False, **both
    )
    assert result.returncode in (1, 2)
    return result.stdout


def site_packages(folder):
    """Where pip has installed it."""
    return next((folder / "venv" / "lib").glob("python3*/site-packages"))


def check_data_files(names, there):
    """Every file of the packages, data files too, is installed with them."""
    wanted = [name for name in names if name.split("/")[0] in LIBRARY.split()]
    assert wanted
    for name in wanted:
        assert (there / name).exists(), f"{name} is left out"
