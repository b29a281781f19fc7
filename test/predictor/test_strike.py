# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Strikes with a tool: against rigid tools, the equations in tiny steps, and finer searches."""

from dataclasses import replace
from math import inf, sqrt
from types import SimpleNamespace

import numpy as np
import pytest
from joint_load_reference import reference_load
from scipy.optimize import minimize

from impact_predictor.joint_load.elastic_arm import elastic_arm
from impact_predictor.joint_load.load import LoadContact, LoadRun, joint_load
from impact_predictor.joint_load.load_case import viscoelastic
from impact_predictor.joint_load.load_limits import load_limits
from impact_predictor.strike import strike_loads
from impact_predictor.strike.effect import strike_effect
from impact_predictor.strike.joint_speed import joint_speed
from impact_predictor.strike.strike_case import NailCase, StopCase, StrikeCase
from impact_predictor.strike.strike_loads import StrikeLoads
from impact_predictor.strike.striker import Misalignment, Striker
from impact_robots import ArmDynamics, load_robot
from impact_robots.tools.tool import Tool, with_tool

Q = np.array([0.2147, 0.0538, -0.2143, -2.3784, 0.0175, 2.4309, 0.0])  # rad, flange downwards
RIGID = Tool((0.0, 0.0, 0.15), (0.0, 0.0, 1.0), (0.3, 0.3), adapter_mass=0.2, adapter=(0, 0, 0.05))
HAMMER = replace(RIGID, stiffness=(3e4, 3e4))
NAIL, STOP = NailCase(3e6, 300.0), StopCase(1e6, 0.3)
SHORT = 0.012


class RememberedNail:
    """The specification's nail: f = k (x - z), z = (k x - F)/(k + F/0.02 m) where it yields."""

    def __init__(self, nail):
        self.k, self.F, self.z = nail.stiffness, nail.resistance, 0.0

    def force(self, x, rate):
        if self.k * (x - self.z) > self.F * (1.0 + self.z / 0.02):
            self.z = (self.k * x - self.F) / (self.k + self.F / 0.02)
        return max(0.0, self.k * (x - self.z))


@pytest.fixture(scope="module")
def striker(panda):
    return Striker(panda, HAMMER, Q)


def of(loads, surface, **changes):
    return StrikeCase(loads.striker.tool.nominal, surface, **changes)


def test_a_rigid_tool_loads_joints_as_the_same_tool_of_a_robot_s_yaml(panda, tmp_path):
    """A sphere of 0.1 mm, in the YAML, is the head; the adapter is left out."""
    path = tmp_path / "club.yaml"
    tool = (
        "{parent: link8, mass: 0.3, radius: 1e-4, com: [0, 0, 0.15], contact_point: [0, 0, 0.15]}"
    )
    path.write_text(f"like: panda\nname: club\ntool: {tool}\n")
    robot = load_robot(path)
    loads = StrikeLoads(Striker(panda, replace(RIGID, adapter_mass=0.0), Q))
    point = ArmDynamics(robot)(Q, np.zeros(7))
    axis = point.rotation[:, 2]
    J = np.vstack([np.eye(3)[:2] @ point.J[:3], axis @ point.J[:3]])
    assert loads.striker.direction == pytest.approx(axis)
    for k, e in ((1e5, 0.3), (1e7, 0.02), (inf, 0.3)):
        case = of(loads, StopCase(k, e))
        contact = LoadContact(-J, np.array([0.0, 0.0, -1.0]), case.surface.law(1.0), 0.0)
        load = joint_load(elastic_arm(robot, point.robot_state), [contact], refinement=2)
        used = load_limits(robot, point.g).used(load)
        assert loads.used(case, 1.0) == pytest.approx(used, rel=1e-6, abs=1e-9)
        assert loads.critical(case).speed == pytest.approx(1.0 / used.max(), rel=1e-6)


def test_a_stiff_handle_is_a_rigid_tool(panda):
    stiff = StrikeLoads(Striker(panda, replace(HAMMER, stiffness=(1e9, 1e9)), Q))
    rigid = StrikeLoads(Striker(panda, RIGID, Q))
    for surface in (STOP, NAIL):
        fast = [each.critical(of(each, surface)).speed for each in (stiff, rigid)]
        assert fast[0] == pytest.approx(fast[1], rel=0.01)


