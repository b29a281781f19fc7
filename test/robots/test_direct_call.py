# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""A compiled function that is called directly is the same function."""

from typing import NamedTuple

import numpy as np
import pytest
from numba import njit

from impact_robots.compiling.direct_call import direct


class Spring(NamedTuple):
    stiffness: float
    length: np.ndarray


def energy(spring, share):
    """The energy of springs, and they are relaxed by a fraction."""
    total = 0.0
    for k in range(len(spring.length)):
        total += 0.5 * spring.stiffness * spring.length[k] ** 2
        spring.length[k] *= 1.0 - share
    if total < 0.0:
        raise ValueError("no spring")
    return total


@pytest.mark.parametrize("function", [energy, njit(energy)])
def test_it_gives_the_same_and_writes_the_same(function):
    called = direct(function, Spring(1.0, np.zeros(2)), 0.0)
    spring = Spring(2.0, np.array([1.0, 2.0, 3.0]))
    assert called(spring, 0.5) == 14.0
    np.testing.assert_array_equal(spring.length, [0.5, 1.0, 1.5])
    with pytest.raises(ValueError, match="no spring"):
        called(spring._replace(stiffness=-1.0), 0.5)


def test_it_is_that_of_the_arguments_types():
    compiled = njit(energy)
    compiled(Spring(2, np.ones(2)), 0.0)
    called = direct(compiled, Spring(1.0, np.zeros(2)), 0.0)
    assert called(Spring(0.5, np.ones(2)), 0.0) == 0.5


def test_without_a_first_call_the_types_are_those_of_the_annotations():
    called = direct(njit("float64(float64[::1], float64)")(lambda x, share: share * x[0]))
    assert called(np.array([4.0]), 0.5) == 2.0


def test_the_first_call_is_made():
    spring = Spring(1.0, np.ones(2))
    direct(njit(energy), spring, 1.0)
    assert not spring.length.any()
