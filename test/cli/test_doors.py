# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""The command line runs as a module, and says quickly what it does."""

import subprocess
import sys

import pytest

from impact_cli.command_names import COMMANDS

SLOW = {"matplotlib", "mujoco", "numba", "plotly", "rclpy", "scipy"}  # packages that load slowly


def test_the_command_line_runs_as_a_module(project_root):
    command = [sys.executable, "-m", "impact_cli", "scenarios"]
    done = subprocess.run(command, cwd=project_root, capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stderr) == (0, "")
    assert "flex_exp_type1" in done.stdout


@pytest.mark.parametrize("command", COMMANDS)
def test_help_loads_nothing_slow(project_root, command):
    """Most of the time that a command took to say what it does was theirs."""
    code = (
        f"import atexit, sys; sys.argv = ['impact', '{command}', '--help'];"
        f"atexit.register(lambda: print('loaded', *{SLOW} & {{*sys.modules}}, file=sys.stderr));"
        "from impact_cli.__main__ import main; main()"
    )
    command = [sys.executable, "-c", code]
    done = subprocess.run(command, cwd=project_root, capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stderr) == (0, "loaded\n")
    assert "usage:" in done.stdout