def test_mass_and_gravity_are_those_of_two_more_points(panda):
    """Head and adapter, by Jacobians, in place of the sphere of the YAML."""
    bare = replace(RIGID, adapter_mass=0.0)
    light = ArmDynamics(with_tool(panda, bare, 1e-9))(Q, np.zeros(7))
    heavy = ArmDynamics(with_tool(panda, RIGID, 0.3))(Q, np.zeros(7))
    M, g = light.M.copy(), light.g.copy()
    for mass, z in ((0.3, 0.15), (0.2, 0.05)):
        J = light.robot_state.at("panda_link8", [0.0, 0.0, z]).J[:3]
        M += mass * J.T @ J
        g += mass * 9.81 * J[2]
    np.testing.assert_allclose(heavy.M, M, atol=1e-8)
    assert heavy.g == pytest.approx(g, abs=1e-6)


@pytest.mark.parametrize("surface", [NAIL, STOP])
@pytest.mark.parametrize("tool", [HAMMER, RIGID])
def test_strikes_are_those_of_the_equations_in_tiny_steps(panda, tool, surface):
    """Eight coordinates, put together here; the head bounces more than once on a handle."""
    loads, speed = StrikeLoads(Striker(panda, tool, Q)), 0.8
    point = loads.striker.point(0.3)
    J, b = point.J[:3], loads.striker.direction
    arm, M = panda, point.M
    if tool.gives:
        light = ArmDynamics(with_tool(panda, tool, 1e-12))(Q, np.zeros(7))
        J = np.column_stack([J, b])
        M = np.zeros((8, 8))
        M[:7, :7] = light.M
        M += 0.3 * J.T @ J
        arm = SimpleNamespace(
            dof=8,
            joint_stiffness=np.append(panda.joint_stiffness, 3e4),
            joint_damping=np.append(panda.joint_damping, 2.0 * 0.05 * sqrt(3e4 * 0.3)),
            reflected_motor_inertia=np.append(panda.reflected_motor_inertia, 1e9),
            apparent_motor_inertia=np.append(panda.apparent_motor_inertia, 1e9),
        )
    along = np.vstack([np.zeros((2, J.shape[1])), -b @ J])
    nail = RememberedNail(surface) if surface is NAIL else None
    law = nail or viscoelastic(1e6, 0.3, speed)
    expected, impulse = reference_load(
        arm, M, [(along, np.array([0.0, 0.0, -speed]), law, 0.0, 0.0)], SHORT
    )
    run = loads.run(of(loads, surface), speed, SHORT)
    run.go_on()
    load = run.load()
    largest = np.abs(expected).max()
    assert load.highest[:7] == pytest.approx(expected[0][:7], abs=0.005 * largest)
    assert load.lowest[:7] == pytest.approx(expected[1][:7], abs=0.005 * largest)
    assert load.impulse[0, 2] == pytest.approx(impulse[0, 2], rel=0.005)
    if nail is not None:
        assert load.sunk[0] == pytest.approx(nail.z, rel=0.01)
        assert nail.z > 1e-4


def test_a_nail_s_motion_is_the_same_piece_by_piece(striker):
    loads = StrikeLoads(striker)
    runs = [loads.run(of(loads, NAIL), 1.0, SHORT) for _ in range(2)]
    for ticks in (3, 20, 5, None):
        runs[0].go_on(ticks)
    runs[1].go_on()
    for piece, whole in zip(runs[0].load()[:-1], runs[1].load()[:-1], strict=True):
        assert np.array_equal(piece, whole)


def test_a_nail_takes_no_more_than_the_energy_there_is(striker):
    loads = StrikeLoads(striker)
    last = 0.0
    for speed in (0.5, 1.0, 2.0):
        effect = strike_effect(loads, of(loads, NAIL), speed)
        assert last < effect.work < 0.5 * striker.mass * speed**2
        grown = NAIL.resistance * (1.0 + 0.5 * effect.depth / 0.02)
        assert effect.work == pytest.approx(grown * effect.depth)
        last = effect.work


