# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Loads of a strike with impedance left on, and with motors that give way: those of the page."""

import sys
from dataclasses import replace
from importlib import import_module
from pathlib import Path

import pytest

pytest.importorskip("mujoco")

from impact_trials.strikes import nail_run
from impact_trials.strikes.hammer_nail import HammerNail
from impact_trials.strikes.nail_run import NailRun

ROOT = Path(__file__).resolve().parents[2]
sys.path.append(str(ROOT / "benchmarks"))
BENCH = import_module("give_way")
PAGE = (ROOT / "doc" / "hitting_hardest.md").read_text()


@pytest.mark.parametrize("handle", BENCH.HANDLES)
@pytest.mark.parametrize("target", BENCH.TARGETS)
def test_ratios_of_loads_are_those_of_the_page(target, handle):
    speed, load, *ratios = BENCH.measure_handle(target, handle).values()
    goes_on, stops, *gives = ratios
    assert goes_on > 1.4 and stops > 2.0, "impedance control raises the load"
    assert all(each < 0.95 for each in gives), "motors that give way lower it"
    rest = [f"{each:.2f}" for each in ratios] + ["-"] * (8 - len(ratios))
    assert f"| {target} | {handle} | {speed:.2f} | {load:.2f} | {' | '.join(rest)} |" in PAGE


def test_a_pulse_for_another_handle_or_target_raises_no_load():
    figures = BENCH.measure_errors()
    assert len(figures) == 6 and max(figures.values()) < 0.85
    low, high = min(figures.values()), max(figures.values())
    assert f"{low:.2f} to {high:.2f}" in PAGE


def test_the_wrist_gets_faster_than_its_limit_and_with_a_pulse_a_fifth_more_at_most():
    """By the contact alone."""
    free, given = BENCH.measure_velocity().values()
    assert given < 1.2 * free
    assert f"{free:.2f} of its velocity limit" in PAGE and f"{given:.2f} with the pulse" in PAGE


def test_in_the_loop_motors_give_way_to_a_contact_that_the_detector_found(monkeypatch):
    """One strike of the demo, friction of 0.1, with and without: the shoulder bears half."""
    monkeypatch.setattr(nail_run, "MOST_STRIKES", 1)
    world, found, planned = HammerNail(), [], []
    for gives in (False, True):
        run = NailRun(world, replace(world.tool, give_way=gives))
        run.planner.learn = lambda *_: None
        if planned:  # the plan takes no notice of it, and some seconds
            run.planner.plan = lambda *_: planned[0]
        (each,) = run.strikes()
        planned.append(each.safe)
        plant = run.simulation.plant
        found.append((each.strike.truth, plant.load.change[[1, 3]], each.strike.fault))
    (let_go, before, _), (gave_way, after, fault) = found
    assert not fault and gave_way.speed == let_go.speed
    assert (after < 0.55 * before).all() and gave_way.used < let_go.used
    used = [f"{1e2 * each.used:.0f}" for each in (let_go, gave_way)]
    assert f"from {used[0]} to {used[1]} % of a limit" in PAGE
