# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""The exported arm hits in MuJoCo as the plant does and as the predictor says."""

from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree

import mujoco
import numpy as np
import pinocchio as pin
import pytest
import yaml
from exported_arm import Exported, hit
from tiny_robot import tiny_robot

from impact_detector.signals.sample import FUSED
from impact_predictor.contact_force.linear_contact import (
    LARGEST_RATIO,
    damping_ratio,
    linear_restitution,
)
from impact_robots import ArmDynamics, RobotError
from impact_sim import ScenarioError, load_scenario
from impact_sim.arm.passive_impact import passive_impact
from impact_sim.export.arm_mjcf import ExportedArm
from impact_sim.export.mjcf import scenario_wall
from impact_sim.export.mjcf_files import CONTROLLERS, MJCF, URDF, mjcf_files
from impact_sim.export.mock_hardware import mock_files
from impact_sim.export.ros2_control import COMMANDS, FORCE, STATES, robot_description
from impact_sim.export.wall_mjcf import WALL
from impact_sim.plant.mujoco_model import build_mujoco_model, deflection_joint, motor_joint
from impact_trials.in_process.impact_trial import qp_controller
from impact_trials.lockstep import lockstep
from impact_trials.trial import detector_session

ROOT = Path(__file__).resolve().parents[2]
SPEED = 0.12  # [m/s]
KINDS = [(flexible, loop) for flexible in (False, True) for loop in (True, False)]


@pytest.mark.parametrize("loop", [True, False])
def test_rigid_equations_of_motion_are_those_of_links_and_motors(panda, loop):
    arm = ExportedArm(panda, torque_loop=loop)
    random = np.random.default_rng(1)
    q, dq = panda.stance + random.uniform(-0.3, 0.3, 7), random.uniform(-1, 1, 7)
    exported = Exported(arm, q)
    exported.reset(dq=dq)
    inertia, state = np.zeros((7, 7)), ArmDynamics(panda)(q, dq)
    mujoco.mj_fullM(exported.model, exported.data, inertia)
    np.testing.assert_allclose(inertia, state.M + np.diag(arm.motor_inertia), atol=1e-12)
    np.testing.assert_allclose(exported.data.qfrc_bias, state.h, atol=1e-9)
    np.testing.assert_allclose(exported.data.qfrc_gravcomp, state.g, atol=1e-9)


def test_flexible_equations_of_motion_are_those_of_the_plant(panda):
    robot = replace(panda, driver_compensates_gravity=False)  # which the plant's model knows not
    random = np.random.default_rng(2)
    q, bent = robot.stance + random.uniform(-0.3, 0.3, 7), random.uniform(-2e-3, 2e-3, 7)
    dq, dbent, torque = random.uniform(-1, 1, (3, 7))
    exported = Exported(ExportedArm(robot, flexible=True, torque_loop=False), q)
    exported.data.qpos[exported.motors] = q - bent
    exported.data.qvel[exported.links], exported.data.qvel[exported.motors] = dq, dq - dbent
    exported.data.ctrl[:] = torque
    mujoco.mj_forward(exported.model, exported.data)
    plant = build_mujoco_model(robot)
    data = mujoco.MjData(plant)
    motors = [plant.joint(motor_joint(name)).dofadr[0] for name in robot.joint_names]
    springs = [plant.joint(deflection_joint(name)).dofadr[0] for name in robot.joint_names]
    data.qpos[motors], data.qpos[springs] = q - bent, bent
    data.qvel[motors], data.qvel[springs] = dq - dbent, dbent
    data.qfrc_applied[motors] = torque
    mujoco.mj_forward(plant, data)
    links = data.qacc[motors] + data.qacc[springs]
    np.testing.assert_allclose(exported.data.qacc[exported.links], links, rtol=1e-6)
    np.testing.assert_allclose(exported.data.qacc[exported.motors], data.qacc[motors], rtol=1e-6)


@pytest.mark.parametrize(("flexible", "loop"), KINDS)
def test_a_hit_changes_velocities_as_the_predictor_says(panda, scenario, flexible, loop):
    arm = ExportedArm(panda, flexible, loop)
    exported, state, dq = hit(arm, scenario, SPEED)
    by_impulse = state.J[:3].T @ exported.impulse
    jump = exported.dq - dq
    error = {
        name: np.linalg.norm(np.linalg.solve(state.M + np.diag(motors), by_impulse) - jump)
        for name, motors in panda.motor_inertias.items()
    }
    own = "M+B_theta" if loop else "M+B_rho"
    assert min(error, key=error.get) == own, error
    assert error[own] < (0.06 if flexible else 0.005) * np.linalg.norm(jump)  # springs still swing
    assert min(each for name, each in error.items() if name != own) > 3 * error[own]


