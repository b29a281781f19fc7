# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""`hit --tool`: the fake FR3 strikes within its collision thresholds."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("franky_sim", reason="the FR3's URDF is in franky-sim")

from impact_cli.command_line import run
from impact_drivers.fake_fr3.strike_setup import StrikeSetup
from impact_drivers.franka.arm.fr3_model import load_fr3
from impact_drivers.franka.arm.settings import ArmSettings
from impact_drivers.franka.strike_need import observed_strike, strike_need
from impact_drivers.franka.strike_order import StrikeOrder
from impact_predictor.exceptions import PredictionError
from impact_predictor.strike.strike_case import StrikeCase
from impact_predictor.strike.strike_plan import plan_strike
from impact_predictor.strike.surface_cases import middle_surface
from impact_qp.control.phases import Phase
from impact_qp.control.plan import Plan
from impact_qp.exceptions import ControlError
from impact_qp.limits import Contact
from impact_robots.dynamics import ArmDynamics
from impact_robots.kinematics import inverse_kinematics
from impact_robots.tools.strike_file import read_target, read_tool

PAGE = (Path(__file__).parents[2] / "doc" / "hitting_hardest.md").read_text()
RUN_UP = 0.1  # [m]
POSE = np.array([0.2147, 0.0538, -0.2143, -2.3784, 0.0175, 2.4309, 0.0])


def block(word):
    """The page's YAML with a word."""
    found = [each.split("```")[0] for each in PAGE.split("```yaml\n")[1:]]
    return next(each for each in found if word in each)


def null_space(dynamics, q):
    """Joint velocities, of norm 1, that move no head, shape (7,)."""
    return np.linalg.svd(dynamics(q, np.zeros(7)).J)[2][-1]


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    folder = tmp_path_factory.mktemp("files")
    for name, word in (("hammer", "handle:"), ("tack", "[30, 60]")):
        (folder / f"{name}.yaml").write_text(block(word))
    return folder / "hammer.yaml", folder / "tack.yaml"


@pytest.fixture(scope="module")
def plan(files):
    tool, target = read_tool(files[0]), read_target(files[1])
    return plan_strike(load_fr3(), tool, target, POSE)


def test_thresholds_of_a_strike_leave_each_joint_in_its_range(plan):
    settings = ArmSettings(raise_thresholds=True)
    found = observed_strike(plan, settings, highest=plan.speed)
    assert 0.2 < found.speed < 0.8 * plan.speed
    needed, low = settings.raised_for(found.need).torque, settings.low_thresholds.torque
    robot = plan.striker.robot
    room = robot.limits.torque_range - np.abs(plan.striker.point(plan.striker.tool.mass[1]).g)
    assert ((needed <= room) | (needed <= low)).all() and (needed / room).max() > 0.9
    faster = settings.raised_for(strike_need(plan, 1.1 * found.speed)).torque
    assert ((faster > room) & (faster > low)).any()
    assert observed_strike(plan, settings, highest=0.1).speed == 0.1
    with pytest.raises(PredictionError, match=r"none of 0\.02 m/s or more"):
        observed_strike(plan, settings, highest=0.0)


def test_a_joint_whose_range_gravity_fills_allows_no_strike(plan, monkeypatch):
    robot = plan.striker.robot
    narrow = np.array(robot.limits.torque_range)
    narrow[1] = 10.0
    limits = replace(robot.limits, torque_range=narrow)
    monkeypatch.setattr(plan.striker, "robot", replace(robot, limits=limits))
    line = r"^strike: gravity takes \d\d\.\d N\.m of joint 2, expected less than its range of 10\.0"
    with pytest.raises(PredictionError, match=line):
        observed_strike(plan, ArmSettings(raise_thresholds=True), highest=plan.speed)


