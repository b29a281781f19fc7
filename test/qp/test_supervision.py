# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""The pace of the control cycles: floods are thinned out, gaps and late answers end in a stop."""

import pytest

from impact_qp.ros.supervision import CycleWatch

MS = 1_000_000  # [ns]


def watch(most=10):
    return CycleWatch(1e-3, most)


def test_states_at_the_rate_are_all_answered():
    each = watch()
    assert all(each.take(k * MS, k * 1e-3) for k in range(2000))
    assert each.counts.answered == 2000
    assert each.counts.missed == each.counts.passed == 0


@pytest.mark.parametrize("times", [2, 10])
def test_a_flood_is_thinned_out_to_the_rate(times):
    """By stamps, and by the clock: a command more often than planned breaks rates per second."""
    by_stamp, by_clock = watch(), watch()
    for k in range(1000 * times):
        by_stamp.take(k * MS // times, k * 1e-3 / times)
        by_clock.take(k * MS, k * 1e-3 / times)
    for each in (by_stamp, by_clock):
        assert 990 <= each.counts.answered <= 1003
        assert each.counts.answered + each.counts.passed == 1000 * times


def test_jitter_and_short_pauses_cost_no_state():
    each, arrival = watch(), 0.0
    for k in range(1000):
        arrival = max(arrival, k * 1e-3 + (2e-3 if k % 7 == 0 else 0.0))
        assert each.take(k * MS + (k % 3 - 1) * MS // 4, arrival)


def test_no_two_states_within_one_period_of_stamps_are_answered():
    """Two torque steps within one cycle of the driver are twice the rate."""
    each, last = watch(), None
    for k in range(5000):
        stamp = k * MS // 10
        if each.take(stamp, k * 1e-3):
            assert last is None or stamp - last >= 0.7 * MS
            last = stamp


@pytest.mark.parametrize(("gap", "stops"), [(5, False), (11, False), (12, True), (500, True)])
def test_a_gap_counts_as_cycles_missed_in_a_row(gap, stops):
    each = watch()
    each.take(0, 0.0)
    each.answered(5e-4)
    assert each.take(gap * MS, gap * 1e-3)
    assert each.counts.missed == gap - 1
    assert bool(each.problem) is stops


def test_late_answers_count_and_a_good_cycle_ends_the_row():
    each = watch(most=3)
    for k in range(4):
        each.take(k * MS, k * 1e-3)
        assert not each.problem
        each.answered(2e-3 if k < 3 else 5e-4)
    assert each.counts.missed == 3 and each.in_a_row == 0
    for k in range(4, 8):
        each.take(k * MS, k * 1e-3)
        each.answered(2e-3)
    assert each.problem == (
        "4 control cycles of 1 ms missed in a row (max_consecutive_missed 3); is the machine busy?"
        " Free a core, or simulate in lockstep"
    )


def test_a_rate_that_the_states_do_not_have_is_noticed():
    each = watch()
    for k in range(20):
        each.take(2 * k * MS, 2e-3 * k)
        each.answered(5e-4)
    assert each.problem


def test_states_of_another_rate_are_no_busy_machine():
    """Steps of 4 ms with jitter; then uneven ones, and even ones that are answered late."""
    even, uneven, late = watch(), watch(), watch()
    for k in range(1, 5):
        stamp = 4 * k * MS + (k % 2) * MS // 5
        even.take(stamp, stamp * 1e-9)
        even.answered(5e-4)
        uneven.take(k * k * MS, k * k * 1e-3)
        uneven.answered(5e-4)
        late.take(stamp, stamp * 1e-9)
        late.answered(2e-3)
    for k in (5, 6):
        even.take(4 * k * MS, 4e-3 * k)
        late.take(4 * k * MS, 4e-3 * k)
        late.answered(2e-3)
    assert even.problem.startswith("15 control cycles of 1 ms missed in a row")
    assert "by their stamps states come at 25" in even.problem
    assert "expected 1000 Hz: set rate, or" in even.problem
    assert "is the machine busy?" in uneven.problem and "is the machine busy?" in late.problem


def test_a_pause_that_was_dealt_with_is_not_counted_again():
    each = watch()
    each.take(0, 0.0)
    each.resume()
    assert each.take(5000 * MS, 5.0)
    assert each.counts.missed == 0 and not each.problem
