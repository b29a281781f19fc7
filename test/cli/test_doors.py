# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""The command line opens under its own name, and under the one it had before it was a package."""

import subprocess
import sys

import pytest


@pytest.mark.parametrize("module", ["impact_cli", "impact_analysis"])
def test_the_command_line_runs_as_a_module(project_root, module):
    command = [sys.executable, "-m", module, "scenarios"]
    done = subprocess.run(command, cwd=project_root, capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stderr) == (0, "")
    assert "flex_exp_type1" in done.stdout
