# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Cells with turned bases, and with arms of several kinds."""

import numpy as np
import pinocchio as pin
import pytest

from impact_detector.box_parameters import box_parameters
from impact_qp.arms.object_hits import box_hit
from impact_qp.arms.plans import guarded_arms
from impact_qp.object_speed import object_speeds
from impact_robots import ArmDynamics, load_robot
from impact_robots.cell import PlacedRobot, robot_named, turned
from impact_robots.exceptions import TaskError
from impact_robots.task.find import find_box_task
from impact_sim.cell.spreading_scenario import SpreadingScenario
from impact_sim.driver.sensors import NO_NOISE
from impact_sim.scenario_choice import find
from impact_trials.in_process.spreading_trial import spread

BASES = np.array([[0.0, 0.45, 0.0], [0.0, -0.45, 0.0]])
BOX = np.array([0.5, 0.0, 0.3])
YAW = np.pi / 2
NEAR = "near: [[-0.3, 0.28, -0.05, -2.2, -1.8, 1.8, -0.7], [0.3, 0.28, 0.05, -2.2, 1.8, 1.8, 0.7]]"
GRAB = """
cell: cell.yaml
box_size: [0.2, 0.16, 0.2]
box_mass: 1.0
speed: 0.2
rise: 0.2
clamp_force: 30.0
detection_threshold: 0.05
impact_limits: joint_load
"""


@pytest.fixture
def written(tmp_path):
    """A function that writes the files of a grab and returns the path of its task."""

    def write(yaws=(0.0, 0.0), about=0.0, kinds=("panda_plate",) * 2, faces="[+y, -y]", near=NEAR):
        turn, folder = turned(about), tmp_path / f"{about}_{yaws[0]}_{yaws[1]}"
        folder.mkdir()
        rows = zip(("front", "back"), kinds, BASES @ turn.T, yaws, strict=True)
        placed = [f"{n}: {{robot: {k}, base: {b.tolist()}, yaw: {y}}}" for n, k, b, y in rows]
        (folder / "cell.yaml").write_text("robots:\n  " + "\n  ".join(placed))
        place = f"box_position: {(turn @ BOX).tolist()}\nbox_yaw: {about}\nfaces: {faces}\n"
        (folder / "grab.yaml").write_text(GRAB + place + near)
        return folder / "grab.yaml"

    return write


@pytest.fixture
def fr3(tmp_path, project_root):
    """The path of an FR3 with a plate, the Panda's links and less torque at joint 6."""
    urdf = project_root / "impact_robots" / "panda.urdf"
    tool = "{parent: link8, mass: 0.4, radius: 0.03, com: [0, 0, 0.07], contact_point: [0, 0, 0.1]}"
    path = tmp_path / "fr3_plate.yaml"
    path.write_text(
        f"like: fr3\nname: fr3_plate\nurdf: {urdf}\njoint_prefix: panda_\ntool: {tool}\n"
        "torque_range: [87, 87, 87, 87, 12, 9, 12]\n"
    )
    return path


@pytest.mark.parametrize("yaw", [0.7, -2.0])
def test_a_turned_robot_is_the_robot_with_its_results_turned(yaw):
    plain, arm = load_robot("panda_plate"), PlacedRobot("a", "panda_plate", yaw=yaw)
    q, dq, turn = plain.stance, np.linspace(-0.3, 0.4, 7), np.array(pin.utils.rotate("z", yaw))
    one, other = ArmDynamics(plain)(q, dq), ArmDynamics(arm.load())(q, dq)
    for name in ("M", "h", "g"):
        np.testing.assert_allclose(getattr(other, name), getattr(one, name), atol=1e-12)
    np.testing.assert_allclose(other.position, turn @ one.position, atol=1e-14)
    np.testing.assert_allclose(other.rotation, turn @ one.rotation, atol=1e-14)
    np.testing.assert_allclose(other.velocity, turn @ one.velocity, atol=1e-14)
    np.testing.assert_allclose(arm.in_base(other.velocity), one.velocity, atol=1e-14)
    assert robot_named("panda_plate", yaw) is arm.load()  # once a process


@pytest.mark.parametrize("yaw", [0.0, 0.7])
def test_a_robot_is_read_again_once_its_yaml_or_urdf_holds_something_else(tmp_path, yaw):
    text, urdf = "like: panda\nname: mine\nurdf: arm.urdf\n", load_robot("panda").urdf
    (tmp_path / "arm.urdf").write_text(urdf)
    (tmp_path / "arm.yaml").write_text(text + "payload: 0.1\n")
    arm = PlacedRobot("left", str(tmp_path / "arm.yaml"), yaw=yaw)
    old = arm.load()
    assert arm.load() is old
    (tmp_path / "arm.yaml").write_text(text + "payload: 3.0\n")  # of the same size
    new = arm.load()
    assert (old.payload, new.payload) == ((0.1, 0.1), (3.0, 3.0))
    (tmp_path / "arm.urdf").write_text(urdf.replace('effort="87"', 'effort="88"'))
    assert arm.load().urdf == urdf.replace('effort="87"', 'effort="88"') != new.urdf
    assert PlacedRobot("right", str(tmp_path / "arm.yaml"), yaw=yaw).load() is arm.load()


