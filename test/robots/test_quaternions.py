# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Quaternions are the same by either library."""

import importlib
import sys
from types import ModuleType

import numpy as np
import pinocchio as pin
import pytest
from transforms3d.affines import decompose
from transforms3d.quaternions import mat2quat

from impact_robots.state import quaternions


def stand_in():
    """Return a module that answers as tf_transformations does: x, y, z, w of a (4, 4) matrix."""
    module = ModuleType("tf_transformations")
    module.quaternion_from_matrix = lambda matrix: np.roll(mat2quat(decompose(matrix)[1]), -1)
    return module


@pytest.fixture(params=["transforms3d", "tf_transformations"])
def by(request, monkeypatch):
    with monkeypatch.context() as patch:
        module = stand_in() if request.param == "tf_transformations" else None
        patch.setitem(sys.modules, "tf_transformations", module)  # None: not installed
        yield importlib.reload(quaternions)
    importlib.reload(quaternions)


def test_a_quaternion_is_that_of_the_rotation(by):
    draw = np.random.default_rng(3)
    for _ in range(50):
        rotation = pin.exp3(draw.normal(size=3) * 2.0)
        w, x, y, z = by.quaternion_wxyz(rotation)
        assert pin.Quaternion(w, x, y, z).matrix() == pytest.approx(rotation, abs=1e-12)
        assert w >= 0.0


def test_the_package_is_used_where_it_is_installed(by):
    used = by.quaternion_from_matrix is not None
    assert used == (sys.modules["tf_transformations"] is not None)
