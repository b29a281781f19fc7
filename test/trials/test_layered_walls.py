# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""A soft skin over a hard core, hit again and again by an arm that takes it for a plain wall."""

import sys
from importlib import import_module
from pathlib import Path

import numpy as np
import pytest

from impact_robots import load_robot
from impact_sim.driver.sensors import Noise

sys.path.append(str(Path(__file__).resolve().parents[2] / "benchmarks"))
LAYERED = import_module("layered_walls")


@pytest.fixture(scope="module")
def struck():
    """The wall whose core a hit met at five times a limit when steps were three times the last."""
    return LAYERED.strike_wall((0, 3), None)


def test_no_hit_of_a_mat_on_steel_is_above_a_limit(struck):
    assert struck.wall.skin < 1.2e4 and struck.wall.core > 2e6
    assert len(struck.load) == LAYERED.HITS
    assert max(struck.load) <= 1.0


def test_a_step_is_at_most_half_faster(struck):
    speed = np.array(struck.speed)
    assert (speed[1:] <= 1.5 * 1.05 * speed[:-1]).all() and speed[-1] > 2.0 * speed[0]


def test_low_sensors_show_as_much_less():
    panda = load_robot("panda")
    nothing, shown = Noise(0.0, 0.0, 0.0, 0.0), []
    for gain in (1.0, 0.85):
        simulation = LAYERED.LowSensors(panda, noise=nothing)
        simulation.gain = gain
        shown.append(simulation.reset(panda.stance).tau)
    assert shown[1] == pytest.approx(0.85 * shown[0]) and np.abs(shown[0]).max() > 5.0


def test_the_campaign_counts_what_must_not_be(monkeypatch):
    wall = LAYERED.LayeredLaw(2e4, 3e6, 1e-3, 0.0)
    loads = iter([(0.5, 1.4, 0.9, 1.1, 0.3), (0.5, 0.9, 1.05, 0.9, 0.9)])

    def strike(seed, gain):
        return LAYERED.Struck(wall, (0.1,) * 5, next(loads))

    monkeypatch.setattr(LAYERED, "strike_wall", strike)
    tried, failed, failures = LAYERED.campaign(10, 0)
    assert tried == 10 and len(failures) == 2
    assert failed == 3  # 1.4; 1.1 after it; three of a run above a limit
