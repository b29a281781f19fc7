# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""What a recording shows in Foxglove and RViz: links, wall and impulses."""

import numpy as np
import pytest

from impact_bags import BagReader, BagWriter
from impact_bags.writing.scene import PERIOD, Scene
from impact_robots import ArmDynamics, load_robot
from impact_robots.state.contact_frame import contact_rotation
from impact_sim.driver.simulation import START_NS
from impact_sim.scenarios import load_scenario


@pytest.fixture(scope="module")
def seen(tmp_path_factory):
    """Robot, surface, states and the messages of the scene by topic, of an arm that approaches."""
    robot, scenario = load_robot("panda"), load_scenario("qp_panda_demo")
    surface, q = scenario.surface(robot), scenario.start(robot)
    dynamics = ArmDynamics(robot)
    scene, states = Scene(robot, surface), []
    for cycle in range(100):
        state = dynamics(q, np.zeros(7))
        dq = np.linalg.pinv(state.J[:3]) @ (-0.1 * np.asarray(surface.normal))
        states.append((START_NS + cycle * 1_000_000, q, dq))
        scene.add(*states[-1])
        q = q + 1e-3 * dq
    path = tmp_path_factory.mktemp("scene") / "bag"
    with BagWriter(path) as writer:
        scene.write(writer)
    heard = {}
    with BagReader(path) as bag:
        for topic, _, message in bag.messages(list(bag.topics)):
            heard.setdefault(topic, []).append(message)
    return robot, surface, states, heard


def rotation(turn):
    """Rotation matrix of a quaternion."""
    x, y, z, w = turn.x, turn.y, turn.z, turn.w
    axis = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
    return np.eye(3) + 2 * w * axis + 2 * axis @ axis


def test_links_are_where_the_model_has_them(seen):
    robot, _, states, heard = seen
    assert len(heard["/tf"]) == len(states) * 1_000_000 // PERIOD
    dynamics, shown = ArmDynamics(robot), states[:: PERIOD // 1_000_000]
    for message, (time, q, _) in zip(heard["/tf"], shown, strict=True):
        (flange,) = [each for each in message.transforms if each.child_frame_id == "panda_link8"]
        header, pose = flange.header, flange.transform
        assert header.frame_id == "panda_link0"
        assert header.stamp.sec * 1_000_000_000 + header.stamp.nanosec == time
        at = pose.translation
        reach = dynamics.position(q) - np.array([at.x, at.y, at.z])
        along = rotation(pose.rotation).T @ reach
        assert along[:2] == pytest.approx([0.0, 0.0], abs=1e-6) and along[2] > 0.0
    assert heard["/robot_description"][0].data == robot.urdf


def test_the_wall_is_the_surface_in_every_message(seen):
    _, surface, _, heard = seen
    messages = heard["/impact_predictor/markers"]
    walls = [each for message in messages for each in message.markers if each.ns == "wall"]
    assert len(walls) == len(messages)
    for wall in walls:
        place = wall.pose.position
        behind = np.array([place.x, place.y, place.z]) - surface.point
        assert behind @ surface.normal == pytest.approx(-0.5 * wall.scale.z)
        assert rotation(wall.pose.orientation) == pytest.approx(contact_rotation(surface.normal))


def test_the_impulses_are_drawn_while_the_arm_approaches(seen):
    *_, heard = seen
    sets = [
        each
        for message in heard["/impact_predictor/markers"]
        for each in message.markers
        if each.ns == "impulse_set"
    ]
    assert len(sets) == len(heard["/tf"])
    assert all(each.action == each.ADD and len(each.points) > 8 for each in sets)


def test_of_no_states_nothing_is_written(tmp_path):
    robot, scenario = load_robot("panda"), load_scenario("qp_panda_demo")
    with BagWriter(tmp_path / "bag") as writer:
        Scene(robot, scenario.surface(robot)).write(writer)
        assert not writer.topics
