# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Which reference was followed, and for how long it was the wrong one."""

import numpy as np
import pytest

from impact_analysis.spreading.followed import ANTE, EITHER, NEITHER, POST, followed, which
from impact_bags.series import series

T = np.arange(-0.1, 0.2, 1e-3) + 0.25e-3  # instants, a touch between two of them
ANTE_V, POST_V = (np.tile(v, (len(T), 1)) for v in ([0.0, -0.7, 0.0], [0.0, -0.5, 0.1]))


def asked(switch):
    return np.where((switch > T)[:, None], ANTE_V, POST_V)


def test_a_late_switch_is_wrong_from_the_touch_on():
    found = followed(T, ANTE_V, asked(0.003), ANTE_V, POST_V)
    assert found.switch == pytest.approx(0.00325)
    assert found.ante_after == pytest.approx(0.00325)  # the last one holds until then
    assert found.post_before == 0.0 and found.wrong == found.ante_after
    assert np.isnan(found.nearer_post)


def test_an_early_switch_is_wrong_until_the_touch():
    found = followed(T, POST_V, asked(-0.01), ANTE_V, POST_V)
    assert found.switch == pytest.approx(-0.00975)
    assert found.post_before == pytest.approx(0.00975) and found.ante_after == 0.0
    assert found.nearer_post == pytest.approx(0.00025)


def test_an_arm_that_never_switches_is_wrong_to_the_end():
    found = followed(T, ANTE_V, ANTE_V, ANTE_V, POST_V)
    assert np.isnan(found.switch) and found.ante_after == pytest.approx(T[-1])


def test_times_are_counted_where_instants_lie_apart():
    few = np.r_[0:100:3, 100:300:7]
    parts = (ANTE_V[few], asked(0.003)[few], ANTE_V[few], POST_V[few])
    found = followed(T[few], *parts)
    assert found.ante_after == pytest.approx(found.switch)


def test_velocities_name_their_reference():
    desired = np.array([[0, -0.7, 0], [0, -0.5, 0.1], [0, -0.6, 0], [0, np.nan, 0]])
    ante, post = (np.tile(each[0], (4, 1)) for each in (ANTE_V, POST_V))
    assert which(desired, ante, post).tolist() == [ANTE, POST, NEITHER, ""]
    assert which(ante, ante, ante + 1e-4).tolist() == [EITHER] * 4


def test_rows_are_sorted_unique_and_finite():
    found = series([3, 1, 1, 2, 4], [[3.0], [1.0], [9.0], [np.nan], [1e10]], 1)
    assert found.time.tolist() == [1, 3] and found.values.ravel().tolist() == [1.0, 3.0]
    assert found.dropped == 2


def test_a_row_holds_for_one_and_a_half_periods():
    found = series([0, 10, 20, 60], [[0.0], [1.0], [2.0], [6.0]], 1)
    held = found.at(np.array([-1, 5, 20, 34, 36, 61])).ravel()
    assert held == pytest.approx([np.nan, 0, 2, 2, np.nan, 6], nan_ok=True)
