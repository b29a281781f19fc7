# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Handle, head and nail learned from the torques of one strike, and poses for the next."""

from dataclasses import replace

import numpy as np
import pytest

from impact_predictor.joint_load.motion_records import TICK
from impact_predictor.strike.pose_search import rated, strike_poses
from impact_predictor.strike.strike_case import NailCase, StopCase, StrikeCase
from impact_predictor.strike.strike_loads import StrikeLoads
from impact_predictor.strike.striker import Misalignment, Striker
from impact_predictor.strike.tap_fit import Tap, learn_strike
from impact_qp.strike.strike_planner import WORST_FIT
from impact_robots import ArmDynamics
from impact_robots.tools.target import Nail
from impact_robots.tools.tool import Tool, ToolCase, with_tool

Q = np.array([0.2147, 0.0538, -0.2143, -2.3784, 0.0175, 2.4309, 0.0])  # rad, flange downwards
TOOL = Tool(
    (0.0, 0.0, 0.12), (0.0, 0.0, 1.0), (0.27, 0.33), (2e4, 6e4), (0.02, 0.2), 0.1, (0, 0, 0.03)
)
TOOL = replace(TOOL, off_centre=0.002, off_angle=0.02)
ANNOUNCED = Nail((150.0, 400.0))


def tap_of(panda, case, speed=0.7, late=0.0, seed=0):
    """Return the signals of a strike of the model, with noise and a contact found late."""
    striker = Striker(panda, TOOL, Q)
    point, n = striker.point(case.tool.mass), panda.dof
    dq = np.linalg.pinv(point.J[:3]) @ (speed * striker.direction)
    load = StrikeLoads(striker).history(case, speed, 0.06)[:, :n]
    time = np.arange(-30, 50) * 1e-3
    ticks = TICK * np.arange(1, len(load) + 1)
    change = np.transpose([np.interp(time + late, ticks, each, left=0.0) for each in load.T])
    random = np.random.default_rng(seed)
    q = Q + time[:, None] * 0.0 * dq
    torque = point.g + change + 0.08 * random.standard_normal(change.shape)
    return Tap(time, q, np.tile(dq, (len(time), 1)), torque, case.surface.depth)


@pytest.mark.parametrize(
    ("tool", "nail", "off", "late"),
    [
        (ToolCase(0.3, 3e4, 0.05), NailCase(3e6, 250.0), Misalignment(), 0.0),
        (ToolCase(0.28, 5e4, 0.1), NailCase(2e6, 200.0), Misalignment((1e-3, -1e-3)), 1e-3),
        (ToolCase(0.32, 2.4e4, 0.03), NailCase(8e6, 180.0), Misalignment(tilt=(0.01, 0.01)), -1e-3),
        (ToolCase(0.3, 4e4, 0.06), NailCase(3e6, 200.0, 0.003), Misalignment(), 0.0),
    ],
)
def test_the_truth_is_in_the_learned_ranges(panda, tool, nail, off, late):
    tap = tap_of(panda, StrikeCase(tool, nail, off), late=late)
    found = learn_strike(panda, TOOL, ANNOUNCED, tap)
    (low, high), (weak, strong) = found.tool.stiffness, found.nail.resistance
    assert low <= tool.stiffness <= high and high / low < 2.0  # announced: 3
    assert weak <= nail.resistance <= strong and strong / weak < 1.8  # announced: 2.7
    assert found.tool.mass[0] <= tool.mass <= found.tool.mass[1]
    assert found.tool.damping_ratio == TOOL.damping_ratio  # is not learned
    assert found.misfit < 1.5


def test_nothing_grows_wider_by_learning(panda):
    case = StrikeCase(ToolCase(0.3, 3e4, 0.05), NailCase(3e6, 250.0))
    known = replace(TOOL, stiffness=(2.9e4, 3.1e4), mass=(0.3, 0.3))
    found = learn_strike(panda, known, ANNOUNCED, tap_of(panda, case))
    assert 2.9e4 <= found.tool.stiffness[0] < found.tool.stiffness[1] <= 3.1e4
    assert found.tool.mass == (0.3, 0.3)


def test_a_strike_that_no_case_explains_has_a_misfit(panda):
    case = StrikeCase(ToolCase(0.3, 3e4, 0.05), NailCase(3e6, 250.0))
    tap = tap_of(panda, case)
    wrong = replace(TOOL, stiffness=(2e5, 4e5))
    assert learn_strike(panda, wrong, ANNOUNCED, tap).misfit > WORST_FIT


def test_poses_strike_at_the_place_along_the_direction(panda):
    arm = with_tool(panda, TOOL, 0.3)
    head = ArmDynamics(arm)(Q, np.zeros(7))
    poses = strike_poses(panda, TOOL, head.position, head.rotation[:, 2], tries=30)
    assert len(poses) >= 3
    for each in poses:
        found = ArmDynamics(arm)(each.q, np.zeros(7))
        np.testing.assert_allclose(found.position, head.position, atol=1e-8)
        np.testing.assert_allclose(found.rotation[:, 2], head.rotation[:, 2], atol=1e-8)
    energies = [each.energy for each in poses]
    assert energies == sorted(energies, reverse=True)


def test_errors_lower_what_a_pose_bears(panda):
    arm = with_tool(panda, TOOL, 0.3)
    exact = rated(arm, replace(TOOL, off_centre=0.0, off_angle=0.0), Q)
    assert exact.force > rated(arm, TOOL, Q).force


def test_the_cheap_form_is_the_force_of_the_load_model(panda):
    """Soft handle on a stop: force in the handle at the first critical speed, to a fifth."""
    soft = replace(TOOL, stiffness=(1e4, 1e4), mass=(0.3, 0.3), off_centre=0.0, off_angle=0.0)
    soft = replace(soft, damping_ratio=(0.0, 0.0))
    loads = StrikeLoads(Striker(panda, soft, Q))
    critical = loads.critical(StrikeCase(soft.nominal, StopCase(1e6, 0.0)))
    mass = loads.striker.mass
    rating = rated(with_tool(panda, soft, 0.3), soft, Q)
    assert critical.speed * np.sqrt(1e4 * mass) == pytest.approx(rating.force, rel=0.2)
