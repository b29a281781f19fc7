# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""The controller on the flexible-joint plant: it reaches its bound, and keeps its promise."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from impact_predictor.inertia.inverse_inertia import crb
from impact_predictor.sets.feasible_sets import friction_pyramid, unit_impulses
from impact_predictor.sets.speed_bound import existential_speed_bound
from impact_qp import ControlError, ImpactController, Phase, Plan
from impact_qp.limits import RobustImpactLimit, impact_rows
from impact_robots import ArmDynamics
from impact_sim import PANDA_NOISE, Interface, Simulation


class Approach:
    """Runs the arm up to the contact; ``state`` is the plant's just before it."""

    def __init__(self, panda, scenario, plan, *, seed=0, cycles=3000, interface=Interface.TORQUE):
        simulation = Simulation(
            panda, scenario.wall(panda), noise=PANDA_NOISE, seed=seed, interface=interface
        )
        measurement = simulation.reset(scenario.start(panda))
        self.controller = ImpactController(panda, plan)
        self.commands, self.speeds = [], []  # the latter are the plant's
        normal = plan.contact.rotation[:, 2]
        dynamics, plant = ArmDynamics(panda), simulation.plant
        for _ in range(cycles):
            command = self.controller.update(measurement.q, measurement.dq)
            self.commands.append(command)
            self.state = dynamics(plant.q, plant.dq)
            self.speeds.append(-float(normal @ self.state.velocity))
            sent = {Interface.VELOCITY: command.velocity, Interface.POSITION: command.position}
            measurement = simulation.step(sent.get(interface, command.driver_torque))
            if plant.contact_force.any():
                break
        else:
            raise AssertionError("the arm never arrived")
        self.speed = self.speeds[-1]


def worst_torque(panda, contact, approach):
    """Worst admissible impulsive torque over its limit, true cone's circumscription, (n,)."""
    impulses = unit_impulses(
        crb(approach.state, contact.rotation),
        contact.friction[1],
        contact.restitution,
        8,
        circumscribed=True,
    )
    rows = impact_rows(panda, contact, approach.state)[0][:7]
    return np.abs(rows @ impulses).max(axis=1) * approach.speed / panda.limits.impulsive_torque


def plan_of(scenario, contact, mode, **changes):
    return Plan(
        contact, mode, speed=scenario.reference_speed, ramp=scenario.reference_ramp, **changes
    )


@pytest.mark.parametrize("seed", range(3))
def test_robust_arrives_at_its_bound_and_keeps_every_torque(panda, scenario, contact, seed):
    approach = Approach(panda, scenario, plan_of(scenario, contact, "robust"), seed=seed)
    bound = RobustImpactLimit(panda, contact, margin=0.0).speed_bound(approach.state).speed
    assert approach.speed == pytest.approx(bound, rel=0.02)
    assert worst_torque(panda, contact, approach).max() <= 1.0
    assert not any(command.relaxed for command in approach.commands)


@pytest.mark.parametrize(("preview", "least", "most"), [(0.02, 0.0, 0.015), (1e-3, 0.12, 1.0)])
def test_a_preview_of_one_cycle_makes_a_flexible_arm_swing(
    panda, scenario, contact, preview, least, most
):
    """As published, the bound feeds velocity back at 1000 1/s, beyond what the joints follow."""
    approach = Approach(panda, scenario, plan_of(scenario, contact, "robust", preview=preview))
    bounds = np.array([command.speed_bound for command in approach.commands[-200:]])
    assert least <= np.abs(approach.speeds[-200:] / bounds - 1.0).max() <= most


def test_existential_arrives_at_its_bound_and_breaks_the_promise(panda, scenario, contact):
    approach = Approach(panda, scenario, plan_of(scenario, contact, "existential"))
    rows, bounds, _ = impact_rows(panda, contact, approach.state)
    W, K = crb(approach.state, contact.rotation), friction_pyramid(contact.friction[0], 8)
    bound = existential_speed_bound(W, K, rows, bounds, contact.restitution)
    assert approach.speed == pytest.approx(bound, rel=0.02)
    assert worst_torque(panda, contact, approach).max() > 2.0


def test_unaware_is_fast_and_far_above_the_limits(panda, scenario, contact):
    approach = Approach(panda, scenario, plan_of(scenario, contact, "unaware"))
    assert 0.45 <= approach.speed <= 0.5
    assert worst_torque(panda, contact, approach).max() > 5.0


