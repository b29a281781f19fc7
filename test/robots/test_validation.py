# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""A NumPy number is a number; a text, a truth value and NaN are none."""

import math

import numpy as np
import pytest

from impact_robots.exceptions import OutOfRangeError
from impact_robots.validation import (
    friction_coefficient,
    friction_range,
    positive,
    restitution_coefficient,
    restitution_range,
)

NUMBERS = [0.5, 1, np.float64(0.5), np.float32(0.5), np.int64(1), np.array(0.5), np.array(1)]
NO_NUMBERS = ["0.5", "x", None, True, np.bool_(True), math.nan, -0.1, np.array([0.5]), 1j, 10**400]


@pytest.mark.parametrize("value", NUMBERS, ids=repr)
def test_any_number_will_do(value):
    number = float(value)
    assert friction_coefficient(value) == restitution_coefficient(value) == number
    assert positive(value, "duration") == number
    assert friction_range((0, value)) == restitution_range((0, value)) == (0.0, number)
    assert friction_range(value) == restitution_range(value) == (number, number)
    assert type(friction_coefficient(value)) is float


@pytest.mark.parametrize("value", NO_NUMBERS, ids=lambda value: repr(value)[:20])
def test_what_is_no_number_is_refused(value):
    for check in (friction_coefficient, restitution_coefficient):
        with pytest.raises(OutOfRangeError, match="expected a"):
            check(value)
    for check in (friction_range, restitution_range):
        with pytest.raises(OutOfRangeError, match=r"expected (low, high|a finite)"):
            check((value, value))
    with pytest.raises(OutOfRangeError, match="duration: expected a finite number above 0"):
        positive(value, "duration")


@pytest.mark.parametrize("value", ["01", None, (0.1,), (0.1, 0.2, 0.3), (0.2, 0.1)])
def test_a_range_is_one_number_or_two_in_order(value):
    for check in (friction_range, restitution_range):
        with pytest.raises(OutOfRangeError, match="expected"):
            check(value)
