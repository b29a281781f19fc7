# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""What trials are made of: what is drawn, what is watched, free motion and its payload."""

from dataclasses import replace

import mujoco
import numpy as np
import pytest
from moving_arms import moving
from tiny_robot import tiny_robot

from impact_predictor.contact_force.laws import Viscoelastic
from impact_robots import ArmDynamics, Surface, contact_rotation
from impact_sim import NO_NOISE, Simulation, all_scenario_names, load_scenario, scenario_names
from impact_sim.arm.computed_torque import ComputedTorque
from impact_sim.arm.direct_run import direct_run
from impact_sim.arm.free_motion import Move, draw_free_motion
from impact_sim.arm.passive_impact import gravity_compensation
from impact_sim.arm.payload import Carrier, Payload
from impact_sim.arm.variation import draw
from impact_sim.arm.watched_plant import WatchedPlant
from impact_sim.plant.compliant_wall import CompliantWall
from impact_sim.plant.plant import FlexibleJointPlant

WALLS = ("iim_wall_cfg1", "iim_wall_cfg2", "iim_wall_cfg3")
NORMAL = np.array([-1.0, 0.0, 0.0])


@pytest.fixture(scope="module")
def motion(panda):
    return draw_free_motion(load_scenario("free_motion"), panda, 7)


# --- scenarios --------------------------------------------------------------------------------


def test_all_scenarios_load_and_nodes_run_some_of_them():
    assert set(scenario_names()) < set(all_scenario_names())
    for name in all_scenario_names():
        scenario = load_scenario(name)
        assert scenario.name == name
        assert (scenario.controller == "computed_torque") == bool(scenario.motion)


def test_the_wall_campaign_carries_the_published_figures(derived_data):
    import yaml

    source = yaml.safe_load((derived_data / "scenarios.yaml").read_text())["scenarios"]
    contact = source[WALLS[0]]["contact"]
    for name in WALLS:
        ours, theirs = load_scenario(name), source[name]
        assert list(ours.q_impact) == theirs["q_impact"]
        assert list(ours.normal) == theirs["normal"]
        assert list(ours.speeds) == theirs["v_ref"]
        assert ours.detection_threshold == theirs["detector"]["tau0"]
        assert ours.contact["model"] == contact["model"]
        assert ours.contact["k"] == float(contact["k"])  # YAML takes 1.2e5 for a text
        assert ours.contact["c"] == float(contact["c"])


def test_trials_cycle_through_the_speeds():
    scenario = load_scenario("iim_wall_cfg1")
    speeds = [scenario.of_trial(trial).reference_speed for trial in range(7)]
    assert speeds == [0.08, 0.10, 0.12, 0.15, 0.18, 0.08, 0.10]
    demo = load_scenario("qp_panda_demo")
    assert demo.of_trial(3) == demo


def test_what_is_drawn_stays_within_its_limits_and_repeats():
    scenario = load_scenario("iim_wall_cfg1").of_trial(4)
    draws = [draw(scenario, seed) for seed in range(200)]
    shifts = np.array([each.shift for each in draws])
    assert np.abs(shifts[:, :2]).max() <= 2e-3 and np.abs(shifts[:, :2]).max() > 1.8e-3
    assert shifts[:, 2].min() >= 0.0 and shifts[:, 2].max() <= 0.18e-3
    frictions = [each.friction for each in draws]
    assert 0.1 <= min(frictions) < 0.11 and 0.19 < max(frictions) <= 0.2
    again = draw(scenario, 17)
    np.testing.assert_array_equal(again.shift, shifts[17])
    assert again.friction == frictions[17]


def test_announced_impacts_do_not_vary():
    for name in scenario_names():
        scenario = load_scenario(name)
        drawn = draw(scenario, 3)
        assert not drawn.shift.any() and drawn.friction == scenario.friction


def test_the_start_is_shifted_in_contact_axes(panda):
    scenario, dynamics = load_scenario("iim_wall_cfg2"), ArmDynamics(panda)
    shift = np.array([2e-3, -1e-3, 5e-4])
    moved = dynamics.position(scenario.start(panda, shift))
    offset = moved - dynamics.position(scenario.start(panda))
    np.testing.assert_allclose(offset, contact_rotation(NORMAL) @ shift, atol=1e-8)


# --- the watched plant ------------------------------------------------------------------------


def hit(kind, panda):
    point = ArmDynamics(panda).position(panda.stance) + 1e-4 * -NORMAL
    plant = kind(panda, CompliantWall(Surface(point, NORMAL, 0.15), Viscoelastic(1.2e5, 8e6)))
    plant.reset(panda.stance, moving(panda, [0.12, 0.0, 0.0]))
    return plant, direct_run(plant, gravity_compensation, after_contact=0.04)


