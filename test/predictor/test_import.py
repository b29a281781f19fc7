# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""What the library loads before anything is asked."""

import subprocess
import sys

import pytest


@pytest.mark.parametrize(
    "package", ["impact_predictor", "impact_qp", "impact_sim", "impact_detector"]
)
def test_importing_loads_nothing_slow(project_root, package):
    """Of scipy and numba each took longer to load than the suite itself."""
    slow = {"matplotlib", "mujoco", "numba", "scipy"}
    code = f"import sys, {package}; print(*{slow} & {{*sys.modules}})"
    command = [sys.executable, "-c", code]
    done = subprocess.run(command, cwd=project_root, capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stdout, done.stderr) == (0, "\n", "")
