# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""A cell's node over real DDS: two arms, a detector node each, are what one process simulates."""

import numpy as np
import pytest
import yaml

pytest.importorskip("rclpy")

from geometry_msgs.msg import PoseStamped
from rclpy.node import Node
from rclpy.parameter import Parameter
from sensor_msgs.msg import JointState

from impact_detector.node import DetectorNode
from impact_detector.signals.sample import Verdict
from impact_msgs.msg import DetectorStatus, ImpactEvent, JointCommand
from impact_robots import load_robot
from impact_ros.messages import fill, from_nanoseconds, to_nanoseconds
from impact_ros.qos import LATCHED, RECORD, STREAM
from impact_ros.spin import spin
from impact_sim.cell.node import ImpactCellNode
from impact_sim.exceptions import ScenarioError
from impact_sim.scenario_choice import find_scenario
from impact_sim.simulation import START_NS, Measurement
from impact_trials.spread_controller import spread_answers
from impact_trials.spreading_trial import detector_values, spread

TIME_OUT = 90.0  # [s]
SHORT = {"like": "rs_grab_catfood_late", "run_up": 0.25, "after_contact": 0.03}


class ArmController(Node):
    """Answers the states of one arm once the verdict on them is there."""

    def __init__(self, context, namespace, answers):
        super().__init__("controller", context=context, namespace=namespace)
        self.answers, self.states, self.verdicts = answers, {}, {}
        self.measured, self.events = [], []
        self.desired = self.create_publisher(JointState, "impact_qp/desired_joint_states", STREAM)
        self.commands = self.create_publisher(JointCommand, "impact_qp/command", STREAM)
        subscribe = self.create_subscription
        subscribe(JointState, "joint_states", self.on_state, RECORD)
        subscribe(DetectorStatus, "impact_detector/status", self.on_verdict, RECORD)
        subscribe(ImpactEvent, "impact_detector/impact", self.events.append, LATCHED)

    def on_state(self, message):
        self.states[to_nanoseconds(message.header.stamp)] = message
        self.answer(to_nanoseconds(message.header.stamp))

    def on_verdict(self, message):
        self.verdicts[to_nanoseconds(message.header.stamp)] = message
        self.answer(to_nanoseconds(message.header.stamp))

    def answer(self, time):
        if time not in self.states or time not in self.verdicts or time in self.measured:
            return
        state, found = self.states[time], self.verdicts[time]
        arrays = [np.array(each) for each in (state.position, state.velocity, state.effort)]
        measurement = Measurement(time - START_NS, *arrays, np.zeros((20, 3)))
        verdict = Verdict(time, found.statistic, found.threshold, found.armed, found.impact)
        answer = self.answers(measurement, verdict)
        self.measured.append(time)
        desired = JointState(name=state.name)
        fill(desired.velocity, answer.velocity)
        fill(desired.effort, answer.reference_torque)
        command = JointCommand(interface=JointCommand.INTERFACE_TORQUE, joint_names=state.name)
        fill(command.values, answer.command)
        for message in (desired, command):
            from_nanoseconds(time, message.header.stamp)
        self.desired.publish(desired)
        self.commands.publish(command)


@pytest.fixture(scope="module")
def scenario(tmp_path_factory):
    path = tmp_path_factory.mktemp("cell") / "mine.yaml"
    path.write_text(yaml.safe_dump(SHORT))
    return path, find_scenario(path)


@pytest.fixture
def nodes(context, scenario):
    """The cell, and a detector and a controller for each arm."""
    path, cell = scenario
    overrides = {"scenario": str(path), "seed": 3}
    given = [Parameter(name, value=value) for name, value in overrides.items()]
    made = [ImpactCellNode(context=context, parameter_overrides=given)]
    answers = spread_answers(cell, load_robot(cell.robot))
    for arm, name in enumerate(cell.arm_names):
        given = [Parameter(key, value=value) for key, value in detector_values(cell, arm).items()]
        made.append(DetectorNode(context=context, namespace=name, parameter_overrides=given))
        made.append(ArmController(context, name, answers[arm]))
    yield made
    for node in made:
        node.destroy_node()


def test_two_arms_over_dds_are_what_one_process_simulates(nodes, scenario):
    plant, controllers, poses = nodes[0], nodes[2::2], []
    controllers[0].create_subscription(PoseStamped, "/box_pose", poses.append, RECORD)

    def met():
        heard = [each.commands.get_subscription_count() for each in controllers]
        watched = [each.desired.get_subscription_count() for each in controllers]
        known = [s.get_publisher_count() for each in controllers for s in each.subscriptions]
        return plant.peers >= 2 and all(heard) and all(watched) and all(known)

    assert spin(nodes, until=met, timeout=TIME_OUT) == "condition"
    plant.start()
    assert spin(nodes, until=lambda: plant.finished, timeout=TIME_OUT) == "condition"
    assert not plant.failure
    expected = spread(scenario[1], 3)
    for arm, controller in enumerate(controllers):
        states = [controller.states[time] for time in sorted(controller.states)]
        assert len(states) == len(expected.log.times)
        sensed = np.array([state.effort for state in states])
        np.testing.assert_array_equal(sensed, np.array(expected.log.torques)[:, arm])
        (found,) = expected.log.detectors[arm].of("velocity_error")
        events = [e for e in controller.events if e.detector == e.DETECTOR_VELOCITY_ERROR]
        assert [to_nanoseconds(e.detection_time) for e in events] == [found.detection_time]
        assert events[0].statistic == found.statistic
    forces = [plate.force for plate in plant.plant.plates]
    for ours, theirs in zip(forces, expected.log.plant.plates, strict=True):
        np.testing.assert_array_equal(ours, theirs.force)
    assert poses[-1].pose.position.z == pytest.approx(plant.plant.box.position[2], abs=1e-12)


def test_a_cell_needs_a_scenario_with_a_box(context):
    given = [Parameter("scenario", value="qp_panda_demo")]
    with pytest.raises(ScenarioError, match="expected one with a box, got 'qp_panda_demo'"):
        ImpactCellNode(context=context, parameter_overrides=given)