@pytest.mark.parametrize(("flexible", "loop"), KINDS)
def test_the_impulse_is_about_the_plants(panda, scenario, flexible, loop):
    exported, _, dq = hit(ExportedArm(panda, flexible, loop), scenario, SPEED)
    wall = scenario.wall(panda)
    run = passive_impact(
        panda,
        np.array(scenario.q_impact),
        dq,
        wall.surface.normal,
        scenario.law,
        friction=wall.friction,
        after_contact=0.04,
        torque_loop=loop,
    )
    impulse = run.contact_force.sum(axis=0) * run.contact_step
    assert np.linalg.norm(exported.impulse - impulse) < 0.1 * np.linalg.norm(impulse)


def test_the_wall_returns_and_rubs_as_its_law(tmp_path, scenario):
    robot = tiny_robot(tmp_path, mass=2.0, apparent=0.5)
    of_one = replace(scenario, q_impact=(0.0,), friction=0.0)
    exported, _, dq = hit(ExportedArm(robot), of_one, SPEED)
    expected = of_one.law.free_restitution(SPEED, 2.5)
    assert -exported.dq[0] / dq[0] == pytest.approx(expected, rel=0.03)
    assert exported.impulse[0] == pytest.approx(2.5 * (exported.dq[0] - dq[0]), rel=1e-6)
    assert exported.force[-1] == pytest.approx(np.zeros(3))


def test_friction_is_coulombs(panda, scenario):
    exported, _, _ = hit(ExportedArm(panda), scenario, SPEED)
    normal, *tangents = exported.impulse
    assert np.hypot(*tangents) / -normal == pytest.approx(scenario.friction, rel=2e-3)


@pytest.mark.parametrize("flexible", [False, True])
@pytest.mark.parametrize("compensated", [False, True])
def test_torque_sensors_see_what_passes_into_the_links(panda, flexible, compensated):
    """Gravity at rest, borne by the actuators if not by the driver; else M qddot + h."""
    robot = replace(panda, driver_compensates_gravity=compensated)
    exported = Exported(ExportedArm(robot, flexible), robot.stance)
    rest = ArmDynamics(robot)(robot.stance, np.zeros(7))
    exported.data.ctrl[:] = 0.0 if compensated else rest.g
    mujoco.mj_forward(exported.model, exported.data)
    np.testing.assert_allclose(exported.torque, rest.g, atol=1e-6)
    exported.data.ctrl[3] += 5.0
    mujoco.mj_step(exported.model, exported.data, nstep=50)
    mujoco.mj_forward(exported.model, exported.data)
    state = ArmDynamics(robot)(exported.q, exported.dq)
    needed = state.M @ exported.data.qacc[exported.links] + state.h
    np.testing.assert_allclose(exported.torque, needed, atol=1e-9)
    assert abs(exported.torque - rest.g)[3] < 4.9, "the motor takes its part"


@pytest.mark.parametrize("flexible", [False, True])
def test_the_robust_hit_is_detected_and_is_as_fast_as_the_demos(panda, scenario, flexible):
    scenario = replace(scenario, controller="robust")
    arm = ExportedArm(panda, flexible)
    exported = Exported(arm, scenario.start(panda), scenario_wall(arm, scenario, 0.08))
    controller, session = qp_controller(scenario, panda), detector_session(scenario, panda)
    found = []
    for cycle in lockstep(exported, controller, session, None):
        found += [each for each in cycle.detections if each.detector == FUSED]
        if found or cycle.measurement.time > 2.0:
            break
    time, q, dq = exported.touch
    speed = ArmDynamics(panda)(q, dq).J[:3] @ dq @ np.array(scenario.normal)
    assert -speed == pytest.approx(0.0785, abs=5e-4)
    assert 0.0 <= cycle.measurement.time - time < 3e-3, "detected, and not before"


