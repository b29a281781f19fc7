# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""The scripts of doc/, which are in no package."""

import importlib.util
from pathlib import Path

import pytest

DOC = Path(__file__).resolve().parents[1] / "doc"


def loaded(name):
    """Return a script as a module; without the documentation the test is skipped."""
    file = DOC / f"{name}.py"
    if not file.is_file():
        pytest.skip("the documentation is in a checkout only")
    spec = importlib.util.spec_from_file_location(name, file)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
