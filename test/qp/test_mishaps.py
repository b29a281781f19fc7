# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""When things are not as announced, the arm stays within its limits and ends at rest."""

from dataclasses import replace
from functools import cache
from typing import NamedTuple

import numpy as np
import pytest
from disturbances import DISTURBANCES, run_disturbance

import impact_qp.control.acceleration
from impact_predictor.joint_load.worst_load import LoadSearch
from impact_qp import ControlError, ImpactController, NoSolutionFound, Phase, Plan
from impact_qp.control.approach import highest_press_force
from impact_qp.control.standard_program import StandardProgram
from impact_qp.limits import RobustImpactLimit
from impact_robots import ArmDynamics
from impact_sim import PANDA_NOISE, Simulation

HARMLESS = [name for name in DISTURBANCES if "taken over" not in name]


@pytest.fixture(scope="module")
def outcomes():
    return {name: run_disturbance(disturbance) for name, disturbance in DISTURBANCES.items()}


@pytest.mark.parametrize("name", DISTURBANCES)
def test_every_limit_holds_and_the_arm_ends_at_rest(outcomes, name):
    outcome = outcomes[name]
    assert outcome.torque <= 1.0 + 1e-9
    assert outcome.impulsive_torque <= 1.0
    assert outcome.phases[-1] == "hold" and outcome.final_speed < 0.02
    assert outcome.contacts <= 1
    assert outcome.touched == ("false alarm" not in name)
    if outcome.touched:
        assert outcome.contact_speed <= 1.02 * outcome.bound


@pytest.mark.parametrize("name", HARMLESS)
def test_what_can_be_met_does_not_give_way(outcomes, name):
    assert outcomes[name].gave_way == 0.0


@pytest.mark.parametrize("name", sorted(set(DISTURBANCES) - set(HARMLESS)))
def test_an_arm_that_is_too_fast_brakes_and_the_violation_is_reported(outcomes, name):
    assert outcomes[name].gave_way > 0.05


def test_a_missed_impact_ends_in_a_retraction_without_coasting(outcomes):
    assert outcomes["impact not detected"].phases == ["approach", "retract", "brake", "hold"]
    assert all(outcome.final_gap > 0.045 for outcome in outcomes.values())
    assert outcomes["as announced"].phases == ["approach", "coast", "retract", "brake", "hold"]


# --- never without an answer --------------------------------------------------------------------


def controller_for(panda, contact, **changes):
    return ImpactController(panda, Plan(contact, speed=0.1, **changes))


@pytest.mark.parametrize("reason", ["infeasible", "not finite"])
def test_a_solver_that_fails_makes_the_arm_brake_within_its_limits(
    panda, contact, at_impact, monkeypatch, reason
):
    def fails(program, *options):
        raise NoSolutionFound(program, reason)

    monkeypatch.setattr(impact_qp.control.acceleration, "solve", fails)
    monkeypatch.setattr(StandardProgram, "solve", lambda *arguments: None)
    controller = controller_for(panda, contact)
    dq = 0.2 * np.ones(7)
    for _ in range(50):
        command = controller.update(at_impact.q, dq)
    assert np.all(np.abs(command.torque) <= panda.limits.torque)
    assert np.all(command.ddq * dq < 0.0) and "impact" in command.relaxed


def test_a_stretched_arm_gets_a_finite_command_within_its_limits(panda, contact):
    stretched = np.array([0.0, 0.0, 0.0, -0.07, 0.0, 0.0, 0.0])
    point = ArmDynamics(panda)(stretched, np.zeros(7)).position
    for normal in np.vstack([np.eye(3), -np.eye(3)]):
        near = replace(contact, point=point - 0.01 * normal, normal=normal)
        controller = controller_for(panda, near)
        for _ in range(20):
            command = controller.update(stretched, np.zeros(7))
            assert np.all(np.isfinite(command.torque))
            assert np.all(np.abs(command.torque) <= panda.limits.torque)
            assert np.abs(command.ddq).max() <= panda.limits.acceleration.max() + 1e-9


def test_contradictory_limits_leave_the_hardwares(panda, contact, at_impact):
    """No speed is safe, and the arm is faster than its joints may be: torque limits still hold."""
    controller = controller_for(panda, replace(contact, friction=9.0))
    dq = 1.5 * panda.limits.velocity * np.array([1, -1, 1, -1, 1, -1, 1])
    for _ in range(20):
        command = controller.update(at_impact.q, dq)
        assert np.all(np.isfinite(command.torque))
        assert np.all(np.abs(command.torque) <= panda.limits.torque + 1e-9)


def test_waiting_for_the_detector_near_the_surface_is_no_stall(panda, contact, at_impact):
    controller = controller_for(panda, contact, stall_time=0.01)
    dq = np.linalg.pinv(at_impact.J[:3]) @ (-0.05 * contact.rotation[:, 2])

    def stops(*, ready):
        """Approach for 30 ms, stand still for 30 ms; return the phases."""
        controller.reset()
        phases = []
        for k in range(60):
            moved = min(k, 30) * 1e-3 * dq
            command = controller.update(at_impact.q + moved, dq * (k < 30), ready=ready or k < 30)
            phases.append(command.phase)
        return phases

    assert set(stops(ready=False)) == {Phase.APPROACH}
    assert Phase.RETRACT in stops(ready=True)


# --- after the impact ---------------------------------------------------------------------------


class Hit(NamedTuple):
    """What an arm did that hits and then holds or presses, cycle by cycle."""

    commands: list
    speeds: np.ndarray  # of the contact point towards the surface [m/s]
    forces: np.ndarray  # on the surface [N]
    joint_speed: float  # the largest at the end [rad/s]