def test_files_agree_about_their_names(panda, scenario, tmp_path):
    for flexible in (False, True):
        arm = ExportedArm(panda, flexible)
        files = mjcf_files(tmp_path, arm, scenario)
        model = mujoco.MjModel.from_xml_string(files[MJCF])
        control = ElementTree.fromstring(files[URDF]).find("ros2_control")
        commanded = [
            each.get("name")
            for each in control.findall("joint")
            if each.find("command_interface") is not None
        ]
        settings = yaml.safe_load(files[CONTROLLERS])
        nodes = {name: each["ros__parameters"] for name, each in settings.items()}
        assert commanded == nodes[f"/**/{COMMANDS}"]["joints"] == list(arm.motors)
        assert [model.actuator(name).trnid[0] for name in commanded] == [
            model.joint(name).id for name in commanded
        ]
        sensors = [each.get("name") for each in control.findall("sensor")]
        assert sensors == [*panda.joint_names, WALL]
        assert model.nsensor == 2 * len(sensors)
        for name in sensors:
            assert model.sensor(f"{name}_force").dim == model.sensor(f"{name}_torque").dim == 3
        assert nodes[f"/**/{STATES}"]["joints"] == list(panda.joint_names)
        assert nodes[f"/**/{FORCE}"]["sensor_name"] == WALL
        parameters = {each.get("name"): each.text for each in control.iter("param")}
        assert parameters["mujoco_model"] == str(tmp_path / MJCF)
        assert model.key(parameters["initial_keyframe"]).id == 0
        assert pin.buildModelFromXML(files[URDF]).existJointName(commanded[0])


def test_the_shipped_controllers_are_the_exported_ones(panda, scenario, tmp_path):
    shipped = yaml.safe_load((ROOT / "config" / CONTROLLERS).read_text())
    files = mjcf_files(tmp_path, ExportedArm(panda), scenario)
    assert shipped == yaml.safe_load(files[CONTROLLERS])


@pytest.mark.parametrize("ratio", [0.05, 0.5, 0.999, 1.0, 2.0])
def test_a_damped_spring_returns_as_it_says(ratio):
    x, v, step = 0.0, 1.0, 1e-4
    while x + 2 * ratio * v > 0.0:
        v -= step * (x + 2 * ratio * v)
        x += step * v
    assert linear_restitution(ratio) == pytest.approx(-v, rel=2e-3)
    assert damping_ratio(linear_restitution(ratio)) == pytest.approx(ratio, rel=1e-6)


def test_restitutions_at_the_ends_have_ratios():
    assert damping_ratio(1.0) == 0.0
    assert damping_ratio(0.0) == LARGEST_RATIO
    assert linear_restitution(LARGEST_RATIO) < 0.01


def test_what_does_not_suit_is_refused(panda, scenario, tmp_path):
    with pytest.raises(ScenarioError, match="qp_panda_demo: expected an arm of 7 joints, got 1"):
        scenario_wall(ExportedArm(tiny_robot(tmp_path)), scenario, SPEED)
    with pytest.raises(ScenarioError, match="free_motion: expected a scenario with a wall"):
        scenario_wall(ExportedArm(panda), load_scenario("free_motion"), SPEED)
    unknown = replace(panda, joint_stiffness=np.full(7, np.nan))
    ExportedArm(unknown)
    with pytest.raises(RobotError, match="'joint_stiffness' is missing: export needs it"):
        ExportedArm(unknown, flexible=True)


@pytest.mark.parametrize("flexible", [False, True])
def test_friction_is_that_of_the_driven_joints(panda, flexible):
    coulomb, viscous = np.linspace(0.2, 1.4, 7), np.linspace(0.1, 0.7, 7)
    robot = replace(panda, coulomb_friction=coulomb, viscous_friction=viscous)
    exported = Exported(ExportedArm(robot, flexible), robot.stance)
    np.testing.assert_allclose(exported.model.dof_frictionloss[exported.motors], coulomb)
    np.testing.assert_allclose(exported.model.dof_damping[exported.motors], viscous)
    if flexible:
        assert not exported.model.dof_frictionloss[exported.links].any()


OTHERS_HARDWARE = """<ros2_control name="arm" type="system"><hardware>
<plugin>maker/RealArm</plugin><param name="robot_ip">172.16.0.2</param></hardware>
</ros2_control><gazebo><plugin filename="other" name="other"/></gazebo></robot>"""


@pytest.mark.parametrize("kind", ["mujoco", "mock"])
def test_hardware_of_the_robots_own_urdf_is_not_exported(panda, kind):
    robot = replace(panda, urdf=panda.urdf.replace("</robot>", OTHERS_HARDWARE))
    if kind == "mock":
        text = mock_files(robot, robot.stance, "position")[URDF]
    else:
        text = robot_description(ExportedArm(robot), Path("robot.xml"), wall=False)
    root = ElementTree.fromstring(text)
    (control,) = root.findall("ros2_control")
    assert control.get("name") == kind and not root.findall("gazebo")
    assert "robot_ip" not in text