def test_a_strike_that_cannot_begin_where_the_arm_is_says_why(files):
    order = StrikeOrder(read_tool(files[0]), read_target(files[1]), tuple(POSE))
    robot = load_fr3()
    at = ArmDynamics(order.arm(robot))(POSE, np.zeros(7))
    behind = Contact(at.position - 0.01 * at.rotation[:, 2], -at.rotation[:, 2])
    with pytest.raises(ControlError, match="behind what it is to strike"):
        order.controller(robot, Plan(behind, "robust", strike=0.2), 1e-3)
    ahead = Contact(at.position + 0.05 * at.rotation[:, 2], -at.rotation[:, 2])
    assert order.controller(robot, Plan(ahead, "robust", strike=0.2), 1e-3).plan.strike == 0.2


@pytest.mark.parametrize(
    ("options", "line"),
    [
        (("--target", "nail.yaml"), "--target: expected --tool FILE beside it"),
        (("--tool", "no.yaml"), "no file no.yaml"),
        (("172.16.0.2", "--tool", "no.yaml"), "--tool: expected no ADDRESS"),
        (("--tool", "no.yaml", "--dry-run"), "--dry-run: expected an ADDRESS too"),
    ],
)
def test_what_does_not_go_with_a_tool_is_one_line(refused, options, line):
    assert line in refused("hit", *options)


@pytest.mark.parametrize(
    ("swing", "speed", "seed"), [(0.33, 0.315, 42), (0.19, 0.286, 51), (0.03, 0.335, 58)]
)
def test_no_joint_swings_on_the_way_back(files, swing, speed, seed):
    """However long an impact is reported: the reference waits for the arm."""
    tool, target = read_tool(files[0]), read_target(files[1])
    robot = load_fr3()
    order = StrikeOrder(tool, target, tuple(POSE))
    arm = order.arm(robot)
    dynamics = ArmDynamics(arm)
    nail = dynamics(POSE, np.zeros(7))
    down = nail.rotation[:, 2]
    above = inverse_kinematics(arm, POSE, -RUN_UP * down)
    turned = above + swing * null_space(dynamics, above)
    start = inverse_kinematics(arm, turned, dynamics.position(above) - dynamics.position(turned))
    case = StrikeCase(tool.nominal, middle_surface(target))
    place, normal = tuple(nail.position.tolist()), tuple((-down).tolist())
    setup = StrikeSetup(tool, case, tuple(start.tolist()), place, normal, speed, seed)
    contact = Contact(nail.position, -down, target.friction, (0.02, 0.6), stiffness=(1e5, 1e7))
    plan = Plan(contact, "joint_load", retract_speed=0.3, strike=speed)
    controller = StrikeOrder(tool, target, setup.start).controller(robot, plan, 1e-3)
    plant = setup.arm().simulation
    state, swung, struck, back = plant.reset(start), 0.0, False, 0
    for _ in range(1200):
        command = controller.update(state.q, state.dq, impact=struck)
        state = plant.step(command.driver_torque)
        struck = struck or command.gap < -1e-3
        if command.phase is Phase.RETRACT:
            back += 1
            swung = max(swung, abs(null_space(dynamics, state.q) @ state.dq))
    assert struck and back > 500
    assert swung < 0.8  # 1.5 to 3.3 rad/s, if the reference does not wait for the arm


@pytest.mark.slow  # three strikes through libfranka: a minute
@pytest.mark.timeout(600)
def test_the_fake_arm_drives_a_tack_as_the_page_says(files, libfranka, capsys, monkeypatch):
    """To a few percent: between strikes its time goes on, and with it the sensors' noise."""
    monkeypatch.chdir(files[0].parent)
    assert run(["hit", "--tool", "hammer.yaml", "--target", "tack.yaml"]) == 0
    said = PAGE.split("| strike | planned m/s |")[1].splitlines()[2:5]
    shown = capsys.readouterr().out.splitlines()
    assert shown[-1].startswith("plan 0.596 m/s") and "allow 0.342 m/s" in shown[-1]
    for line, printed in zip(said, shown[1:4], strict=True):
        number, planned, speed, load, depth = line.strip("| ").split(" | ")
        row = printed.split()
        assert (row[:2], row[5:]) == ([number, planned], ["the", "controller"])
        assert float(row[2]) == pytest.approx(float(speed), rel=0.1)
        assert float(row[3]) == pytest.approx(float(load), abs=0.1)
        assert float(row[4]) == pytest.approx(float(depth), rel=0.15)
