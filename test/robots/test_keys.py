# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Only what somebody needs is mandatory, and who needs more says what, in one line."""

from pathlib import Path

import numpy as np
import pytest
import yaml
from other_arms import UR, write_arm

from impact_detector.parameters import DetectorParameters, session_for
from impact_predictor import predict
from impact_qp import Contact, ImpactController, Plan
from impact_robots import ArmDynamics, RobotError, Surface, load_robot
from impact_robots.description.keys import BY_NAME, KEYS, LOADING, as_markdown, needed_by
from impact_sim import Simulation

FULL = {key.name for key in KEYS} - {"joint_prefix", "assumed", "inertias_identified_as_a_set"}
FULL -= {"position_lower", "position_upper", "velocity", "torque"}  # which the URDF has
FULL -= {"velocity_noise", "torque_noise", "torque_range", "force_limits"}
FULL -= {"joint_stiffness_range", "joint_damping_range", "motor_inertia_range"}
FULL -= {"loop_damping_time", "servo_stiffness", "servo_damping"}
FULL -= {"coulomb_friction", "viscous_friction"}
FULL -= {
    "limits_beyond_urdf",
    "flange_speed",
    "payload",
    "base",
    "contacts",
    "passive",
    "springs",
    "loops",
}
MANDATORY = ("name", "urdf", "joints", "base_link")
PAGE = Path(__file__).parents[2] / "doc" / "robot.md"


@pytest.fixture
def written(tmp_path):
    """Write the UR-class arm's files with some keys only, and return the YAML's path."""

    def write(keys, urdf=lambda text: text):
        path = write_arm(tmp_path, UR)
        entries = yaml.safe_load(path.read_text())
        path.write_text(yaml.safe_dump({key: entries[key] for key in keys}))
        file = tmp_path / "ur_class.urdf"
        file.write_text(urdf(file.read_text()))
        return path

    return write


def test_four_keys_are_enough_and_limits_are_the_urdf_s(written):
    robot = load_robot(written(MANDATORY))
    np.testing.assert_array_equal(robot.limits.velocity, UR["velocity"])
    np.testing.assert_array_equal(robot.limits.torque, UR["torque"])
    np.testing.assert_array_equal(robot.limits.position_lower, [-UR["reach"]] * 6)
    np.testing.assert_array_equal(robot.limits.position_upper, [UR["reach"]] * 6)
    assert robot.detection_joints == (3, 4) and robot.contact_frame == "tip"
    assert set(robot.motor_inertias) == {"M"}
    assert set(robot.assumed) == {"tool", "velocity_noise", "torque_noise"}
    assert set(robot.missing) >= set(needed_by("impact_qp")) - {"velocity", "torque"}


def test_the_yaml_wins_over_the_urdf(written):
    path = written(MANDATORY)
    path.write_text(path.read_text() + "velocity: [1, 1, 1, 1, 1, 1]\nposition_upper: 1\n")
    with pytest.raises(RobotError, match="position_upper: expected 6 finite numbers"):
        load_robot(path)
    path.write_text(path.read_text().replace("position_upper: 1", ""))
    np.testing.assert_array_equal(load_robot(path).limits.velocity, np.ones(6))


def test_it_predicts_and_detects_with_them(written):
    robot = load_robot(written(MANDATORY))
    state = ArmDynamics(robot)(np.array(UR["stance"]), np.array([0.1, 0.2, 0, 0, 0, 0]))
    surface = Surface(state.position, -state.velocity, 0.2)
    prediction = predict(state, surface, robot, inertia="M")
    assert np.isfinite(prediction.dq_after).all()
    session_for(DetectorParameters(), robot)


