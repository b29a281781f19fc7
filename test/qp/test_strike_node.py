# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Strikes of the controller's node on the simulated nail, over DDS in lockstep."""

import numpy as np
import pytest

pytest.importorskip("rclpy")
pytest.importorskip("mujoco")

from hammer_bench import HammerBench, task_file
from rclpy.parameter import Parameter

from impact_msgs.action import ExecuteImpact, LearnSurface, Strike
from impact_qp.goals.goal import INTERNAL_ERROR, UNSAFE
from impact_qp.node import ImpactQpNode
from impact_qp.strike.strike_series import StrikeSeries
from impact_trials.strikes.hammer_nail import HammerNail

Result = ExecuteImpact.Result
HIGHEST = float("nan")  # the highest speed that is safe


@pytest.fixture(scope="module")
def world():
    return HammerNail()


@pytest.fixture
def make_bench(context, world, tmp_path, monkeypatch):
    made = []

    def make(changes=None, **options):
        task = task_file(tmp_path, world, **(changes or {}))
        made.append(HammerBench(context, world, task, monkeypatch, **options))
        return made[-1]

    yield make
    for bench in made:
        bench.close()


def test_the_codes_are_those_of_the_actions():
    for kind in (Strike.Result, LearnSurface.Result):
        assert (kind.CODE_UNSAFE, kind.CODE_INTERNAL_ERROR) == (UNSAFE, INTERNAL_ERROR)
    assert Result.CODE_INTERNAL_ERROR == INTERNAL_ERROR


def hit(bench, **fields):
    goal = bench.place(ExecuteImpact.Goal(speed=HIGHEST, **fields))
    return bench.send(ExecuteImpact, "execute_impact", goal)


def test_it_brings_the_head_to_the_line_lets_go_and_returns(make_bench, world):
    bench = make_bench(beside=(1.5e-3, 0.0, 0.0)).start()
    start = bench.plant.simulation.plant.q[:7].copy()
    result = bench.result(hit(bench))
    assert (result.success, result.code) == (True, Result.CODE_OK), result.message
    assert "mm beside the line, axis 0.00" in result.message
    assert float(result.message.split()[1]) < 0.7  # mm, of 1.5 at the start
    assert 0.4 < result.speed_bound <= 1.0
    assert 0.85 * result.speed_bound < result.contact_speed <= 1.02 * result.speed_bound
    assert bench.plant.depth > 1e-3 and bench.plant.used < 0.8
    assert bench.rests(0.2)
    assert np.abs(bench.plant.simulation.plant.q[:7] - start).max() < 0.03


def test_what_cannot_be_begun_is_one_line_and_nothing_moves(make_bench):
    bench = make_bench().start()
    good = bench.place(ExecuteImpact.Goal(speed=HIGHEST))
    askew = bench.place(ExecuteImpact.Goal(speed=HIGHEST))
    turn = askew.contact.pose.orientation  # the normal is turned by 0.04 rad
    turn.x, turn.y, turn.z, turn.w = np.sin(0.02), 0.0, 0.0, np.cos(0.02)
    press = {"after": ExecuteImpact.Goal.AFTER_PRESS, "press_force": 5.0}
    for goal, beside, fields, code, said in (
        (
            good,
            (0.0, 4e-3, 0.0),
            {},
            Result.CODE_NOT_FEASIBLE,
            "mm beside the line, axis 0.000 rad",
        ),
        (askew, (0.0, 0.0, 0.0), None, Result.CODE_NOT_FEASIBLE, "at most 2 mm and 0.02 rad"),
        (good, (0.0, 0.0, 0.0), press, Result.CODE_BAD_GOAL, "after: expected retract or hold"),
        (good, (0.0, 0.0, 0.2), {}, Result.CODE_BAD_GOAL, "behind the surface"),
    ):
        if fields is not None:
            goal = bench.place(goal, beside, **fields)
        result = bench.result(bench.send(ExecuteImpact, "execute_impact", goal))
        assert (result.success, result.code) == (False, code), result.message
        assert said in result.message and "\n" not in result.message
    assert bench.speed() < 0.01 and bench.plant.used is None


def test_a_cancelled_approach_ends_in_rest_before_the_nail(make_bench):
    bench = make_bench().start()
    handle = hit(bench)
    bench.spin(lambda: bench.speed() > 0.1)
    cancelled = handle.cancel_goal_async()
    bench.spin(cancelled.done)
    assert bench.result(handle).code == Result.CODE_CANCELED
    assert bench.rests() and bench.plant.used is None


def strike(bench, **fields):
    return bench.send(Strike, "strike", bench.place(Strike.Goal(**fields)))


