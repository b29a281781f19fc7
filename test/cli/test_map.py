# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""`map`: what it says of a point is what `plan` says there; what is out of reach is said so."""

import json

import numpy as np
import pytest

from impact_qp.control.plan import Plan
from impact_qp.exceptions import ControlError
from impact_qp.limits import Contact
from impact_qp.planning import Search
from impact_qp.reach import Reach
from impact_qp.speed_map import Effort, MapSearch
from impact_qp.surface_grid import SurfaceGrid

TABLE = ["--point", "0.5,0,0.1", "--normal", "0,0,1", "--friction", "0.3", "--restitution", "0,0.3"]
ROBUST = [*TABLE, "--impact-limits", "robust"]
DOWN = np.array([0.0, 0.0, 1.0])


@pytest.fixture
def mapped(impact):
    """A function that returns the document of a map."""

    def run(*arguments):
        status, out, err = impact("map", *arguments, "--json", "--jobs", 1)
        assert status == 0, err
        return json.loads(out)

    return run


def test_each_speed_is_what_plan_says_of_that_configuration(mapped, impact, panda):
    document = mapped(*ROBUST, "--grid", "3,2", "--size", "0.4,0.2")
    grid = SurfaceGrid(np.array([0.5, 0.0, 0.1]), DOWN, (0.4, 0.2), (3, 2))
    for row in range(2):
        for column in range(3):
            q = document["q_rad"][row][column]
            plan = json.loads(
                impact("plan", "--q", ",".join(map(str, q)), *ROBUST[2:], "--json")[1]
            )
            assert plan["contact_point_m"] == pytest.approx(grid.points()[row, column], abs=1e-7)
            assert plan["speed_bound_mps"] == pytest.approx(
                document["speed_bound_mps"][row][column], rel=1e-9
            )
            assert plan["limit"] == document["limit"][row][column]
            reach = Reach(
                panda, None, facing=-DOWN, normal=DOWN, tilt=np.radians(30), around=np.array(q)
            )
            assert reach.cosine(reach.place(np.array(q))) >= np.cos(np.radians(30)) - 1e-6


def test_it_is_nearly_as_fast_as_a_long_search_at_one_point(panda):
    point = np.array([0.5, 0.1, 0.1])
    limit = Plan(Contact(point, DOWN, 0.3, (0.0, 0.3)), "robust").impact_limit(panda, period=0.0)
    grid = SurfaceGrid(point, DOWN, (0.2, 0.2), (3, 3))
    search = MapSearch(panda, limit, grid, axis=DOWN)
    known = [q for place in search.anchors for q in search.at_anchor(*place)]
    here = search.row(1, known)[1]
    longer = Search(panda, limit, here.q, reach=search.reach)  # as far away from the normal
    assert here.bound.speed > 0.85 * longer.best().bound.speed


def test_processes_change_nothing(impact):
    arguments = ["map", *ROBUST, "--grid", "3,3", "--json", "--jobs"]
    assert impact(*arguments, 1)[1] == impact(*arguments, 2)[1] != ""


def test_an_arm_that_is_as_good_to_both_sides_reaches_as_far(mapped):
    document = mapped(*ROBUST, "--grid", "5,5", "--size", "1.4,1.4")
    speeds = np.array(document["speed_bound_mps"], dtype=float)
    reached = np.isfinite(speeds)
    np.testing.assert_array_equal(reached, reached[::-1])
    distance = np.hypot(
        0.5 + np.array(document["width_m"]), np.array(document["height_m"])[:, None]
    )
    assert document["reached"] == reached.sum() < 25
    assert not reached[distance > 1.0].any() and reached[(distance > 0.4) & (distance < 0.7)].all()


def test_what_the_joints_feel_and_where_nothing_reaches(mapped, impact):
    given = [*TABLE, "--stiffness", "1e5", "--joint-ranges", "nominal"]
    document = mapped(*given, "--grid", "1,1", "--size", "0,0")
    assert document["impact_limits"] == "joint_load" and document["reached"] == 1
    far = ["--point", "9,0,0", "--grid", "2,1", "--impact-limits", "robust"]
    status, out, _ = impact("map", *far, "--jobs", 1)
    assert status == 1 and "no point is reached with the tool facing the surface" in out
    assert json.loads(impact("map", *far, "--jobs", 1, "--json")[1])["q_rad"] == [[None, None]]


def test_it_is_told_and_drawn(impact, tmp_path):
    picture = tmp_path / "map.png"
    status, out, _ = impact(
        "map", *ROBUST, "--grid", "2,2", "--size", "1.4,0.2", "--plot", picture, "--jobs", 1
    )
    assert status == 0 and picture.read_bytes()[:4] == b"\x89PNG"
    assert "reached: 2 of 4" in out and "  limited by: panda_joint" in out


@pytest.mark.parametrize(
    ("arguments", "line"),
    [
        (["--point", "0.5,0"], "--point: expected 3 finite numbers, got 2 (0.5,0)"),
        (
            ["--grid", "0,3"],
            "--grid: expected two whole numbers from 1 with at most 1000000",
        ),
        (["--grid", "2.5,3"], "got 2.5,3"),
        (["--grid", "3"], "--grid: expected 2 finite numbers, got 1 (3)"),
        (["--size=-1,2"], "--size: expected two finite lengths >= 0, got -1,2"),
        (["--axis", "0,0,0"], "--axis: expected a direction, got the zero vector"),
        (["--tilt", "200"], "--tilt: expected 0 to 180 degrees, got 200"),
        (["--robot", "hrp4"], "robot hrp4: map needs a fixed base, a motor at every joint"),
        (["--contact", "nix"], "contact frame: expected one of panda_link0"),
    ],
)
def test_wrong_usage_is_one_line(arguments, line, refused):
    assert line in refused("map", *ROBUST, *arguments)


def test_a_picture_that_cannot_be_written_costs_only_itself(impact):
    given = ["map", *ROBUST, "--grid", "1,1", "--jobs", 1, "--plot", "/dev/null/x.png"]
    status, out, err = impact(*given)
    assert status == 1 and "reached: 1 of 1" in out and "--plot: cannot write" in err


def test_a_grid_has_its_axes_in_the_surface_and_height_up():
    wall = SurfaceGrid(np.array([0.6, 0.0, 0.4]), np.array([-1.0, 0.0, 0.0]), (0.2, 0.4), (2, 3))
    np.testing.assert_allclose(wall.axes, [[0, -1, 0], [0, 0, 1]], atol=1e-12)
    np.testing.assert_allclose(wall.points()[0, 0], [0.6, 0.1, 0.2], atol=1e-12)
    table = SurfaceGrid(np.zeros(3), DOWN, (0.2, 0.4), (1, 1))
    np.testing.assert_allclose(table.axes, [[1, 0, 0], [0, 1, 0]], atol=1e-12)
    np.testing.assert_array_equal(table.points(), np.zeros((1, 1, 3)))
    with pytest.raises(ControlError, match="grid: expected two numbers of points, got 0,3"):
        SurfaceGrid(np.zeros(3), DOWN, (1.0, 1.0), (0, 3))


def test_without_effort_there_is_still_an_answer_or_none(panda):
    limit = Plan(Contact(np.zeros(3), DOWN, 0.3, 0.0), "robust").impact_limit(panda, period=0.0)
    grid = SurfaceGrid(np.array([0.5, 0.0, 0.1]), DOWN, (0.0, 0.0), (1, 1))
    search = MapSearch(panda, limit, grid, axis=DOWN, effort=Effort(drawn=1, steps=0))
    assert search.row(0, []) == [None] and search.column(0, [None]) == [None]