def test_a_cell_that_is_turned_as_a_whole_commands_the_same_torques(written):
    straight, about = find_box_task(written()), find_box_task(written((YAW, YAW), YAW))
    for key in ("q_impact", "dq_impact", "q_start"):
        one, other = np.array(getattr(straight, key)), np.array(getattr(about, key))
        np.testing.assert_allclose(other, one, atol=1e-12)
    speeds = [object_speeds(box_hit(each), "joint_load") for each in (straight, about)]
    assert speeds[1].safe.limit == speeds[0].safe.limit
    assert speeds[1].safe.scale == pytest.approx(speeds[0].safe.scale, rel=2e-4)
    pairs = zip(guarded_arms(straight), guarded_arms(about), strict=True)
    for arm, pair in enumerate(pairs):
        q, dq = np.array(straight.q_start[arm]), np.zeros(7)
        for time in np.arange(0.0, 0.5, 0.001):
            one, other = (each.controller.update(time, q, dq) for each in pair)
            scale = np.abs(one.torque).max()
            np.testing.assert_allclose(other.torque, one.torque, atol=1e-12 * scale)


def test_detectors_and_sensors_are_told_in_axes_of_the_base(written):
    straight, about = find_box_task(written()), find_box_task(written((YAW, YAW), YAW))
    for arm in range(2):
        one, other = box_parameters(straight, arm), box_parameters(about, arm)
        assert other["contact_normal"] == pytest.approx(one["contact_normal"], abs=1e-12)
        assert other["robot"] == "panda_plate"


def test_a_cell_that_is_turned_as_a_whole_runs_the_same_way(written):
    runs = [
        spread(find(path, SpreadingScenario), 0, noise=NO_NOISE)
        for path in (written(), written((YAW, YAW), YAW))
    ]
    one, other = (run.log for run in runs)
    assert one.plant.first_contact_time is not None
    assert other.plant.first_contact_time == pytest.approx(one.plant.first_contact_time, abs=1e-4)
    before = int(np.searchsorted(one.times, one.plant.first_contact_time))
    np.testing.assert_allclose(other.torques[:before], one.torques[:before], atol=1e-4)
    turn = turned(YAW)
    moved = [log.boxes[-1].position - log.boxes[0].position for log in (one, other)]
    assert moved[0][2] > 0.05
    np.testing.assert_allclose(moved[1], turn @ moved[0], atol=2e-3)
    for plate, same in zip(other.plant.plates, one.plant.plates, strict=True):
        np.testing.assert_allclose(plate.impulse, turn @ same.impulse, atol=0.02)


def test_a_base_is_turned_as_its_first_joint_is(written):
    """The axis of a Panda's first joint is vertical: it makes up for the yaw, all else is equal."""
    straight = find_box_task(written())
    scenario = find(written((0.0, 0.6), near=NEAR.replace("[0.3,", "[-0.3,")), SpreadingScenario)
    for key in ("q_impact", "q_start"):
        one, other = np.array(getattr(straight, key)), np.array(getattr(scenario, key))
        one[1, 0] -= 0.6
        np.testing.assert_allclose(other, one, atol=1e-8)
    run = spread(scenario, 0)
    same = spread(find(written((0.0, 1e-9)), SpreadingScenario), 0)
    assert run.log.plant.first_contact_time == pytest.approx(
        same.log.plant.first_contact_time, abs=1e-4
    )
    moved = [each.log.boxes[-1].position - each.log.boxes[0].position for each in (run, same)]
    assert moved[1][2] > 0.05
    np.testing.assert_allclose(moved[0], moved[1], atol=2e-3)


def test_arms_of_two_kinds_grab_each_by_its_own_limits(written, fr3):
    path = written(kinds=("panda_plate", fr3))
    scenario, twins = find(path, SpreadingScenario), find_box_task(written((0.0, 1e-12)))
    speeds, of_twins = (object_speeds(box_hit(each), "joint_load") for each in (scenario, twins))
    assert speeds.alone["front"].scale == pytest.approx(of_twins.alone["front"].scale, rel=1e-12)
    assert speeds.alone["back"].scale < 0.95 * of_twins.alone["back"].scale
    assert box_parameters(scenario, 1)["robot"] == str(fr3)
    run = spread(scenario, 0)
    lifted = run.log.boxes[-1].position - run.log.boxes[0].position
    assert lifted[2] > 0.05 and run.log.tilts.max() < 0.1
    assert all(answer.controller.stop is None for answer in run.answers)


def test_a_named_task_does_not_follow_turned_bases(written, tmp_path):
    cell = written((0.5, 0.5)).with_name("cell.yaml")
    with pytest.raises(TaskError, match="cell: expected box_position, faces, speed for turned bas"):
        find_box_task("rs_grab_safe", cell)


@pytest.mark.parametrize("robot", ["cassie", "hrp4"])
def test_only_arms_of_seven_joints_hold_plates(written, robot):
    with pytest.raises(TaskError, match=f"robot: expected arms of 7 joints, got {robot} with "):
        find_box_task(written(kinds=("panda_plate", robot)))
