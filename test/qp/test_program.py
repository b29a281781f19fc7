# SPDX-License-Identifier: Apache-2.0
"""A program can be printed, solved, and says why when it cannot."""

import numpy as np
import pytest

from impact_qp import NoSolutionFound, QuadraticProgram, solve


def program(**changes):
    """Minimise (x - 1)^2 + (y - 2)^2 under x <= 0.5."""
    parts = {
        "H": 2.0 * np.eye(2),
        "c": np.array([-2.0, -4.0]),
        "G": np.array([[1.0, 0.0]]),
        "h": np.array([0.5]),
        "names": ("wall",),
    }
    return QuadraticProgram(**(parts | changes))


def test_the_solution_lies_on_the_wall_and_names_it():
    solution = solve(program())
    np.testing.assert_allclose(solution.x, [0.5, 2.0])
    assert solution.active == ("wall",)


def test_without_rows_it_is_the_minimum():
    free = program(G=np.zeros((0, 2)), h=np.zeros(0), names=())
    np.testing.assert_allclose(solve(free).x, [1.0, 2.0])


def test_it_prints_its_rows():
    assert str(program()) == "quadratic program: 2 variables, 1 rows\n  wall <= 0.5"


def test_violation_says_by_how_much():
    np.testing.assert_allclose(program().violation(np.array([0.8, 0.0])), [0.3])


@pytest.mark.parametrize(
    "changes",
    [
        {"G": np.array([[1.0, 0.0], [-1.0, 0.0]]), "h": np.array([0.0, -1.0]), "names": "ab"},
        {"h": np.array([np.nan])},
        {"h": np.array([np.inf])},
        {"c": np.array([np.nan, 0.0])},
        {"H": -np.eye(2)},
    ],
    ids=["contradiction", "nan bound", "infinite bound", "nan cost", "not convex"],
)
def test_no_solution_is_an_error_that_keeps_the_program(changes):
    bad = program(**changes)
    with pytest.raises(NoSolutionFound) as caught:
        solve(bad)
    assert caught.value.program is bad
