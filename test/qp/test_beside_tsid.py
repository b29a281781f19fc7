# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""TSID beside the control cycle: it gets the same arm, and a benchmark runs without it."""

import json
import sys
from importlib import import_module
from pathlib import Path
from types import ModuleType

import numpy as np
import pinocchio as pin
import pytest

from impact_robots import load_robot

sys.path.append(str(Path(__file__).resolve().parents[2] / "benchmarks"))
BESIDE, TIMES = import_module("beside_tsid"), import_module("side_by_side")
STATE = (np.array([0.1, 0.2, 0.3, -2.0, 0.4, 2.0, 0.5]), np.linspace(-0.5, 0.5, 7))


@pytest.fixture(scope="module")
def robot():
    return load_robot("panda")


@pytest.fixture
def cycle(monkeypatch):
    """The module of TSID's process, without TSID."""
    for name in ("tsid", "tsid.tsid_pywrap"):
        monkeypatch.setitem(sys.modules, name, ModuleType(name))
    monkeypatch.delitem(sys.modules, "tsid_cycle", raising=False)
    yield import_module("tsid_cycle")
    del sys.modules["tsid_cycle"]


def test_tsid_gets_the_arm_with_its_tool_and_motors(cycle, robot):
    model = cycle._model(json.loads(json.dumps(BESIDE.problem(robot, [STATE]))))
    for quantity in (_inverse_dynamics, _contact_velocity):
        np.testing.assert_allclose(
            quantity(model, "contact"), quantity(robot.model, robot.contact_frame), atol=1e-12
        )


def _inverse_dynamics(model, frame):
    return pin.rnea(model, model.createData(), *STATE, np.arange(7.0))


def _contact_velocity(model, frame):
    data = model.createData()
    pin.forwardKinematics(model, data, *STATE)
    axes = pin.ReferenceFrame.LOCAL_WORLD_ALIGNED
    return pin.getFrameVelocity(model, data, model.getFrameId(frame), axes).vector


def test_where_tsid_is_not_installed_a_line_says_so_and_how_to_get_it(robot, tmp_path, capfd):
    with BESIDE.tsid_blocks(robot, [STATE], tmp_path) as blocks:
        assert blocks == {}
    (line,) = capfd.readouterr().err.splitlines()
    assert line.startswith("qp: without TSID (ModuleNotFoundError: No module named")
    assert line.endswith(f"; to install it: {BESIDE.INSTALL}")


@pytest.mark.parametrize(
    ("cold", "count"), [(False, 50 - TIMES.WARM), (True, 50 // TIMES.COLD)], ids=["warm", "cold"]
)
def test_a_block_times_the_cycles_that_it_says(cold, count, monkeypatch):
    emptied, calls = [], []
    monkeypatch.setattr(TIMES, "empty_caches", lambda: emptied.append(len(calls)))
    taken = TIMES.cycle_times(
        lambda k, state: calls.append((k, state)),
        range(100, 150),
        lambda: calls.append("after"),
        cold=cold,
    )
    assert len(taken) == count
    assert calls[::2] == [(k, 100 + k) for k in range(50)] and set(calls[1::2]) == {"after"}
    assert emptied == ([2 * k for k in (9, 19, 29, 39, 49)] if cold else [])
