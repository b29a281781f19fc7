# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Impacts without driver and noise obey physics, on one joint, on three and on seven."""

import mujoco
import numpy as np
import pytest
from moving_arms import moving
from tiny_robot import tiny_robot

from impact_predictor.contact_force.laws import Viscoelastic, viscoelastic_restitution
from impact_predictor.inertia.inverse_inertia import effective_mass, generalized_momentum
from impact_robots import ArmDynamics, Surface, contact_rotation, load_robot
from impact_sim import SimulationError
from impact_sim.arm.direct_run import direct_run
from impact_sim.arm.passive_impact import gravity_compensation, passive_impact
from impact_sim.plant.compliant_wall import CompliantWall
from impact_sim.plant.plant import FlexibleJointPlant
from impact_sim.plant.torque_loop import PERIOD

LAW = Viscoelastic(1.2e5, 8e6)
NORMAL = np.array([-1.0, 0.0, 0.0])
SPEED = 0.12


def hit(robot, **options):
    """Let the arm hit a wall from its stance, without turning the tool."""
    dq = moving(robot, -SPEED * NORMAL)
    return passive_impact(robot, robot.stance, dq, NORMAL, LAW, after_contact=0.03, **options)


def effective(run):
    return run.compression_impulse / run.approach_speed


def test_a_free_mass_stops_with_its_momentum_and_rebounds_by_the_law(tmp_path):
    robot = tiny_robot(tmp_path, mass=2.0, stiffness=1e-6, reflected=1e-3, apparent=1e-3)
    law = Viscoelastic(1.2e5, 1.2e6)
    run = passive_impact(robot, np.zeros(1), np.array([0.1]), NORMAL, law, after_contact=0.05)
    assert effective(run) == pytest.approx(2.0, rel=2e-3)
    rebound = run.normal @ run.contact_velocity[-1]
    assert rebound / run.approach_speed == pytest.approx(
        viscoelastic_restitution(law, 0.1), rel=5e-3
    )
    assert run.contact_force[-1] == pytest.approx(np.zeros(3))


def test_the_touch_is_the_state_that_was_asked_for(panda):
    run = hit(panda)
    assert run.approach_speed == pytest.approx(SPEED, rel=1e-3)
    assert run.contact_start.q == pytest.approx(panda.stance, abs=1e-5)
    assert run.contact_start.time == pytest.approx(1e-6 / SPEED, abs=2 * run.contact_step)
    assert run.contact_t[0] == run.contact_start.time
    assert run.t == pytest.approx(np.arange(len(run.t)) * 1e-3, abs=1e-9)


def test_the_torque_loop_takes_motor_inertia_away(panda):
    state = ArmDynamics(panda)(panda.stance, np.zeros(7))
    rotation = contact_rotation(NORMAL)
    mass = {
        name: effective_mass(generalized_momentum(state, rotation, motors))
        for name, motors in panda.motor_inertias.items()
    }
    with_loop, without = effective(hit(panda)), effective(hit(panda, torque_loop=False))
    assert mass["M"] < with_loop < without
    nearest = [
        min(mass, key=lambda name: abs(np.log(mass[name] / found)))
        for found in (with_loop, without)
    ]
    assert nearest == ["M+B_theta", "M+B_rho"], (mass, with_loop, without)


def test_the_result_does_not_hang_on_the_step(panda):
    assert effective(hit(panda, contact_step=5e-6)) == pytest.approx(
        effective(hit(panda)), rel=1e-3
    )


def test_away_from_the_surface_steps_may_be_longer(panda):
    """The contact is the same; the motion after it changes by less than with half its step."""
    run, nearby = hit(panda), hit(panda, clearance=4.0 * SPEED * PERIOD)
    finer = hit(panda, contact_step=5e-6)
    touching = int((~run.contact_force.any(axis=1)).argmax())
    assert len(nearby.contact_t) < len(run.contact_t) - 1000
    assert np.array_equal(nearby.contact_force[:touching], run.contact_force[:touching])
    changed = np.abs(nearby.dq - run.dq).max()
    assert 0.0 < changed < np.abs(finer.dq - run.dq).max()