def test_the_velocity_interface_arrives_at_the_bound_too(panda, scenario, contact):
    plan = plan_of(scenario, contact, "robust", interface="velocity")
    approach = Approach(panda, scenario, plan, interface=Interface.VELOCITY)
    limit = RobustImpactLimit.for_interface("velocity", panda, contact, margin=0.0)
    bound = limit.speed_bound(approach.state).speed
    assert approach.speed == pytest.approx(bound, rel=0.03)


def test_commands_respect_torque_and_rate(panda, scenario, contact):
    approach = Approach(panda, scenario, plan_of(scenario, contact, "unaware"))
    sent = np.array([command.driver_torque for command in approach.commands])
    full = np.array([command.torque for command in approach.commands])
    assert np.all(np.abs(full) <= panda.limits.torque + 1e-9)
    assert np.abs(np.diff(sent, axis=0)).max() <= 1.0 + 1e-9
    ddq = np.array([command.ddq for command in approach.commands])
    assert np.all(np.abs(ddq) <= panda.limits.acceleration + 1e-6)


def test_detection_coasts_then_retracts_then_holds(panda, scenario, contact):
    simulation = Simulation(panda, scenario.wall(panda), noise=PANDA_NOISE)
    measurement = simulation.reset(scenario.start(panda))
    controller = ImpactController(panda, plan_of(scenario, contact, "robust"))
    phases, impact = [], False
    for _ in range(2600):
        command = controller.update(measurement.q, measurement.dq, impact=impact)
        phases.append(command.phase)
        measurement = simulation.step(command.driver_torque)
        impact = impact or simulation.plant.contact_force.any()
    changes = [a for a, b in zip(phases, [None, *phases[:-1]], strict=True) if a is not b]
    assert changes == [Phase.APPROACH, Phase.COAST, Phase.RETRACT, Phase.BRAKE, Phase.HOLD]
    assert phases.count(Phase.COAST) == pytest.approx(100, abs=1)
    assert command.gap > 0.04
    assert np.abs(simulation.plant.dq).max() < 0.02


def test_coasting_sends_gravity_alone(panda, scenario, contact):
    controller = ImpactController(panda, plan_of(scenario, contact, "robust"))
    q, dq = scenario.start(panda), np.full(7, 0.2)
    controller.update(q, dq)
    for _ in range(60):
        command = controller.update(q, dq, impact=True)
    np.testing.assert_allclose(command.driver_torque, 0.0, atol=1e-9)


def test_nothing_to_hit_ends_in_a_retraction(panda, scenario, contact):
    gone = replace(contact, point=contact.point + np.array([-0.06, 0, 0]))
    plan = plan_of(scenario, gone, "robust", overrun=0.005)
    controller = ImpactController(panda, plan)
    simulation = Simulation(panda, None, noise=PANDA_NOISE)
    measurement = simulation.reset(scenario.start(panda))
    phases = set()
    for _ in range(1500):
        command = controller.update(measurement.q, measurement.dq)
        phases.add(command.phase)
        measurement = simulation.step(command.driver_torque)
    assert Phase.RETRACT in phases
    assert Phase.COAST not in phases


def test_an_arm_that_is_too_fast_brakes_and_says_so(panda, scenario, contact):
    """Activation far from feasible: impact rows give way, hardware limits do not."""
    dynamics, q = ArmDynamics(panda), np.array(scenario.q_impact)
    J = dynamics(q, np.zeros(7)).J
    dq = np.linalg.pinv(J) @ np.array([0.5, 0, 0, 0, 0, 0])
    controller = ImpactController(panda, plan_of(scenario, contact, "robust", preview=0.005))
    controller.update(q, dq)
    command = controller.update(q, dq)
    assert command.relaxed == ("impact: panda_joint6 impulsive torque",)
    assert command.slack > 0.1
    normal = contact.rotation[:, 2]
    assert normal @ (J[:3] @ command.ddq) > 0.0  # away from the surface
    assert np.all(np.abs(command.torque) <= panda.limits.torque)


def test_without_a_detector_that_sees_the_arm_does_not_approach(panda, scenario, contact):
    """It holds before the approach, and stops within it."""
    simulation = Simulation(panda, scenario.wall(panda), noise=PANDA_NOISE)
    measurement = simulation.reset(scenario.start(panda))
    controller = ImpactController(panda, plan_of(scenario, contact, "robust"))
    speeds = []
    for k in range(900):
        command = controller.update(measurement.q, measurement.dq, ready=300 <= k < 600)
        speeds.append(-command.normal_speed)
        measurement = simulation.step(command.driver_torque)
    assert max(np.abs(speeds[:300])) < 5e-3
    assert speeds[599] > 0.07
    assert abs(speeds[-1]) < 5e-3
    assert command.phase is Phase.APPROACH