@pytest.mark.parametrize("key", needed_by("impact_qp"))
def test_the_controller_is_not_made_without_a_key_that_it_needs(written, key):
    def without_effort(text):
        return text.replace(' effort="150"', ' effort="0"')

    def without_velocity(text):
        return text.replace(' velocity="3.14"', ' velocity="0"')

    change = {"torque": without_effort, "velocity": without_velocity}.get(key, str)
    robot = load_robot(written(sorted(FULL - {key}), change))
    assert robot.missing == (key,)
    contact = Contact(np.zeros(3), np.array([-1.0, 0.0, 0.0]), 0.2, (0.0, 0.3))
    unit = f" \\[{BY_NAME[key].unit}\\]".replace("^", "\\^") if BY_NAME[key].unit else ""
    expected = f"^robot ur_class: entry '{key}' is missing: impact_qp needs it{unit}$"
    with pytest.raises(RobotError, match=expected):
        ImpactController(robot, Plan(contact))


def test_the_simulation_says_all_that_it_needs(written):
    robot = load_robot(written((*MANDATORY, "acceleration", "jerk", "apparent_motor_inertia")))
    with pytest.raises(RobotError) as caught:
        Simulation(robot)
    assert str(caught.value) == (
        "robot ur_class: entries 'reflected_motor_inertia', 'joint_stiffness', 'joint_damping',"
        " 'driver_compensates_gravity' are missing: impact_sim needs them [kg.m^2, N.m/rad,"
        " N.m.s/rad, -]"
    )


@pytest.mark.parametrize(
    ("command", "said"),
    [
        (("predict",), "entry 'stance' is missing: predict without --q needs it [rad]"),
        (("plan", "--q=0,-1,1,0,0,0"), "'impulsive_torque', 'apparent_motor_inertia' are missing"),
        (("sets", "--q=0,-1,1,0,0,0"), "'apparent_motor_inertia' is missing: sets needs it"),
    ],
)
def test_a_command_says_what_it_needs(written, command, said, refused):
    assert said in refused(command[0], "--robot", written(MANDATORY), *command[1:])


def test_a_robot_that_ships_lacks_nothing():
    robot = load_robot("panda")
    assert not robot.missing and "velocity_noise" not in robot.assumed


def test_keys_that_every_command_needs_are_the_mandatory_ones(written):
    for key in MANDATORY:
        with pytest.raises(RobotError, match=rf"{key}|--urdf"):
            load_robot(written([each for each in MANDATORY if each != key]))
    assert all(LOADING in key.needed_by for key in KEYS if not key.default)


def test_the_documentation_has_the_table():
    assert as_markdown() in PAGE.read_text()


def test_ranges_of_the_joints_are_shares_one_for_all_or_one_each(written):
    path = written(sorted(FULL))
    text = path.read_text()
    np.testing.assert_array_equal(load_robot(path).joint_ranges.stiffness, np.ones((2, 6)))
    path.write_text(text + "assumed: [joint_stiffness]\n")
    wide = load_robot(path).joint_ranges
    np.testing.assert_array_equal(wide.stiffness, np.repeat([[0.7], [1.3]], 6, axis=1))
    np.testing.assert_array_equal(wide.damping, np.ones((2, 6)))
    path.write_text(text + "joint_damping_range: [0.5, [1, 1, 1, 1, 1, 2]]\n")
    damping = load_robot(path).joint_ranges.damping
    np.testing.assert_array_equal(damping, [[0.5] * 6, [1, 1, 1, 1, 1, 2]])


@pytest.mark.parametrize(
    "entry",
    ["[1, 0.5]", "[0, 1]", "0.3", "[1, 2, 3]", "[-1, 1]", "[1, [1, 2]]", "[1, yes]", "[.nan, 1]"],
)
def test_what_is_no_range_is_refused(written, entry):
    path = written(sorted(FULL))
    path.write_text(path.read_text() + f"joint_stiffness_range: {entry}\n")
    with pytest.raises(RobotError, match=r"joint_stiffness_range: expected \[low, high\]"):
        load_robot(path)


def test_limits_of_force_are_read_by_name(written):
    path = written(sorted(FULL))
    text = path.read_text()
    path.write_text(text + "force_limits: {sensor: 500, contact: 140}\n")
    assert load_robot(path).force_limits == (("contact", 140.0), ("sensor", 500.0))
    path.write_text(text + "force_limits: {finger: 500}\n")
    with pytest.raises(
        RobotError, match=r"force_limits.*'finger': expected one of contact, sensor"
    ):
        load_robot(path)