def test_below_its_threshold_a_nail_bounces_like_a_spring(striker):
    loads = StrikeLoads(striker)
    spring = StopCase(NAIL.stiffness, 1.0)
    slow = NAIL.resistance / strike_effect(loads, of(loads, spring), 1.0).peak_force
    assert strike_effect(loads, of(loads, NAIL), 0.99 * slow).work == 0.0
    assert strike_effect(loads, of(loads, NAIL), 1.05 * slow).work > 0.0
    assert loads.used(of(loads, NAIL), 0.5 * slow) == pytest.approx(
        loads.used(of(loads, spring), 0.5 * slow), rel=1e-3, abs=1e-5
    )


@pytest.mark.parametrize(
    ("stiffness", "nail"),
    [(inf, (5e6, 400.0)), (1e5, (2e6, 350.0)), (3e4, (4e6, 800.0)), (1e4, (1e7, 200.0))],
)
def test_the_first_crossing_is_that_of_a_fine_scan(panda, monkeypatch, stiffness, nail):
    tool = replace(HAMMER, stiffness=(stiffness, stiffness))
    loads = StrikeLoads(Striker(panda, tool, Q + 0.2))
    case = of(loads, NailCase(*nail))
    quick = loads.critical(case)
    monkeypatch.setattr(strike_loads, "LEAST", 1.01)
    monkeypatch.setattr(strike_loads, "MOST", 1.01)
    fine = loads.critical(case)
    assert quick.speed == pytest.approx(fine.speed, rel=1e-3)
    assert quick.limit == fine.limit


def test_errors_and_friction_change_a_strike_and_none_do_not(striker):
    loads = StrikeLoads(striker)
    straight = loads.critical(of(loads, STOP)).speed
    assert loads.critical(of(loads, STOP, off=Misalignment())).speed == straight
    beside = Misalignment((0.01, 0.0), (0.0, 0.05))
    assert loads.critical(of(loads, STOP, off=beside)).speed != pytest.approx(straight, rel=1e-3)
    rubbed = loads.critical(of(loads, STOP, off=beside, friction=0.3)).speed
    assert rubbed != pytest.approx(loads.critical(of(loads, STOP, off=beside)).speed, rel=1e-4)
    assert Misalignment(tilt=(0.03, -0.04)).approach == pytest.approx(np.cos(0.05), rel=1e-3)


@pytest.mark.parametrize("flange", [inf, 1.7, 0.5])
def test_joint_speed_is_the_optimum_of_another_solver(panda, striker, flange):
    robot, point = replace(panda, flange_speed=flange), striker.point(0.3)
    found = joint_speed(robot, point, striker.direction)
    J, wrist = point.J[:3], point.robot_state.at("panda_link8").J[:3]
    assert J @ found.dq == pytest.approx(found.speed * striker.direction, abs=1e-7)
    assert np.all(np.abs(found.dq) <= robot.limits.velocity + 1e-7)
    assert np.linalg.norm(wrist @ found.dq) <= flange * (1.0 + 1e-5)
    ends = [*zip(-robot.limits.velocity, robot.limits.velocity, strict=True), (0.0, None)]
    optimum = minimize(
        lambda x: -x[-1],
        np.zeros(8),
        bounds=ends,
        constraints=[
            {"type": "eq", "fun": lambda x: J @ x[:7] - x[-1] * striker.direction},
            {
                "type": "ineq",
                "fun": lambda x: min(flange, 99.0) ** 2 - np.sum((wrist @ x[:7]) ** 2),
            },
        ],
        method="SLSQP",
    )
    assert found.speed == pytest.approx(optimum.x[-1], rel=1e-4)


def test_loads_count_as_long_as_the_handle_takes(panda):
    soft = Striker(panda, replace(HAMMER, stiffness=(3e3, 9e3)), Q)
    assert soft.window == pytest.approx(0.6 * np.pi * sqrt(soft.mass / 3e3))
    assert Striker(panda, RIGID, Q).window == 0.03
    assert isinstance(StrikeLoads(soft).run(of(StrikeLoads(soft), STOP), 1.0, 0.01), LoadRun)