def test_watching_changes_nothing(panda):
    watched, run = hit(WatchedPlant, panda)
    _, plain = hit(FlexibleJointPlant, panda)
    np.testing.assert_array_equal(run.q, plain.q)
    np.testing.assert_array_equal(run.tau, plain.tau)
    assert watched.contact_start.time == plain.contact_start.time
    np.testing.assert_array_equal(watched.contact_start.dq, plain.contact_start.dq)
    held = np.flatnonzero(~plain.contact_force.any(axis=1))[0]
    np.testing.assert_array_equal(watched.force, plain.contact_force[:held])
    assert watched.contact_duration == pytest.approx(held * plain.contact_step)
    assert watched.contacts == 1


def test_the_impulse_stops_a_free_mass_and_throws_it_back(tmp_path):
    robot = tiny_robot(tmp_path, mass=2.0, stiffness=1e-6, reflected=1e-3, apparent=1e-3)
    wall = CompliantWall(Surface([1e-4, 0, 0], NORMAL), Viscoelastic(1.2e5, 1.2e6))
    plant = WatchedPlant(robot, wall)
    plant.reset(np.zeros(1), np.array([0.1]))
    direct_run(plant, gravity_compensation, after_contact=0.05)
    change = plant.dq[0] - plant.contact_start.dq[0]
    assert change < -0.1  # it comes back
    assert plant.impulse[0] == pytest.approx(2.0 * change, rel=2e-3)
    plant.reset(np.zeros(1))
    assert plant.contact_start is None and not len(plant.force)


# --- free motion ------------------------------------------------------------------------------


def test_a_move_is_at_rest_at_both_ends_and_differentiates_right():
    move = Move(1.0, 0.8, np.array([0.2, -0.3]), np.array([1.0, 0.1]))
    for time, place in ((0.5, move.origin), (1.0, move.origin), (1.8, move.target)):
        q, dq, ddq = move(time)
        np.testing.assert_allclose(q, place)
        assert not dq.any() and not ddq.any()
    h = 1e-5
    for time in (1.1, 1.37, 1.7):
        (q0, v0, _), (_, v, a), (q1, v1, _) = move(time - h), move(time), move(time + h)
        np.testing.assert_allclose((q1 - q0) / (2 * h), v, rtol=1e-6)
        np.testing.assert_allclose((v1 - v0) / (2 * h), a, atol=1e-6)


def test_the_motion_is_hard_but_within_the_limits(panda, motion):
    reference, limits = motion.reference(), panda.limits
    samples = [reference(time) for time in np.arange(0.0, motion.duration, 2e-3)]
    q, dq, ddq = (np.array(column) for column in zip(*samples, strict=True))
    assert np.all(q > limits.position_lower) and np.all(q < limits.position_upper)
    velocity = (np.abs(dq) / limits.velocity).max(axis=0)
    acceleration = (np.abs(ddq) / limits.acceleration).max(axis=0)
    assert velocity.max() <= 0.9 and acceleration.max() <= 0.9
    assert min(velocity.max(), acceleration.max()) > 0.8  # up to the drawn fraction
    assert np.abs(np.diff(q, axis=0)).max() < 0.01  # no jumps between moves


def test_the_payload_is_taken_up_at_rest(motion):
    payload, reference = motion.payload, motion.reference()
    assert 0.25 * motion.duration <= payload.time <= 0.8 * motion.duration
    for time in np.linspace(payload.time - 0.15, payload.time + payload.take_up + 0.15, 40):
        assert not reference(time)[1].any()
    assert payload.held(payload.time) == 0.0
    assert payload.held(payload.time + payload.take_up) == pytest.approx(payload.mass)
    assert 0.0 < payload.mass <= 2.0


def test_the_same_seed_gives_the_same_motion(panda, motion):
    again = draw_free_motion(load_scenario("free_motion"), panda, 7)
    other = draw_free_motion(load_scenario("free_motion"), panda, 8)
    assert len(again.moves) == len(motion.moves)
    np.testing.assert_array_equal(again.moves[-1].target, motion.moves[-1].target)
    assert again.payload.mass == motion.payload.mass != other.payload.mass


def loaded(panda, payload):
    """The panda's model with a payload that pinocchio knows of."""
    model = panda.model.copy()
    frame = model.frames[model.getFrameId(panda.contact_frame)]
    model.appendBodyToJoint(frame.parentJoint, payload.inertia(payload.mass), frame.placement)
    return replace(panda, model=model)


