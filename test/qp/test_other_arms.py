# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Other arms from a URDF and a YAML alone: six and seven joints, in every part of the suite."""

import json

import numpy as np
import pytest
from moving_arms import moving
from other_arms import ARMS, write_arm

from impact_cli.command_line import run
from impact_detector.parameters import DetectorParameters, session_for
from impact_detector.signals.sample import JointSample
from impact_predictor import predict
from impact_predictor.contact_force.laws import Viscoelastic
from impact_qp import Contact, ImpactController, Phase, Plan
from impact_robots import ArmDynamics, Surface, load_robot
from impact_robots.kinematics import inverse_kinematics
from impact_sim import PANDA_NOISE, Simulation
from impact_sim.plant.compliant_wall import CompliantWall

NORMAL = np.array([-1.0, 0.0, 0.0])
MILLISECOND = 1_000_000


@pytest.fixture(scope="module", params=list(ARMS))
def arm(request, tmp_path_factory):
    """The arm's YAML and the robot."""
    path = write_arm(tmp_path_factory.mktemp("arm"), ARMS[request.param])
    return path, load_robot(path)


def contact_of(robot):
    point = ArmDynamics(robot)(robot.stance, np.zeros(robot.dof)).position
    return Contact(point, NORMAL, 0.2, (0.0, 0.3))


def test_it_hits_at_its_bound_is_detected_and_retracts(arm):
    _, robot = arm
    contact = contact_of(robot)
    wall = CompliantWall(Surface(contact.point, NORMAL, 0.1), Viscoelastic(1.2e5, 8e6))
    simulation = Simulation(robot, wall, noise=PANDA_NOISE, seed=1)
    controller = ImpactController(robot, Plan(contact, speed=1.0))
    session = session_for(DetectorParameters(), robot)
    start = inverse_kinematics(robot, robot.stance, 0.08 * NORMAL)
    measurement, before, impact, phases, torques = simulation.reset(start), None, False, [], []
    for k in range(4000):
        sample = JointSample(k * MILLISECOND, measurement.q, measurement.dq, measurement.tau)
        (status,) = session.add_state(sample).statuses
        assert not (status.impact and before is None), "false alarm"
        impact = status.impact
        command = controller.update(
            measurement.q, measurement.dq, impact=impact, ready=status.ready
        )
        phases.append(command.phase)
        torques.append(command.torque)
        plant = simulation.plant
        state = ArmDynamics(robot)(plant.q, plant.dq)
        measurement = simulation.step(command.driver_torque)
        if before is None and plant.contact_force.any():
            before = state, k
        if command.phase is Phase.HOLD:
            break
    assert phases[-1] is Phase.HOLD and Phase.COAST in phases
    state, touched = before
    bound = controller.impact_limit.speed_bound(state).speed
    assert contact.approach_speed(state.velocity) == pytest.approx(bound, rel=0.02)
    assert phases.index(Phase.COAST) - touched <= 6
    assert np.all(np.abs(torques) <= robot.limits.torque + 1e-9)


def test_the_command_plans_for_it(arm, capsys):
    path, robot = arm
    q = ",".join(map(str, robot.stance))
    options = ["--friction", "0.2", "--restitution", "0,0.3", "--optimize", "--json"]
    assert run(["plan", "--robot", str(path), "--q", q, *options]) == 0
    document = json.loads(capsys.readouterr().out)
    assert 0.0 < document["speed_bound_mps"] <= document["best"]["speed_bound_mps"]
    before, after = (
        ArmDynamics(robot)(each["q_rad"], np.zeros(robot.dof)).position
        for each in (document, document["best"])
    )
    np.testing.assert_allclose(after, before, atol=1e-7)


def test_its_impact_is_predicted(arm):
    _, robot = arm
    state = ArmDynamics(robot)(robot.stance, moving(robot, -0.1 * NORMAL))
    surface = Surface(state.position, NORMAL, 0.2, 0.1)
    found = predict(state, surface, robot)
    after = surface.normal @ state.J[:3] @ found.dq_after
    assert after == pytest.approx(0.01, rel=1e-6)