@pytest.fixture(scope="module")
def hit(panda, scenario, contact):
    """A function that hits with a plan's changes, once for the same ones."""

    @cache
    def hit(mode="robust", after="press", press_force=0.0, cycles=3000, lose_at=None):
        plan = Plan(contact, mode, speed=0.1, after=after, press_force=press_force)
        return carried_out(ImpactController(panda, plan), scenario, cycles, lose_at)

    return hit


def carried_out(controller, scenario, cycles, lose_at):
    """Return what a controller does until the last cycle; ``lose_at`` one the wall is taken."""
    simulation = Simulation(controller.robot, scenario.wall(controller.robot), noise=PANDA_NOISE)
    normal, plant = controller.plan.contact.rotation[:, 2], simulation.plant
    measurement, impact = simulation.reset(scenario.start(controller.robot)), False
    commands, speeds, forces = [], [], []
    for k in range(cycles):
        impact |= bool(plant.contact_force.any())
        commands.append(controller.update(measurement.q, measurement.dq, impact=impact))
        measurement = simulation.step(commands[-1].driver_torque)
        forces.append(-measurement.forces[:, 0].mean())
        if k == lose_at:
            assert commands[-1].phase is Phase.PRESS
            plant.wall = None
        speeds.append(-float(normal @ plant.contact_velocity))
    return Hit(commands, np.array(speeds), np.array(forces), np.abs(plant.dq).max())


@pytest.mark.parametrize(("after", "force"), [("hold", 0.0), ("press", 20.0)])
def test_after_the_impact_it_holds_or_presses(hit, after, force):
    commands, _, forces, joint_speed = hit(after=after, press_force=force)
    assert commands[-1].phase is (Phase.PRESS if force else Phase.HOLD)
    assert not any(command.relaxed for command in commands)
    assert np.mean(forces[-500:]) == pytest.approx(force, abs=0.02 * force + 0.1)
    assert joint_speed < 0.02
    steps = np.diff([command.driver_torque for command in commands], axis=0)
    assert np.abs(steps).max() <= 1.0 + 1e-9


def test_an_arm_that_presses_and_loses_the_surface_retracts(hit):
    """Until it does, it stays at its bound, where it could be hit again."""
    commands, speeds, *_ = hit(press_force=20.0, cycles=8000, lose_at=2500)
    assert commands[-1].phase is Phase.HOLD and commands[-1].gap > 0.04
    bound = commands[2500].speed_bound
    assert speeds[2500:].max() < 1.05 * bound
    assert np.abs(commands[-1].velocity).max() < 0.02


@pytest.mark.parametrize("force", [20.0, 200.0])
def test_pressing_does_not_hit_again_harder_than_the_bound(hit, panda, contact, at_impact, force):
    """20 N hit again at 1.6 times the bound, 50 N ran away at 50 m/s."""
    commands, speeds, forces, _ = hit(press_force=force)
    press = [command.phase for command in commands].index(Phase.PRESS)
    bound = RobustImpactLimit(panda, contact, margin=0.0).speed_bound(at_impact).speed
    assert speeds[press:].max() <= 1.01 * bound
    assert not any(command.relaxed for command in commands)
    again = RobustImpactLimit(panda, contact).speed_bound(at_impact).speed
    most, what = highest_press_force(panda, again, at_impact, contact.rotation[:, 2], 0.02)
    assert what == "panda_joint6 acceleration"
    assert forces[-500:].mean() == pytest.approx(min(force, most), rel=0.08)
    steps = np.diff([command.driver_torque for command in commands], axis=0)
    assert np.abs(steps).max() <= 1e-3 * panda.limits.torque_rate.max()


def test_an_arm_without_impact_limits_presses_within_its_joint_limits(hit):
    commands, speeds, forces, _ = hit("unaware", press_force=200.0)
    assert not any(command.relaxed for command in commands)
    assert 10.0 < forces[-500:].mean() < 30.0 and forces[-500:].std() < 1.0
    assert speeds.max() < 0.2


def test_an_arm_limited_by_its_joints_loads_presses_without_searching_anew(hit, monkeypatch):
    """A whole search in every cycle of pressing took 15 ms."""
    rated, cycles = [], 2000
    rate = LoadSearch.rate
    monkeypatch.setattr(LoadSearch, "rate", lambda *given: rated.append(1) or rate(*given))
    commands, speeds, forces, _ = hit("joint_load", press_force=20.0, cycles=cycles)
    assert commands[-1].phase is Phase.PRESS and len(rated) <= 2 * cycles
    assert np.mean(forces[-300:]) == pytest.approx(20.0, abs=0.5)
    press = [command.phase for command in commands].index(Phase.PRESS)
    assert speeds[press:].max() < commands[press].speed_bound


def test_pressing_needs_torques_and_a_force(contact):
    with pytest.raises(ControlError, match="press_force: expected a number > 0"):
        Plan(contact, after="press")
    with pytest.raises(ControlError, match="expected the torque interface"):
        Plan(contact, after="press", press_force=5.0, interface="velocity")


def test_a_new_controller_takes_over_without_a_step_in_torque(panda, scenario, contact):
    first = controller_for(panda, contact)
    q = scenario.start(panda)
    for _ in range(100):
        before = first.update(q, np.zeros(7))
    second = controller_for(panda, replace(contact, normal=np.array([0.0, 0.0, 1.0])))
    second.adopt(first)
    after = second.update(q, np.zeros(7))
    assert np.abs(after.driver_torque - before.driver_torque).max() <= 1.0 + 1e-9