@pytest.mark.slow  # three strikes, each planned in seconds
def test_strikes_drive_the_nail_to_its_depth_and_learn(make_bench, world):
    bench = make_bench().start()
    start = bench.plant.simulation.plant.q[:7].copy()
    result = bench.result(strike(bench, depth=0.004, learn=True))
    assert (result.success, result.code) == (True, Strike.Result.CODE_OK), result.message
    assert result.message == f"the nail is {1e3 * result.depth:.1f} mm deep, 3 strikes"
    assert result.strikes == 3 and result.depth > 0.004
    assert result.depth < bench.plant.depth + 1e-4  # where the last strike met it
    assert 0.0 < result.highest_load < 0.8
    low, high = result.handle_stiffness_low, result.handle_stiffness_high
    announced, truth = world.tool.stiffness, world.true_tool.stiffness
    assert announced[0] <= low < truth < high <= announced[1]
    assert high / low < 0.9 * announced[1] / announced[0]
    low, high = result.nail_resistance_low, result.nail_resistance_high
    assert low < world.true_nail.resistance < high
    tried = {each.strike: each for each in bench.feedback}
    assert sorted(tried) == [1, 2, 3]
    assert tried[1].speed <= tried[2].speed <= 1.5 * tried[1].speed
    assert np.isnan(tried[1].load) and tried[2].load == pytest.approx(
        tried[1].promised_load, abs=tried[1].promised_load
    )
    assert bench.rests(0.2)
    assert np.abs(bench.plant.simulation.plant.q[:7] - start).max() < 0.03


def test_one_strike_of_a_number_is_made_at_the_speed_that_the_client_allows(make_bench):
    bench = make_bench().start()
    result = bench.result(strike(bench, strikes=1, highest_speed=0.2))
    assert (result.code, result.message, result.strikes) == (
        Strike.Result.CODE_OK,
        "1 strikes, 1 met something",
        1,
    )
    assert {each.speed for each in bench.feedback} == {0.2}
    assert bench.plant.used < 0.8 and bench.rests(0.5)


def test_strikes_that_cannot_be_begun_are_one_line(make_bench):
    bench = make_bench().start()
    bad, unfit = Strike.Result.CODE_BAD_GOAL, Strike.Result.CODE_NOT_FEASIBLE
    for fields, beside, code, said in (
        ({"depth": -0.01}, 0.0, bad, "depth: expected above 0 up to 1 m, got -0.01"),
        ({"strikes": 2000}, 0.0, bad, "strikes: expected up to 1000, got 2000"),
        ({"timeout": -1.0}, 0.0, bad, "timeout: expected above 0"),
        ({"highest_speed": 0.01}, 0.0, unfit, "expected a strike of 0.02 m/s or more"),
        ({}, 4e-3, unfit, "mm beside the line"),
    ):
        goal = bench.place(Strike.Goal(**fields), (0.0, beside, 0.0))
        result = bench.result(bench.send(Strike, "strike", goal))
        assert (result.success, result.code) == (False, code), result.message
        assert said in result.message and "\n" not in result.message
        assert result.strikes == 0 and np.isnan(result.depth)
    assert bench.speed() < 0.01 and bench.plant.used is None


def test_cancelled_strikes_end_in_rest(make_bench):
    bench = make_bench().start()
    handle = strike(bench, depth=0.01)
    bench.spin(lambda: bench.speed() > 0.1)
    cancelled = handle.cancel_goal_async()
    bench.spin(cancelled.done)
    assert bench.result(handle).code == Strike.Result.CODE_CANCELED
    assert bench.rests() and bench.plant.used is None


def test_a_load_that_cannot_be_remembered_is_in_the_log(make_bench, monkeypatch, capfd):
    """As of a strike that something else ended after its contact: it sets no ceiling."""
    bench = make_bench().start()

    def broken(*_):
        raise ValueError("no samples\nat all")

    monkeypatch.setattr(StrikeSeries, "remember", broken)
    handle = strike(bench, strikes=1)
    server = bench.controller._servers[-1]
    bench.spin(lambda: server.run is not None and server.run.now.impact_time is not None)
    assert bench.controller.trigger_deactivate().name == "SUCCESS"
    bench.result(handle)
    line = "the load of the last strike sets no ceiling: ValueError: no samples at all"
    assert capfd.readouterr().err.count(line) == 1


@pytest.mark.parametrize(
    ("changes", "parameters", "line"),
    [
        ({}, {"interface": "velocity"}, "interface: expected torque where a tool strikes"),
        ({"target": None}, {}, "expected a tool and a target, or neither, got tool"),
        ({}, {"payload": [0.0, 1.0]}, "payload: expected none beside a tool"),
        ({}, {"tool": "other.yaml"}, "tool: expected none beside a task with a tool"),
        ({"tool": {"head": {}}}, {}, "entry 'tool.head.position' is missing"),
    ],
)
def test_a_strike_that_is_not_complete_is_not_configured(
    context, world, tmp_path, capfd, changes, parameters, line
):
    values = {"task": str(task_file(tmp_path, world, **changes))} | parameters
    overrides = [Parameter(name, value=value) for name, value in values.items()]
    node = ImpactQpNode(context=context, parameter_overrides=overrides)
    assert node.trigger_configure().name == "FAILURE"
    said = [each for each in capfd.readouterr().err.splitlines() if "[ERROR]" in each]
    assert len(said) == 1 and line in said[0]
    node.destroy_node()
