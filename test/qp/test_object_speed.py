# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""How fast arms may hit a box: what a box that gives way changes, and what the ranges promise."""

from dataclasses import replace

import numpy as np
import pytest

pytest.importorskip("mujoco")

from impact_predictor.joint_load.elastic_arm import elastic_arm
from impact_predictor.joint_load.load import LoadContact, joint_load
from impact_predictor.joint_load.load_case import normal_law
from impact_predictor.joint_load.object_load import CORNERS, FaceContact, ObjectLoad
from impact_predictor.multicontact.contacts import face_points
from impact_qp import Contact, ControlError
from impact_qp.arms.object_hits import box_hit
from impact_qp.limits import RobustImpactLimit
from impact_qp.object_speed import object_speeds
from impact_qp.object_speed.delays import delayed_bound
from impact_qp.object_speed.load_use import LoadUse
from impact_qp.object_speed.robust_use import RobustUse
from impact_qp.object_speed.use import ObjectUse, largest_scale
from impact_qp.object_speed.velocity_use import VelocityUse
from impact_robots import contact_rotation, load_robot
from impact_robots.exceptions import OutOfRangeError
from impact_robots.task.box_task import BoxRanges
from impact_sim.cell.cell_simulation import CellSimulation
from impact_sim.cell.spreading_file import load_spreading
from impact_sim.cell.watched_cell import WatchedCell
from impact_sim.driver.sensors import Noise

ROBOT = load_robot("panda_plate")
SOFT = FaceContact(3e4, 0.2, 0.6)
HEAVY = 1e9  # a wall [kg]


def hit(name="rs_push_catfood_case2", **ranges):
    return box_hit(load_spreading(name), BoxRanges(**ranges))


def load_of(push, mass, contact=SOFT, scale=1.0):
    (load,) = ObjectLoad(push.robots, push.plates, push.body(mass)).loads(contact, scale).values()
    return np.array([load.highest, load.lowest])


def test_a_box_of_endless_mass_is_a_wall():
    push = hit()
    (plate,) = push.plates.values()
    R = contact_rotation(-plate.axes[:, 2])
    law = normal_law(SOFT.stiffness / CORNERS, SOFT.restitution, 0.7)
    contacts = []
    for corner in face_points(plate.center, plate.axes, plate.half_extents):
        J = np.ascontiguousarray(R.T @ plate.arm.jacobian(corner)[:3])
        contacts.append(LoadContact(J, J @ plate.arm.velocity(), law, SOFT.friction))
    wall = joint_load(elastic_arm(ROBOT, plate.arm.state.robot_state), contacts)
    found = load_of(push, HEAVY)
    np.testing.assert_allclose(found, [wall.highest, wall.lowest], rtol=2e-3, atol=2e-3)
    assert np.abs(load_of(push, 0.6)).max() < 0.5 * np.abs(found).max()  # a light one gives way


def test_only_the_relative_velocity_loads_the_joints():
    """The box comes as fast as the arm did; loads are proportional to that."""
    push = hit()
    (plate,) = push.plates.values()
    velocity = plate.arm.jacobian(plate.center)[:3] @ plate.arm.velocity()
    coming = replace(push, velocity=-velocity)
    found = load_of(coming, 1.3, scale=0.0)
    np.testing.assert_allclose(found, load_of(push, 1.3), rtol=1e-2, atol=1e-2)
    half = load_of(push, 1.3, scale=0.5)
    np.testing.assert_allclose(half, 0.5 * load_of(push, 1.3), rtol=1e-3, atol=1e-4)


def test_against_a_wall_robust_is_the_controllers_limit():
    push = hit(mass=(HEAVY, HEAVY), friction=(0.3, 0.3))
    (plate,) = push.plates.values()
    contact = Contact(plate.center, -plate.axes[:, 2], 0.3, (0.0, 0.3))
    speed = RobustImpactLimit(ROBOT, contact).speed_bound(plate.arm.state).speed
    scale = largest_scale(RobustUse(push)).scale
    assert scale * 0.7 == pytest.approx(speed, rel=1e-3)


def test_the_published_limit_of_boxes_is_that_of_the_specification():
    """Robust: parcel .41, catfood .22, juice .16, symmetric grab .044 m/s (another pyramid)."""
    for name, speed in (
        ("rs_push_parcel_case3", 0.41),
        ("rs_push_catfood_case2", 0.22),
        ("rs_push_juice_case1", 0.16),
        ("rs_grab_catfood_case1", 0.044),
    ):
        scenario = load_spreading(name)
        mass = (scenario.box_mass, scenario.box_mass)
        bound = largest_scale(RobustUse(hit(name, mass=mass))).scale * scenario.reference_speed
        assert bound == pytest.approx(speed, rel=0.16)


