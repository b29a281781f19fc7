# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""The console scripts of setup.py, read without running it."""

import ast
from pathlib import Path

SETUP = Path(__file__).resolve().parents[1] / "setup.py"


def console_scripts():
    """Return module and function that setup.py's console scripts call, by name."""
    (scripts,) = (
        ast.literal_eval(node.value)
        for node in ast.parse(SETUP.read_text()).body
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "SCRIPTS"
    )
    lines = (script.split(" = ") for script in scripts)
    return {name: tuple(target.split(":")) for name, target in lines}
