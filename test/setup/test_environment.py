# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""The variables that a command runs with."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from impact_setup import environment
from impact_setup.distribution import RosSource

WHEELS = RosSource()
PATHS = {"PYTHONPATH": "/checkout:/built", "AMENT_PREFIX_PATH": "/built", "LD_LIBRARY_PATH": "/l"}
TIMEOUT_S = 60


@pytest.fixture
def running(layout):
    """A function that computes the variables for a command from the caller's."""

    def compute(source=WHEELS, **caller):
        return environment.for_running({"PATH": "/usr/bin", **caller}, PATHS, layout, source)

    return compute


def test_defaults_are_set_unless_the_caller_sets_them(running):
    assert running()["ROS_AUTOMATIC_DISCOVERY_RANGE"] == "LOCALHOST"
    assert running()["FASTDDS_BUILTIN_TRANSPORTS"] == "UDPv4"
    assert running()["OPENBLAS_NUM_THREADS"] == "1"
    chosen = running(ROS_AUTOMATIC_DISCOVERY_RANGE="SUBNET")
    assert chosen["ROS_AUTOMATIC_DISCOVERY_RANGE"] == "SUBNET"


def test_the_workspace_comes_before_the_callers_paths(running):
    result = running(PYTHONPATH="/mine", LD_LIBRARY_PATH="/cuda")
    assert result["PYTHONPATH"] == "/checkout:/built:/mine"
    assert result["LD_LIBRARY_PATH"] == "/l:/cuda"


def test_the_environments_python_comes_first(running, layout):
    assert running()["PATH"] == f"{layout.venv}/bin:/usr/bin"
    assert running(PATH=f"/a:{layout.venv}/bin:/b")["PATH"] == f"{layout.venv}/bin:/a:/b"


def test_the_mark_of_the_wheels_is_not_inherited(running):
    assert "_ROS_WHEELS_BOOTSTRAP_COMPLETE" not in running(_ROS_WHEELS_BOOTSTRAP_COMPLETE="1")


def test_what_was_compiled_is_kept(running):
    assert "PYTHONDONTWRITEBYTECODE" not in running(PYTHONDONTWRITEBYTECODE="1")


def test_another_checkouts_shell_lends_nothing(running):
    result = running(
        AMENT_PREFIX_PATH="/other/install/impact_msgs:/other/.venv",
        LD_LIBRARY_PATH="/other/install/impact_msgs/lib:/other/.venv/lib:/cuda",
        VIRTUAL_ENV="/other/.venv",
    )
    assert result["AMENT_PREFIX_PATH"] == "/built"
    assert result["LD_LIBRARY_PATH"] == "/l:/cuda"


def test_an_empty_entry_never_means_the_current_directory(running):
    assert running(LD_LIBRARY_PATH=":/cuda:")["LD_LIBRARY_PATH"] == "/l:/cuda"


def test_building_sees_the_wheels_alone(layout):
    caller = {"PATH": "/usr/bin", "PYTHONPATH": "/mine", "AMENT_PREFIX_PATH": "/other"}
    result = environment.for_building(caller, layout, WHEELS)
    assert result["AMENT_PREFIX_PATH"] == result["CMAKE_PREFIX_PATH"] == str(layout.venv)
    assert "PYTHONPATH" not in result


def test_building_on_a_distribution_keeps_its_paths_and_not_the_checkouts(layout):
    caller = {"AMENT_PREFIX_PATH": f"{layout.install('impact_msgs')}:/opt/ros/jazzy"}
    source = RosSource("jazzy", ("/opt/ros/jazzy",), "3.12")
    result = environment.for_building(caller, layout, source)
    assert result["AMENT_PREFIX_PATH"] == "/opt/ros/jazzy"


def test_search_paths_come_from_the_built_workspaces_script(layout):
    script = layout.root / "install" / "setup.sh"
    script.parent.mkdir()
    script.write_text("export PYTHONPATH=/site LD_LIBRARY_PATH=/lib: SECRET=1\n")
    paths = environment.capture({"PATH": os.defpath}, layout, WHEELS)
    assert paths["PYTHONPATH"] == f"{layout.root}:/site"
    assert paths["LD_LIBRARY_PATH"] == "/lib"
    assert "SECRET" not in paths


def test_scripts_that_quote_nothing_find_a_folder_with_a_space(layout):
    """Those of colcon: the path of the workspace is a word of its own, and Python a command."""
    script = layout.root / "install" / "setup.sh"
    script.parent.mkdir()
    script.write_text(
        'export PYTHONPATH="$COLCON_CURRENT_PREFIX/site"\n'
        "export LD_LIBRARY_PATH=$($COLCON_PYTHON_EXECUTABLE -c 'print(1)')\n"
    )
    paths = environment.capture({"PATH": os.defpath}, layout, WHEELS)
    assert paths["PYTHONPATH"] == f"{layout.root}:{script.parent}/site"
    assert paths["LD_LIBRARY_PATH"] == "1"


def test_without_a_home_logs_and_fonts_are_kept_in_the_checkout(layout):
    here = environment.for_running({"PATH": "/usr/bin", "HOME": "/nowhere"}, {}, layout, WHEELS)
    for name in ("ROS_HOME", "MPLCONFIGDIR"):
        assert here[name].startswith(str(layout.root))
    own = {"PATH": "/usr/bin", "HOME": "/nowhere", "MPLCONFIGDIR": "/mine"}
    assert environment.for_running(own, {}, layout, WHEELS)["MPLCONFIGDIR"] == "/mine"
    home = {"PATH": "/usr/bin", "HOME": str(layout.root)}
    assert "MPLCONFIGDIR" not in environment.for_running(home, {}, layout, WHEELS)


@pytest.mark.parametrize("options", [["-c"], ["-P", "-c"], ["-I", "-c"]])
def test_the_messages_source_folder_never_shadows_the_built_package(
    options, project_root, tmp_path
):
    if "-P" in options and sys.version_info < (3, 11):
        pytest.skip("this Python has no -P")
    built = tmp_path / "impact_msgs"
    built.mkdir()
    (built / "__init__.py").touch()
    find = f"import sys; sys.path += {[str(project_root), str(tmp_path)]}; import impact_msgs; "
    answer = subprocess.run(
        [sys.executable, "-S", *options, find + "print(impact_msgs.__file__)"],
        cwd=project_root,
        env={"PATH": os.defpath},
        capture_output=True,
        text=True,
        timeout=TIMEOUT_S,
        check=True,
    )
    assert Path(answer.stdout.strip()) == built / "__init__.py"


def test_the_tests_themselves_see_the_built_messages():
    pytest.importorskip("rclpy")
    import impact_msgs

    assert impact_msgs.__file__ is not None
