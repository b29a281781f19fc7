# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""What the suite does with states that mirror its commands, as those of mock_components do."""

import numpy as np
import pytest

from impact_detector.parameters import DetectorParameters, session_for
from impact_detector.signals.sample import JointSample
from impact_qp import Contact, ImpactController, Phase, Plan
from impact_robots import ArmDynamics, load_robot
from impact_sim import load_scenario
from impact_sim.driver.arm_driver import CYCLE_NS
from impact_sim.driver.simulation import START_NS

STEP = CYCLE_NS * 1e-9


def mirror(interface, sent, q, effort):
    """Return the next positions, velocities and efforts, as mock_components makes them."""
    if interface == "position":
        return sent, (sent - q) / STEP, effort
    if interface == "velocity":
        return q + sent * STEP, sent, effort
    return q, np.zeros(len(q)), sent


def phases_with(interface, detector, cycles):
    """Return the phases of an approach to nothing, and whether the detector was ever ready."""
    scenario, robot = load_scenario("qp_panda_demo"), load_robot("panda")
    contact = Contact(
        scenario.surface_point(robot), scenario.normal, scenario.friction, scenario.restitution
    )
    controller = ImpactController(robot, Plan(contact, "robust", interface=interface))
    session = session_for(DetectorParameters(detectors=[detector]), robot)
    q, dq, effort, phases, ready = scenario.start(robot), np.zeros(7), np.zeros(7), [], False
    for k in range(cycles):
        (status,) = session.add_state(JointSample(START_NS + k * CYCLE_NS, q, dq, effort)).statuses
        assert not status.impact
        ready |= status.ready
        command = controller.update(q, dq, ready=status.ready)
        session.add_reference(START_NS + k * CYCLE_NS, command.reference_torque)
        sent = {"position": command.position, "velocity": command.velocity}
        q, dq, effort = mirror(interface, sent.get(interface, command.driver_torque), q, effort)
        if not phases or command.phase is not phases[-1]:
            phases.append(command.phase)
    start = contact.gap(ArmDynamics(robot).position(scenario.start(robot)))
    return phases, ready, start - contact.gap(ArmDynamics(robot).position(q))


@pytest.mark.parametrize("interface", ["position", "velocity"])
def test_the_arm_passes_where_nothing_is_and_retracts(interface):
    phases, ready, _ = phases_with(interface, "acceleration", 4000)
    assert ready
    assert phases == [Phase.APPROACH, Phase.RETRACT, Phase.BRAKE, Phase.HOLD]


def test_torques_move_nothing_and_the_controller_notices():
    phases, _, way = phases_with("torque", "acceleration", 1000)
    assert phases[0] is Phase.APPROACH and phases[-1] is Phase.HOLD
    assert way == pytest.approx(0.0)


def test_without_torques_fused_is_not_ready_and_nothing_approaches():
    _, ready, way = phases_with("position", "fused", 1000)
    assert not ready
    assert abs(way) < 1e-3