@pytest.mark.parametrize("use", [RobustUse, LoadUse])
def test_a_heavier_box_is_pushed_more_slowly(use):
    name = "rs_push_juice_case1"
    light, heavy, either = (
        largest_scale(use(hit(name, mass=mass))).scale
        for mass in ((0.6, 0.6), (2.8, 2.8), (0.6, 2.8))
    )
    assert heavy < 0.9 * light
    assert either == pytest.approx(heavy, rel=1e-3)


def test_the_joints_velocities_bound_what_no_load_does():
    bound = object_speeds(hit(), "joint_load").safe
    assert bound.limit == "panda_joint4 velocity"
    assert bound.scale < largest_scale(LoadUse(hit())).scale


def test_from_a_box_that_moves_away_robust_may_be_as_much_faster():
    rest, away, near = (
        largest_scale(RobustUse(hit(velocity=(0.0, vy, 0.0)))).scale * 0.7
        for vy in (0.0, -0.05, 0.05)
    )
    assert away - rest == pytest.approx(0.05, abs=2e-4)
    assert rest - near == pytest.approx(0.05, abs=2e-4)
    coming = RobustUse(hit(velocity=(0.0, 0.5, 0.0)))
    assert largest_scale(coming) == (0.0, "panda_joint6 impulsive torque")


def test_a_box_that_comes_at_the_arms_is_grabbed_more_slowly():
    still, coming = (
        largest_scale(LoadUse(hit("rs_grab_safe", velocity=v), joint_ranges="nominal"))
        for v in ((0.0, 0.0, 0.0), (0.0, 0.3, 0.0))
    )
    assert 0.0 < coming.scale < still.scale


def test_every_box_in_the_ranges_keeps_the_limits():
    """Drawn from the inside, with joints drawn inside their ranges."""
    grab = hit("rs_grab_catfood_case1")
    use, random = LoadUse(grab), np.random.default_rng(3)
    bound = largest_scale(use)
    assert use.used(bound.scale).max() == pytest.approx(1.0, abs=2e-4)
    assert bound.limit in ("left panda_joint6 torque range", "right panda_joint6 torque range")
    low, high = np.array(grab.stiffness)
    worst = 0.0
    for _ in range(25):
        scale = random.uniform([0.7] * 7, [1.3] * 7), random.uniform(0.5, 1.5, 7)
        joints = np.array([*scale, random.uniform(0.9, 1.1, 7)])
        scales, body = dict.fromkeys(grab.plates, joints), grab.body(random.uniform(*grab.mass))
        system = ObjectLoad(grab.robots, grab.plates, body, scales)
        stiffness = np.exp(random.uniform(np.log(low), np.log(high)))
        contact = FaceContact(
            stiffness, random.uniform(*grab.restitution), random.uniform(*grab.friction)
        )
        for name, load in system.loads(contact, bound.scale).items():
            g = grab.plates[name].arm.state.g
            torque = np.maximum(np.abs(g + load.highest), np.abs(g + load.lowest))
            worst = max(worst, (torque / ROBOT.limits.torque_range).max())
    assert 0.5 < worst < 1.0


class _Late(ObjectUse):
    """Used most at 6.2 ms of the first arm's delay, at 1.3 times what it is at once."""

    names = ("load",)

    def __init__(self, delays):
        ((self.name, self.delay),) = delays.items()

    def used(self, scale):
        peak = 0.3 * np.exp(-(((self.delay - 6.2e-3) / 3e-3) ** 2))
        return np.array([scale * (1.0 + (peak if self.name == "left" else 0.0))])


def test_the_worst_delay_is_found_between_those_of_the_grid():
    found = delayed_bound(_Late, ("left", "right"), 1.0)
    assert found.late == "left" and found.delay == pytest.approx(6.2e-3, abs=1e-3)
    assert found.bound.scale == pytest.approx(1.0 / 1.3, rel=0.02)
    assert delayed_bound(_Late, ("left", "right"), np.inf) == found