def test_a_borne_payload_is_the_same_in_both_engines(panda):
    payload = Payload(1.7, np.array([0.02, -0.01, 0.03]), 0.05, 0.0, 0.5)
    plant, random = FlexibleJointPlant(panda), np.random.default_rng(1)
    Carrier(plant, payload).update(1.0)
    dynamics = ArmDynamics(loaded(panda, payload))
    for _ in range(5):
        q, dq = panda.stance + 0.3 * random.normal(size=7), random.normal(size=7)
        plant.data.qpos[plant._motor], plant.data.qpos[plant._spring] = q, 0.0
        plant.data.qvel[plant._motor], plant.data.qvel[plant._spring] = dq, 0.0
        mujoco.mj_forward(plant.model, plant.data)
        full = np.zeros((14, 14))
        mujoco.mj_fullM(plant.model, plant.data, full)
        state = dynamics(q, dq)
        np.testing.assert_allclose(full[np.ix_(plant._spring, plant._spring)], state.M, atol=1e-12)
        np.testing.assert_allclose(plant.data.qfrc_bias[plant._spring], state.h, atol=1e-11)


def test_taking_a_payload_up_changes_no_state_at_once_and_gravity_in_the_end(panda):
    payload = Payload(2.0, np.array([0.0, 0.0, 0.05]), 0.05, 0.1, 0.5)
    simulation = Simulation(panda, noise=NO_NOISE)
    plant, control = simulation.plant, ComputedTorque(panda)
    carrier, measured = Carrier(plant, payload), simulation.reset(panda.stance)
    still = (panda.stance, np.zeros(7), np.zeros(7))
    while measured.time < 1.5:
        before = plant.q.copy(), plant.dq.copy()
        carrier.update(measured.time)
        np.testing.assert_array_equal((plant.q, plant.dq), before)
        assert np.abs(plant.dq).max() < 0.1
        measured = simulation.step(control(measured.q, measured.dq, still).driver_torque)
    gravity = ArmDynamics(loaded(panda, payload))(plant.q, np.zeros(7)).g
    np.testing.assert_allclose(measured.tau, gravity, atol=0.05)
    assert np.abs(plant.q - panda.stance).max() > 1e-3  # not announced to the controller


def follow(panda, motion, seconds):
    """True positions of an arm that follows the motion, without noise."""
    simulation, control = Simulation(panda, noise=NO_NOISE), ComputedTorque(panda)
    reference, measured = motion.reference(), simulation.reset(motion.moves[0].origin)
    q, wanted = [], []
    while measured.time < seconds:
        wanted.append(reference(measured.time))
        command = control(measured.q, measured.dq, wanted[-1])
        measured = simulation.step(command.driver_torque)
        q.append(measured.q)
    return np.array(q[:-1]), np.array([each[0] for each in wanted[1:]])


def test_computed_torque_follows_and_the_step_is_small_enough(panda, motion, monkeypatch):
    q, wanted = follow(panda, motion, 2.0)
    assert np.abs(q - wanted).max() < 5e-3
    monkeypatch.setattr("impact_sim.plant.plant.FREE_STEP", 25e-6)
    finer, _ = follow(panda, motion, 2.0)
    assert np.abs(q - finer).max() < 2e-5  # the sensors' noise is 1e-5 rad


def test_energy_is_what_the_motors_put_in_and_the_joints_did_not_lose(panda, motion):
    """Over a second of the motion, under feed-forward alone, payload or not."""
    plant, dynamics = FlexibleJointPlant(panda), ArmDynamics(panda)
    Carrier(plant, motion.payload).update(motion.duration)
    plant.model.opt.enableflags |= mujoco.mjtEnableBit.mjENBL_ENERGY
    plant.reset(motion.moves[0].origin)
    start, reference, work, swing = plant.data.energy.sum(), motion.reference(), 0.0, 0.0
    for step in range(20000):
        if step % 20 == 0:
            q, dq, ddq = reference(plant.time)
            state = dynamics(q, dq)
            torque = state.M @ ddq + state.h + panda.reflected_motor_inertia * ddq
            plant.apply_motor_torque(torque)
        dtheta, slip = plant.dtheta.copy(), plant.dtheta - plant.dq
        plant.advance_free(50e-6)
        dtheta, slip = 0.5 * (dtheta + plant.dtheta), 0.5 * (slip + plant.dtheta - plant.dq)
        work += 50e-6 * float(torque @ dtheta - panda.joint_damping @ slip**2)
        swing = max(swing, plant.data.energy[1])
    assert swing > 1.0  # joules: it did move
    assert plant.data.energy.sum() - start == pytest.approx(work, abs=0.01 * swing)
