# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""A program can be printed, solved, and says why when it cannot."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from impact_analysis.demo.program_picture import draw
from impact_qp import NoSolutionFound, QuadraticProgram, solve
from impact_qp.program.program import SOLVERS
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


# --- equalities and bounds ----------------------------------------------------------------------


def drawn(seed):
    """A program of 6 variables with rows, two equalities and some bounds; 0 is admissible."""
    random = np.random.default_rng(seed)
    root = random.standard_normal((6, 6))
    ends = random.choice([0.05, 0.3, np.inf], (2, 6))
    return QuadraticProgram(
        root @ root.T + 0.1 * np.eye(6),
        3.0 * random.standard_normal(6),
        random.standard_normal((8, 6)),
        random.uniform(0.0, 1.0, 8),
        tuple("abcdefgh"),
        random.standard_normal((2, 6)),
        np.zeros(2),
        ("weld", "belt"),
        -ends[0],
        ends[1],
    )


@pytest.mark.parametrize("solver", list(SOLVERS))
@given(st.integers(0, 2**32 - 1))
def test_the_solution_fulfils_the_conditions_of_optimality(solver, seed):
    """Karush, Kuhn and Tucker: with them a convex program has no better point."""
    some = drawn(seed)
    x, active, rows = solve(some, solver)
    assert np.abs(some.A @ x - some.b).max() < 1e-9
    assert some.violation(x).max() < 1e-8
    assert len(active) == len(rows)
    G, h = some.stacked
    np.testing.assert_allclose(G[list(rows)] @ x, h[list(rows)], atol=1e-8)
    normals = np.vstack([some.A, G[list(rows)]])
    force = np.linalg.lstsq(normals.T, -(some.H @ x + some.c), rcond=None)[0]
    np.testing.assert_allclose(normals.T @ force, -(some.H @ x + some.c), atol=1e-6)
    assert force[2:].min(initial=0.0) > -1e-7


@given(st.integers(0, 2**32 - 1), st.sets(st.integers(0, 19), max_size=4))
def test_a_guess_changes_nothing_with_equalities_either(seed, rows):
    some = drawn(seed)
    rows = {row for row in rows if np.isfinite(some.stacked[1][row])}
    expected = solve(some)
    for guess in (tuple(rows), expected.rows, ()):
        found = solve(some, guess=guess)
        np.testing.assert_allclose(found.x, expected.x, atol=1e-7)
        assert np.abs(some.A @ found.x - some.b).max() < 1e-9
        assert set(found.active) == set(expected.active)


def test_the_right_guess_is_proved_with_equalities_and_bounds(monkeypatch):
    some = next(each for each in map(drawn, range(20)) if max(solve(each).rows, default=0) > 7)
    expected = solve(some)
    monkeypatch.setitem(SOLVERS, "quadprog", None)
    found = solve(some, guess=expected.rows)
    np.testing.assert_allclose(found.x, expected.x, atol=1e-9)
    assert found.active == expected.active


def test_variables_that_the_cost_does_not_couple_change_only_the_way_to_the_solution(monkeypatch):
    some = next(each for each in map(drawn, range(20)) if max(solve(each).rows, default=0) > 7)
    H = some.H.copy()
    H[:4, 4:] = H[4:, :4] = 0.0
    H[4:, 4:] = np.diag(np.diag(H[4:, 4:]))
    apart = some._replace(H=H)
    expected = solve(apart)
    assert expected.rows
    monkeypatch.setitem(SOLVERS, "quadprog", None)
    for coupled in (4, 5, None):
        found = solve(apart._replace(coupled=coupled), guess=expected.rows)
        np.testing.assert_allclose(found.x, expected.x, atol=1e-9)
        assert found.rows == expected.rows


def test_an_equality_may_pull_as_well_as_push():
    """Minimise (x - 1)^2 + (y - 2)^2 with x + y = s: the force on the sum changes its sign at 3."""
    for total in (1.0, 5.0):
        line = program(G=np.zeros((0, 2)), h=np.zeros(0), names=())
        line = line._replace(A=np.ones((1, 2)), b=np.array([total]), equalities=("sum",))
        half = (total - 3.0) / 2.0
        for guess in (None, ()):
            np.testing.assert_allclose(
                solve(line, guess=guess).x, [1.0 + half, 2.0 + half], atol=1e-12
            )


@pytest.mark.parametrize("solver", list(SOLVERS))
def test_a_bound_binds_and_is_named(solver):
    bounded = program()._replace(lower=np.array([-1.0, -np.inf]), upper=np.array([np.inf, 1.5]))
    x, active, rows = solve(bounded, solver)
    np.testing.assert_allclose(x, [0.5, 1.5])
    assert set(active) == {"wall", "variable 1 upper"} and set(rows) == {0, 4}
    low = bounded._replace(c=np.array([10.0, -4.0]))
    assert solve(low, solver).active[0] == "variable 0 lower"
    assert solve(low, solver).x[0] == pytest.approx(-1.0)


@pytest.mark.parametrize("solver", list(SOLVERS))
@pytest.mark.parametrize(
    "changes",
    [
        {"A": np.ones((2, 2)), "b": np.array([0.0, 1.0]), "equalities": ("a", "b")},
        {"A": np.array([[1.0, 0.0]]), "b": np.array([0.6]), "equalities": ("through the wall",)},
        {"A": np.array([[1.0, 0.0]]), "b": np.array([np.nan]), "equalities": ("nowhere",)},
        {"lower": np.array([0.6, 0.0]), "upper": np.array([1.0, 1.0])},
        {"lower": np.array([0.0, 1.0]), "upper": np.array([1.0, 0.0])},
        {"lower": np.array([0.0, np.nan]), "upper": np.array([1.0, 1.0])},
    ],
    ids=["contradiction", "equality against row", "nan", "bound against row", "crossed", "nan end"],
)
@pytest.mark.parametrize("guess", [None, (), (0,)])
def test_what_cannot_be_fulfilled_is_said(solver, changes, guess):
    bad = program(**changes)
    with pytest.raises(NoSolutionFound) as caught:
        solve(bad, solver, guess)
    assert caught.value.program is bad


def test_equalities_and_bounds_are_printed():
    some = program(A=np.ones((1, 2)), b=np.array([0.25]), equalities=("sum",))
    some = some._replace(lower=np.zeros(2), upper=np.array([1.0, np.inf]))
    assert str(some).splitlines()[2:] == [
        "  sum = 0.25",
        "  0 <= variable 0 <= 1",
        "  0 <= variable 1 <= inf",
    ]