def test_stop_brakes_and_holds_until_reset(panda, scenario, contact):
    controller = ImpactController(panda, plan_of(scenario, contact, "robust"))
    q = scenario.start(panda)
    controller.update(q, np.zeros(7))
    controller.stop()
    assert controller.update(q, np.zeros(7), impact=True).phase is Phase.HOLD
    controller.reset()
    assert controller.update(q, np.zeros(7)).phase is Phase.APPROACH


def test_a_braking_arm_stands_within_a_fifth_of_a_second(panda, contact):
    """What moves no tool went on for seconds: the posture task braked it, and pulled it back."""
    controller = ImpactController(panda, Plan(contact, interface="velocity"))
    controller.stop()
    q = panda.stance.copy()
    dq = 1.5 * np.linalg.svd(ArmDynamics(panda)(q, np.zeros(7)).J)[2][6]
    fastest = []
    for _ in range(1000):
        dq = controller.update(q, dq).velocity
        q = q + dq * 1e-3
        fastest.append(np.abs(dq).max())
    assert max(fastest[200:]) < 0.05


@pytest.mark.parametrize("bad", [np.full(7, np.nan), np.zeros(6)])
def test_a_state_that_is_no_state_is_refused(panda, scenario, contact, bad):
    controller = ImpactController(panda, plan_of(scenario, contact, "robust"))
    with pytest.raises(ControlError, match="expected 7 finite positions and velocities"):
        controller.update(scenario.start(panda), bad)


def test_unknown_impact_limits_list_the_choices(contact):
    with pytest.raises(
        ControlError,
        match="one of auto, unaware, existential, joint_load, person, robust, nominal, got",
    ):
        Plan(contact, "careful")


numbers = arrays(float, 7, elements=st.floats(-1.0, 1.0))


@settings(max_examples=300)
@given(q=numbers, dq=numbers, mode=st.sampled_from(["unaware", "robust", "existential"]))
def test_there_is_always_a_command_within_the_limits(panda, scenario, contact, q, dq, mode):
    """Any state within the limits, twice in a row and after an impact: finite, within torque."""
    limits = panda.limits
    middle = 0.5 * (limits.position_lower + limits.position_upper)
    span = 0.5 * (limits.position_upper - limits.position_lower)
    q, dq = middle + span * q, 1.2 * limits.velocity * dq
    controller = ImpactController(panda, plan_of(scenario, contact, mode))
    for impact in (False, False, True):
        command = controller.update(q, dq, impact=impact)
        assert np.all(np.isfinite(command.torque))
        assert np.all(np.abs(command.torque) <= limits.torque + 1e-9)
        assert np.all(np.isfinite(command.velocity))


def test_an_arm_whose_driver_has_no_gravity_compensation_is_sent_it(panda, scenario, contact):
    bare = replace(panda, driver_compensates_gravity=False)
    q = scenario.start(panda)
    gravity = ArmDynamics(panda)(q, np.zeros(7)).g
    controller = ImpactController(bare, plan_of(scenario, contact, "robust"))
    command = controller.update(q, np.zeros(7))
    np.testing.assert_array_equal(command.driver_torque, command.torque)
    np.testing.assert_allclose(controller.rest(), gravity)
    compensated = ImpactController(panda, plan_of(scenario, contact, "robust"))
    compensated.update(q, np.zeros(7))
    assert not compensated.rest().any()


def test_the_position_interface_arrives_at_the_bound_too(panda, scenario, contact):
    plan = plan_of(scenario, contact, "robust", interface="position")
    approach = Approach(panda, scenario, plan, interface=Interface.POSITION)
    limit = RobustImpactLimit.for_interface("position", panda, contact, margin=0.0)
    bound = limit.speed_bound(approach.state).speed
    assert approach.speed == pytest.approx(bound, rel=0.03)
    positions = np.array([command.position for command in approach.commands])
    velocities = np.array([command.velocity for command in approach.commands])
    np.testing.assert_allclose(np.diff(positions, axis=0) * 1e3, velocities[1:], atol=0.02)
    np.testing.assert_allclose(positions[0], scenario.start(panda), atol=1e-3)


def test_at_rest_a_position_interface_is_sent_its_last_position_or_nothing(
    panda, scenario, contact
):
    controller = ImpactController(panda, plan_of(scenario, contact, "robust", interface="position"))
    assert controller.rest() is None  # not zero, which is somewhere else
    last = controller.update(scenario.start(panda), np.zeros(7)).position
    np.testing.assert_array_equal(controller.rest(), last)
