# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""The exported arm and wall in Gazebo's physics, hit by the suite's controller and detector."""

from dataclasses import replace
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pytest
from gazebo_dart import DartPy
from gazebo_plugin import GazeboPlugin
from in_gazebo import InGazebo, engine_robot, hit

from impact_robots import ArmDynamics, load_robot
from impact_sim import load_scenario
from impact_sim.export.gazebo_files import gazebo_files
from impact_sim.export.gazebo_world import restitution_of
from impact_sim.export.mjcf_files import APPROACH_SPEED
from impact_trials.in_process.impact_trial import run_impact
from impact_trials.trial import Trial

ROBOT = load_robot(Path(__file__).resolve().parents[2] / "config" / "panda_gazebo.yaml")
SCENARIO = load_scenario("qp_panda_demo")
LIMITS = ("robust", "unaware")
BOUNCES = 0.1  # what returns more slowly does not return at all in DART [m/s]


@pytest.fixture(params=[GazeboPlugin, DartPy], ids=["gazebo's plugin", "dartpy"])
def engine(request):
    """An engine that is there."""
    if reason := request.param.missing():
        pytest.skip(reason)
    return request.param


@cache
def struck(engine, limits, friction=SCENARIO.friction):
    """Return a hit of the arm as an engine has it, with some impact limits."""
    scenario = replace(SCENARIO, controller=limits, friction=friction)
    with TemporaryDirectory() as folder:
        robot = engine_robot(engine, ROBOT)
        return hit(engine, robot, scenario, Path(folder), APPROACH_SPEED)


@pytest.fixture(scope="module")
def demo_speed():
    """Contact speed of the demo's robust run [m/s]."""
    trial = Trial(replace(SCENARIO, controller="robust"), 0, 0)
    return run_impact(trial, lambda cycle, touched: None).row["contact_speed_mps"]


def test_the_robust_hit_is_as_fast_as_the_demos_and_detected(engine, demo_speed):
    found = struck(engine, "robust")
    assert found.speed == pytest.approx(demo_speed, rel=0.01)
    assert 0.0 <= found.detected_after < 3e-3
    assert found.largest < 7.5, "half the threshold"


@pytest.mark.parametrize("limits", LIMITS)
def test_without_friction_the_impulse_is_that_of_the_links_alone(engine, limits):
    found = struck(engine, limits, 0.0)
    normal, restitution = np.array(SCENARIO.normal), restitution_of(ROBOT, SCENARIO, APPROACH_SPEED)
    returns = restitution * found.speed > BOUNCES
    assert returns == (limits == "unaware")
    along = normal @ found.state.J[:3]
    needed = {
        name: (1.0 + restitution * returns) * found.speed / (along @ np.linalg.solve(M, along))
        for name, M in (
            ("M", found.state.M),
            ("M+B_theta", found.state.M + np.diag(load_robot("panda").apparent_motor_inertia)),
        )
    }
    assert found.impulse == pytest.approx(needed["M"], rel=0.01)
    assert needed["M+B_theta"] > 1.5 * found.impulse, "a real arm hits harder"


def test_both_engines_do_the_same():
    for engine in (GazeboPlugin, DartPy):
        if reason := engine.missing():
            pytest.skip(reason)
    for limits in LIMITS:
        one, other = struck(GazeboPlugin, limits), struck(DartPy, limits)
        assert one.speed == pytest.approx(other.speed, rel=1e-3)
        assert one.impulse == pytest.approx(other.impulse, rel=5e-3)


def test_links_without_weight_stay_where_they_are(tmp_path):
    if reason := DartPy.missing():
        pytest.skip(reason)
    start = SCENARIO.start(ROBOT)
    for robot, falls in ((ROBOT, False), (engine_robot(GazeboPlugin, ROBOT), True)):
        for name, text in gazebo_files(tmp_path, robot, SCENARIO).items():
            (tmp_path / name).write_text(text)
        arm = InGazebo(DartPy(tmp_path, robot.joint_names))
        arm.reset(start)
        for _ in range(20):
            measured = arm.step(np.zeros(7))
        fallen = np.abs(measured.dq) > 1e-2
        assert fallen.any() == falls
        if falls:
            arm.reset(start)
            held = arm.step(ArmDynamics(robot)(start, np.zeros(7)).g)
            assert np.abs(held.dq).max() < 1e-6, "its weight is that of the model"