def test_an_arm_that_is_late_loads_the_first_one_more():
    grab = hit("rs_grab_catfood_case1", mass=(1.3, 1.3), restitution=(0.2, 0.2))
    grab = replace(grab, friction=(0.8, 0.8))
    at_once = LoadUse(grab, joint_ranges="nominal")
    scale = largest_scale(at_once).scale
    late = at_once.delayed({"right": 3e-3})
    assert late.names[int(late.used(scale).argmax())].startswith("left")
    assert late.used(scale).max() > 1.05
    long_after = at_once.delayed({"right": 0.2})  # an arm alone
    alone = LoadUse(grab.only(["left"]), joint_ranges="nominal").used(scale)
    assert long_after.used(scale)[: len(alone)].max() >= alone.max() - 1e-9


def test_robust_grabs_count_with_any_delay():
    """The bound of two plates is that of the coupled set, at most that of both at once."""
    grab = hit("rs_grab_catfood_case1")
    speeds = object_speeds(grab, "robust")
    assert speeds.safe == speeds.delayed.bound
    assert 0.7 < speeds.safe.scale / speeds.together.scale < 1.0
    assert object_speeds(hit(), "robust").delayed is None  # a single arm


def test_a_clamp_force_takes_of_the_range():
    grab = hit("rs_grab_catfood_case1")
    hard = {name: 4.0 * np.asarray(grab.force(name)) for name in grab.plates}
    free = replace(grab, forces=None)
    scales = [
        largest_scale(LoadUse(each, joint_ranges="nominal")).scale
        for each in (free, grab, replace(grab, forces=hard))
    ]
    assert scales[2] == 0.0  # the clamp alone is beyond joint 6's range
    assert scales[0] >= (1.0 - 1e-12) * scales[1] > 0.0


def test_joint_velocities_are_limited_before_and_after():
    push = hit()
    (plate,) = push.plates.values()
    use = VelocityUse(push)
    bound = largest_scale(use)
    fastest = np.abs(plate.arm.velocity() / ROBOT.limits.velocity).max()
    assert bound.scale * fastest <= 0.98 + 1e-9
    assert use.used(bound.scale).max() <= 1.0


class _Bent(ObjectUse):
    names = ("line", "bend")

    def used(self, scale):
        return np.array([0.1 + 0.2 * scale, 0.01 * scale**3])


def test_the_largest_scale_is_where_the_first_limit_is_reached():
    scale, limit = largest_scale(_Bent())
    assert limit == "line"
    assert 4.5 * (1 - 2e-4) <= scale <= 4.5


def test_what_is_no_hit_is_refused():
    with pytest.raises(OutOfRangeError, match="mass: expected low,high"):
        hit(mass=(2.0, 1.0))
    with pytest.raises(OutOfRangeError, match="stiffness: expected finite numbers"):
        hit(stiffness=(1e4, np.inf))
    with pytest.raises(ControlError, match="expected one of joint_load, robust, got 'nominal'"):
        object_speeds(hit(), "nominal")


@pytest.mark.parametrize(
    ("name", "low", "high"),
    [
        ("rs_push_catfood_case2", 1.0, 1.3),
        ("rs_grab_catfood_case1", 0.95, 1.1),
        ("rs_grab_juice_case1", 0.95, 1.1),
    ],
)
def test_the_load_is_that_of_the_plant(name, low, high):
    """Arms left to gravity compensation; what the joint feels that comes nearest to its range.

    The plant's damper is linear: 0.6 of the critical one leaves a free box a quarter of its speed.
    """
    scenario = replace(load_spreading(name), variation={})
    plant = WatchedCell(scenario.layout())
    simulation = CellSimulation(plant, noise=Noise(0.0, 0.0, 0.0, 0.0))
    dq = [np.array(each) for each in scenario.dq_impact]
    begin = [np.array(q) - 2e-3 * v for q, v in zip(scenario.q_impact, dq, strict=True)]
    measured = [simulation.reset(begin, dq)]
    measured += [simulation.step([np.zeros(7)] * len(dq)) for _ in range(34)]
    torques = np.array([[each.tau for each in arms] for arms in measured])
    felt = np.abs(torques - torques[1]).max(axis=0)
    contact = FaceContact(scenario.box_mass * scenario.contact_frequency**2, 0.25, 0.8)
    hits = box_hit(scenario)
    found = ObjectLoad(hits.robots, hits.plates, hits.body(scenario.box_mass)).loads(contact)
    for load, plain in zip(found.values(), felt, strict=True):
        model = np.maximum(load.highest, -load.lowest) / ROBOT.limits.torque_range
        ratio = model.max() / (plain / ROBOT.limits.torque_range).max()
        assert low < ratio < high
