# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""A program can be printed, solved, and says why when it cannot."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from impact_analysis.demo.program_picture import draw
from impact_qp import NoSolutionFound, QuadraticProgram, solve
from impact_qp.program import SOLVERS
from impact_robots.exceptions import WriteError


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
@pytest.mark.parametrize("guess", [None, (), (0,)])
def test_no_solution_is_an_error_that_keeps_the_program(changes, guess):
    bad = program(**changes)
    with pytest.raises(NoSolutionFound) as caught:
        solve(bad, guess=guess)
    assert caught.value.program is bad


@given(st.integers(0, 2**32 - 1), st.sets(st.integers(0, 9), max_size=6))
def test_a_guess_changes_nothing_but_the_time(seed, rows):
    random = np.random.default_rng(seed)
    root = random.standard_normal((5, 5))
    some = QuadraticProgram(
        root @ root.T + 0.1 * np.eye(5),
        random.standard_normal(5),
        random.standard_normal((10, 5)),
        random.uniform(0.0, 1.0, 10),  # so that 0 is admissible
        tuple("abcdefghij"),
    )
    expected = solve(some)
    for guess in (tuple(rows), tuple(sorted(rows)), expected.rows, ()):
        found = solve(some, guess=guess)
        np.testing.assert_allclose(found.x, expected.x, atol=1e-7)
        assert set(found.active) == set(expected.active)


def test_the_right_guess_leaves_the_solver_nothing_to_do(monkeypatch):
    monkeypatch.setitem(SOLVERS, "quadprog", None)
    solution = solve(program(), guess=(0,))
    np.testing.assert_allclose(solution.x, [0.5, 2.0])
    assert solution.active == ("wall",)
    assert solution.rows == (0,)
    with pytest.raises(TypeError):
        solve(program(), guess=())


def test_it_can_be_drawn(tmp_path):
    draw(program(), solve(program()), tmp_path / "program.png")
    assert (tmp_path / "program.png").stat().st_size > 5000
    free = program(G=np.zeros((0, 2)), h=np.zeros(0), names=())
    draw(free, solve(free), tmp_path / "free.png")
    with pytest.raises(WriteError, match="cannot write"):
        draw(program(), solve(program()), tmp_path / "nowhere" / "program.png")
