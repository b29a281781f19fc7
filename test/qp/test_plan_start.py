# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Two arms start together, whatever their drivers' clocks say; or one line says why not."""

import numpy as np
import pytest

from impact_qp.arms.clock_offsets import PAIRS, PATIENCE, ClockOffsets
from impact_qp.arms.plan_start import READY_WITHIN, PlanStart

ARMS, MS = ("left", "right"), 1_000_000
PERIOD = 1e-3


def send(start, count, *, ahead=0.0, jitter=2e-4, pace=1.0, seed=0, begin=0):
    """Let states of both arms arrive, with a delay each; the right one's stamps are ahead [s]."""
    random = np.random.default_rng(seed)
    for k in range(begin, begin + count):
        for arm, offset, phase in (("left", 0.0, 0.0), ("right", ahead, 3e-4)):
            true = k * PERIOD + phase
            delay = 5e-4 + abs(jitter * random.normal())
            stamp = round(1e9 * (10.0 + true + offset))
            start.known(arm, stamp, pace * true + delay)
            yield arm, stamp


@pytest.mark.parametrize("ahead", [0.0, 0.0004, 0.003, 1.0, -1.0, 1234.5, -0.02])
@pytest.mark.parametrize("pace", [1.0, 1.05])
def test_the_plan_is_at_one_time_for_both(ahead, pace):
    start = PlanStart(ARMS, period=PERIOD)
    list(send(start, PAIRS + 5, ahead=ahead, pace=pace))
    for arm, stamp in send(start, 10, ahead=ahead, pace=pace, begin=PAIRS + 5):
        start.arrived(arm, stamp, sees=True)
    assert start.ready and not start.problem
    at = round(1e9 * (10.0 + 0.5))
    left, right = start.time("left", at), start.time("right", at + round(1e9 * ahead))
    assert abs(left - right) <= PERIOD
    assert 0.4 < left < 0.5


def test_clocks_that_are_one_are_not_corrected():
    start = PlanStart(ARMS, period=PERIOD)
    for arm, stamp in send(start, PAIRS + 5):
        start.arrived(arm, stamp, sees=True)
    stamp = round(11e9)
    assert start.time("left", stamp) == start.time("right", stamp)


def test_an_offset_that_is_not_clear_is_refused_in_one_line():
    start = PlanStart(ARMS, period=PERIOD)
    for arm, stamp in send(start, PATIENCE + 10, ahead=0.2, jitter=0.05):
        start.arrived(arm, stamp, sees=True)
    assert not start.ready
    assert start.problem.startswith("clocks of left and right: expected an offset of the stamps")
    assert "known to 1 ms" in start.problem


def test_it_waits_for_states_and_for_every_detector():
    start = PlanStart(ARMS, period=PERIOD)
    assert start.waits_for == "states of left, right"
    for arm, stamp in send(start, PAIRS + 5):
        start.arrived(arm, stamp, sees=arm == "left")
    assert not start.ready and start.waits_for == "the detector of right"
    for arm, stamp in send(start, 1, begin=PAIRS + 5):
        start.arrived(arm, stamp, sees=True)
    assert start.ready and start.waits_for == ""
    start.reset()
    assert not start.ready


def test_in_lockstep_it_starts_with_the_first_states():
    start = PlanStart(ARMS, lockstep=True)
    start.arrived("left", 5 * MS, sees=False)
    assert not start.ready
    start.arrived("right", 5 * MS, sees=False)
    assert start.ready
    assert (start.time("left", 5 * MS), start.time("right", 4 * MS)) == (0.0, 0.0)
    assert start.time("left", 12 * MS) == pytest.approx(0.007)
    assert start.may_be_blind(READY_WITHIN) and not start.may_be_blind(READY_WITHIN + PERIOD)


def test_one_arm_has_no_offset():
    clocks = ClockOffsets(("",), PERIOD)
    assert clocks.known and clocks.offset("") == 0
