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


def test_help_does_not_load_what_only_an_answer_needs(project_root):
    """Half the time of `predict --help` was scipy's."""
    code = (
        "import sys; from impact_cli.command_line import make_parser; make_parser('predict'); "
        "sys.exit(', '.join({'scipy.optimize', 'scipy.spatial'} & {*sys.modules}) or 0)"
    )
    command = [sys.executable, "-c", code]
    done = subprocess.run(command, cwd=project_root, capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stderr) == (0, "")
