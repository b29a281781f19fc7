# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""An arm counts as blocked when it is much slower than it should be, and for as long as it is."""

from math import inf, nan

import pytest

from impact_qp.control.stall import StallWatch


@pytest.mark.parametrize(
    ("speed", "reference", "bound", "blocked"),
    [
        (0.1, 0.1, inf, False),
        (0.02, 0.1, inf, True),
        (0.02, 0.5, 0.03, False),  # at the bound of the impact limit
        (0.0, 0.5, 0.03, True),
        (0.0, 0.5, -0.01, False),  # must not move at all
        (0.0, 0.0, inf, False),  # nothing is asked for
        (0.004, 0.5, nan, False),  # no bound in closed form: what the arm did so far
        (0.001, 0.5, nan, True),
    ],
)
def test_what_counts_as_blocked(speed, reference, bound, blocked):
    watch = StallWatch(1e-3)
    for _ in range(100):
        watch.update(speed, reference, bound)
    assert watch.time == pytest.approx(0.1 if blocked else 0.0)


def test_moving_ends_it_and_a_new_phase_begins_anew():
    watch = StallWatch(1e-3)
    for _ in range(100):
        watch.update(0.0, 0.1, inf)
    watch.update(0.1, 0.1, inf)
    assert watch.time == 0.0
    watch.update(0.0, 0.1, inf)
    watch.reset()
    assert watch.time == 0.0
    watch.update(0.003, 0.5, nan)  # the speed of the phase before does not count
    assert watch.time == 0.0
