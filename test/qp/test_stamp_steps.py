# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""In lockstep the states must be a control period apart; one that comes late is no other rate."""

import pytest

from impact_qp.ros.stamp_steps import StampSteps

MS = 1_000_000  # [ns]


def after(stamps, period=1e-3):
    """Return what was found after the last stamp [ms]."""
    steps = StampSteps(period)
    for stamp in stamps:
        steps.take(round(stamp * MS))
    return steps


@pytest.mark.parametrize("period", [1e-3, 5e-3, 1.0 / 333.0])
def test_states_a_period_apart_are_right_from_the_second_on(period):
    stamps = [k * 1e3 * period for k in range(1, 100)]
    assert not after(stamps[:1], period).right
    assert after(stamps[:2], period).right and not after(stamps, period).problem


def test_the_first_state_that_comes_too_soon_is_a_problem():
    steps = after([10, 11], 5e-3)
    assert not steps.right
    assert steps.problem == (
        "joint_states in lockstep: expected stamps 5 ms apart (rate 200), got 1 ms;"
        " set rate to 1000"
    )


@pytest.mark.parametrize("step", [0.1, 0.5, 0.98, 1.02, 1.25, 2.0, 5.0])
def test_any_other_step_is_a_problem_before_anything_may_move(step):
    steps = StampSteps(1e-3)
    for k in range(1, 4):
        steps.take(round(k * step * MS))
        assert not steps.right
    assert steps.problem


@pytest.mark.parametrize(
    "stamps",
    [
        [1, 2, 3, 20],  # one late
        [1, 2, 5, 6, 9, 10],  # one late now and then
        [1, 2, 2, 2, 3, 3],  # repeated
    ],
)
def test_states_that_are_late_or_repeated_are_none(stamps):
    steps = after(stamps)
    assert steps.right and not steps.problem


def test_a_late_state_tells_no_rate_yet():
    steps = after([1, 6])
    assert not steps.right and not steps.problem


def test_a_jump_back_starts_anew():
    assert not after([1, 2, 3, 1]).right and not after([1, 2, 3, 1]).problem
    assert after([1, 2, 3, 1, 2]).right
    assert not after([1, 1.2, 0]).problem
