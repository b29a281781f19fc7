# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""A cell's node over real DDS: two arms, a detector node each, are what one process simulates."""

import numpy as np
import pytest
import yaml

pytest.importorskip("rclpy")

from geometry_msgs.msg import PoseStamped
from rclpy.lifecycle import TransitionCallbackReturn
from rclpy.node import Node
from rclpy.parameter import Parameter
from sensor_msgs.msg import JointState

from impact_detector.box_parameters import box_parameters
from impact_detector.node import DetectorNode
from impact_msgs.msg import ControllerStatus, ImpactEvent
from impact_qp.arms.node import ImpactSpreadingNode
from impact_ros.messages import to_nanoseconds
from impact_ros.node.spin import spin
from impact_ros.qos import LATCHED, RECORD
from impact_sim.cell.node import ImpactCellNode
from impact_sim.driver.simulation import START_NS
from impact_sim.exceptions import ScenarioError
from impact_sim.scenario_choice import find_scenario
from impact_trials.in_process.spreading_trial import spread

ANSWERED = ("impact_detector/status", "impact_qp/desired_joint_states", "impact_qp/command")
TIME_OUT = 90.0  # [s]
SHORT = {"like": "rs_grab_catfood_late", "run_up": 0.25, "after_contact": 0.03}


class Listener(Node):
    """Hears what everybody says of one arm."""

    def __init__(self, context, namespace):
        super().__init__("listener", context=context, namespace=namespace)
        self.states, self.events, self.status = [], [], []
        subscribe = self.create_subscription
        subscribe(JointState, "joint_states", self.states.append, RECORD)
        subscribe(ImpactEvent, "impact_detector/impact", self.events.append, LATCHED)
        subscribe(ControllerStatus, "impact_qp/status", self.status.append, RECORD)


@pytest.fixture(scope="module", params=["by one file", "task, turned cell and world"])
def scenario(request, tmp_path_factory):
    """The scenario's file and itself, and what its controller is given."""
    folder = tmp_path_factory.mktemp("cell")
    if request.param == "by one file":
        files = {"mine": SHORT}
        told = {"scenario": str(folder / "mine.yaml")}
    else:
        robots = {
            name: {"robot": "panda_plate", "base": [0.0, y, 0.0], "yaw": yaw}
            for name, y, yaw in (("front", 0.45, 0.0), ("back", -0.45, 0.3))
        }
        task = {key: SHORT[key] for key in ("like", "run_up")}
        task |= {"box_position": [0.5, 0.0, 0.3], "faces": ["+y", "-y"], "speed": 0.35}
        world = {"task": "task.yaml", "box_mass": 1.5, "box_offset": [0.0, 0.0035, 0.0]}
        files = {"cell": {"robots": robots}, "task": task}
        files["mine"] = world | {"cell": "cell.yaml", "after_contact": SHORT["after_contact"]}
        told = {name: str(folder / f"{name}.yaml") for name in ("task", "cell")}
    for name, entries in files.items():
        (folder / f"{name}.yaml").write_text(yaml.safe_dump(entries, sort_keys=False))
    path = folder / "mine.yaml"
    return path, find_scenario(path), told


@pytest.fixture
def nodes(context, scenario):
    """The cell, the controller of both arms, and a detector and a listener for each arm."""
    path, cell, told = scenario

    def given(values):
        return [Parameter(name, value=value) for name, value in values.items()]

    plant = given({"scenario": str(path), "seed": 3})
    control = given(told | {"lockstep": True})
    made = [
        ImpactCellNode(context=context, parameter_overrides=plant),
        ImpactSpreadingNode(context=context, parameter_overrides=control),
    ]
    for arm, name in enumerate(cell.arm_names):
        values = given(box_parameters(cell.task, arm))
        made.append(DetectorNode(context=context, namespace=name, parameter_overrides=values))
        made.append(Listener(context, name))
    yield made
    for node in made:
        node.destroy_node()


def test_two_arms_over_dds_are_what_one_process_simulates(nodes, scenario):
    plant, controller, listeners, poses = nodes[0], nodes[1], nodes[3::2], []
    listeners[0].create_subscription(PoseStamped, "/box_pose", poses.append, RECORD)
    assert controller.trigger_configure() is TransitionCallbackReturn.SUCCESS
    assert controller.trigger_activate() is TransitionCallbackReturn.SUCCESS
    names = scenario[1].arm_names

    def met():
        topics = [f"/{name}/{topic}" for name in names for topic in ANSWERED]
        told = [
            plant.count_subscribers(topic) and plant.count_publishers(topic) for topic in topics
        ]
        known = [s.get_publisher_count() for each in listeners for s in each.subscriptions]
        return plant.peers >= 3 and all(told) and all(known)

    assert spin(nodes, until=met, timeout=TIME_OUT) == "condition"
    plant.start()
    assert spin(nodes, until=lambda: plant.finished, timeout=TIME_OUT) == "condition"
    assert not plant.failure
    expected = spread(scenario[1], 3)
    last = START_NS + round(expected.log.times[-1] * 1e3) * 1_000_000
    assert START_NS + plant.simulation.time_ns == last

    def told_all():
        return all(to_nanoseconds(each.status[-1].header.stamp) == last for each in listeners)

    assert spin(nodes, until=told_all, timeout=TIME_OUT) == "condition"
    for arm, listener in enumerate(listeners):
        states = {to_nanoseconds(each.header.stamp): each for each in listener.states}
        assert len(states) == len(expected.log.times)
        sensed = np.array([states[time].effort for time in sorted(states)])
        np.testing.assert_array_equal(sensed, np.array(expected.log.torques)[:, arm])
        (found,) = expected.log.detectors[arm].of("velocity_error")
        events = [e for e in listener.events if e.detector == e.DETECTOR_VELOCITY_ERROR]
        assert [to_nanoseconds(e.detection_time) for e in events] == [found.detection_time]
        assert events[0].statistic == found.statistic
        modes = [each.message for each in listener.status]
        commands = expected.answers[arm].commands
        assert modes == [command.mode.value for command in commands]
    forces = [plate.force for plate in plant.plant.plates]
    for ours, theirs in zip(forces, expected.log.plant.plates, strict=True):
        np.testing.assert_array_equal(ours, theirs.force)
    assert poses[-1].pose.position.z == pytest.approx(plant.plant.box.position[2], abs=1e-12)


def test_a_cell_needs_a_scenario_with_a_box(context):
    given = [Parameter("scenario", value="qp_panda_demo")]
    with pytest.raises(ScenarioError, match=r"expected one of rs_push_.*, got 'qp_panda_demo'"):
        ImpactCellNode(context=context, parameter_overrides=given)
