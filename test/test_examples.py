# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""What stands in examples/ runs, and says what it promises."""

import subprocess
import sys

from impact_cli.command_line import run as main


def test_analyze_trials(project_root, tmp_path):
    trials = tmp_path / "trials"
    assert main(["simulate", "flex_exp_type4", "--trials", "2", "--record", str(trials)]) == 0
    example = project_root / "examples" / "analyze_trials.py"
    result = subprocess.run(
        [sys.executable, example, trials], capture_output=True, text=True, cwd=project_root
    )
    assert result.returncode == 0, result.stderr
    assert "M+B_theta, coulomb explains the joint velocities" in result.stdout
    assert "largest error: " in result.stdout


def test_every_example_is_tested(project_root):
    names = {path.stem for path in (project_root / "examples").glob("*.py")}
    assert names == {name.removeprefix("test_") for name in globals() if name.startswith("test_a")}
