# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""A recording of an earlier version is analysed to the figures that it was analysed to then."""

import json

import numpy as np
import pytest


def compare(found, then, where=""):
    """Compare plain values; figures of fits differ by rounding from machine to machine."""
    if isinstance(then, dict):
        for key, value in then.items():
            compare(found[key], value, f"{where}.{key}")
    elif isinstance(then, list):
        assert len(found) == len(then), where
        for k, value in enumerate(then):
            compare(found[k], value, f"{where}[{k}]")
    elif isinstance(then, float):
        assert found == pytest.approx(then, rel=1e-5, abs=1e-9), where
    else:
        assert found == then, where


@pytest.fixture(scope="module")
def recordings(project_root):
    return project_root / "test" / "recordings"


def test_a_hit_is_analysed_to_the_same_figures(recordings, tmp_path, impact):
    arguments = "--robot", "panda", "--learn", "--json", "--jobs", "1"
    status, text, _ = impact("analyze", recordings / "hit.mcap", *arguments, "--out", tmp_path)
    assert status == 0
    found, then = json.loads(text), json.loads((recordings / "hit.json").read_text())
    compare(found, then)
    assert np.isfinite(then["friction"]["value"]) and then["learned"]["wall"]