def test_it_repeats_bit_for_bit(panda):
    first, second = hit(panda), hit(panda)
    assert np.array_equal(first.contact_force, second.contact_force)
    assert np.array_equal(first.q, second.q)


def test_a_run_that_never_touches_says_so(panda, monkeypatch):
    monkeypatch.setattr("impact_sim.arm.direct_run.TIMEOUT", 0.05)
    with pytest.raises(SimulationError, match=r"no contact within 0\.05 s"):
        passive_impact(panda, panda.stance, np.zeros(7), NORMAL, LAW)
    plant = FlexibleJointPlant(panda)
    plant.reset(panda.stance)
    with pytest.raises(SimulationError, match="expected a wall"):
        direct_run(plant, gravity_compensation, after_contact=0.1)


def test_a_run_that_is_too_short_has_no_compression_impulse(panda):
    point = ArmDynamics(panda).position(panda.stance)
    plant = FlexibleJointPlant(panda, CompliantWall(Surface(point, NORMAL), LAW))
    plant.reset(panda.stance, moving(panda, -SPEED * NORMAL))
    run = direct_run(plant, gravity_compensation, after_contact=1e-3)
    with pytest.raises(SimulationError, match="compression does not end"):
        run.compression_impulse  # noqa: B018


def test_an_arm_with_locked_joints_is_the_same_in_both_engines(project_root):
    """The plant builds what the loader leaves of a robot whose YAML names three joints of seven."""
    data = project_root / "studies" / "data"
    planar = load_robot(data / "panda_planar.yaml")
    plant, random = FlexibleJointPlant(planar), np.random.default_rng(2)
    for _ in range(5):
        q, dq = planar.stance + 0.3 * random.normal(size=3), random.normal(size=3)
        plant.data.qpos[plant._motor], plant.data.qpos[plant._spring] = q, 0.0
        plant.data.qvel[plant._motor], plant.data.qvel[plant._spring] = dq, 0.0
        mujoco.mj_forward(plant.model, plant.data)
        plant._look_at_point()
        full = np.zeros((6, 6))
        mujoco.mj_fullM(plant.model, plant.data, full)
        state = ArmDynamics(planar)(q, dq)
        np.testing.assert_allclose(full[np.ix_(plant._spring, plant._spring)], state.M, atol=1e-13)
        np.testing.assert_allclose(plant.data.qfrc_bias[plant._spring], state.h, atol=1e-12)
        np.testing.assert_allclose(plant.contact_position, state.position, atol=1e-13)
        assert abs(state.position[1]) < 1e-9  # it stays in its plane


def test_a_run_that_ends_after_the_release_is_the_beginning_of_the_whole_one(panda):
    whole, ended = hit(panda), hit(panda, after_release=0.004)
    released = ended.contact_t[ended.contact_force.any(axis=1).argmin()]
    assert len(ended.t) < len(whole.t) and released > ended.contact_start.time
    assert released + 0.003 <= ended.t[-1] < released + 0.004
    for name in ("t", "q", "dq", "tau", "contact_t", "contact_force", "contact_velocity"):
        mine = getattr(ended, name)
        np.testing.assert_array_equal(mine, getattr(whole, name)[: len(mine)])


def test_a_law_that_is_not_compiled_gives_the_same_run(panda):
    """Cycles in one call change their step where the point leaves the clearance, as plain ones."""

    class Own(Viscoelastic):
        """A law that somebody else wrote."""

    dq = moving(panda, -0.4 * NORMAL)
    one, other = (
        passive_impact(panda, panda.stance, dq, NORMAL, law, after_contact=0.05)
        for law in (Viscoelastic(1.2e5, 1e6), Own(1.2e5, 1e6))
    )
    assert len(one.contact_t) < 0.9 * (0.05 / one.contact_step)  # it did leave
    np.testing.assert_array_equal(one.t, other.t)
    np.testing.assert_array_equal(one.contact_t, other.contact_t)
    np.testing.assert_allclose(one.q, other.q, rtol=0, atol=1e-12)
    largest = np.abs(other.contact_force).max()
    np.testing.assert_allclose(one.contact_force, other.contact_force, rtol=0, atol=1e-8 * largest)
