# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""A node and a recorder without ROS write the same message, from the same fields."""

from dataclasses import replace

import numpy as np
import pytest

pytest.importorskip("rclpy")
pytest.importorskip("rosbags")

from geometry_msgs.msg import PoseStamped, WrenchStamped
from nav_msgs.msg import Odometry
from rclpy.serialization import deserialize_message, serialize_message
from sensor_msgs.msg import JointState

from impact_bags import impact_typestore
from impact_bags.writing.suite_messages import CONTROLLER_STATUS, DETECTOR_STATUS, SuiteMessages
from impact_detector.attribution.expectation import Announcement
from impact_detector.ros.messages import status_message as detector_status_message
from impact_detector.signals.sample import DetectionStatus
from impact_msgs.msg import ControllerStatus, ImpactEvent, WrenchBatch
from impact_qp.control.phases import Phase
from impact_qp.control.plan import Plan
from impact_qp.control.state_machine import Fault
from impact_qp.control.status import Counts
from impact_qp.limits import Contact
from impact_qp.ros.messages import announcement_message, command_message, status_message
from impact_ros.message_fields import (
    constant,
    joint_state_fields,
    odometry_fields,
    pose_fields,
    stamped,
    wrench_batch_fields,
    wrench_fields,
    write,
)
from impact_ros.messages import from_nanoseconds

TIME = 5_000_000_007  # [ns]
KNOWN = {
    "mode": "brake",
    "active_constraints": ["torque: panda_joint2 upper"],
    "slack": 0.25,
    "normal_speed": -0.07,
    "speed_bound": 0.08,
}


def received(types, sent, kind):
    """What a recorder without ROS reads of a message; bytes between fields are anything."""
    return types.deserialize_cdr(serialize_message(sent), kind)


@pytest.mark.parametrize("limits", ["robust", "joint_load", "one of my own"])
@pytest.mark.parametrize("fault", Fault)
def test_a_status_is_the_same(limits, fault):
    counts, types = Counts(missed=3, infeasible=2**40), impact_typestore()
    known = KNOWN | {"limits": limits, "fault": fault}
    kind, made = SuiteMessages(types, "base").controller_status(TIME, counts, "text", **known)
    sent = status_message(counts, "text", from_nanoseconds(TIME), **known)
    assert kind == CONTROLLER_STATUS
    assert repr(received(types, sent, kind)) == repr(made)


@pytest.mark.parametrize("due", [True, False])
def test_an_announcement_is_the_same(panda, due):
    contact = Contact([0.5, 0.0, 0.4], [-1.0, 0.1, 0.2], (0.1, 0.279), (0.0, 0.3), 3.0, 0.018, 1e5)
    sent = announcement_message(panda, Plan(contact), due, from_nanoseconds(TIME))
    said = Announcement(TIME)
    if due:
        said = Announcement(TIME, contact, start=TIME, frame=panda.contact_frame)
    types = impact_typestore()
    kind, made = SuiteMessages(types, panda.base_frame).announcement(said)
    assert repr(received(types, sent, kind)) == repr(made)


@pytest.mark.parametrize("interface", ["torque", "velocity", "position"])
@pytest.mark.parametrize("driver_compensates", [True, False])
def test_a_command_is_the_same(panda, interface, driver_compensates):
    robot = replace(panda, driver_compensates_gravity=driver_compensates)
    values, types = np.linspace(0.1, 0.7, 7), impact_typestore()
    sent = command_message(robot, interface, values, from_nanoseconds(TIME))
    kind, made = SuiteMessages(types, "base").command(TIME, robot, values, interface)
    assert repr(received(types, sent, kind)) == repr(made)
    assert made.includes_gravity is (interface == "torque" and not driver_compensates)


def test_what_drivers_publish_is_the_same():
    types, random = impact_typestore(), np.random.default_rng(0)
    force, moment, twist, forces = (random.normal(size=s) for s in (3, 3, 6, (25, 3)))
    pose = np.array([0.1, 0.2, 0.3, 0.5, -0.5, 0.5, 0.5])
    names, values = ("a", "b"), random.normal(size=(3, 2))
    wxyz, make = np.roll(pose[3:], 1), SuiteMessages(types, "base")
    for message, frame, fields, (kind, made) in (
        (
            JointState(),
            "",
            joint_state_fields(names, *values),
            make.joint_state(TIME, names, *values),
        ),
        (WrenchStamped(), "base", wrench_fields(force), make.wrench(TIME, force)),
        (WrenchStamped(), "base", wrench_fields(force, moment), make.wrench(TIME, force, moment)),
        (
            WrenchBatch(),
            "base",
            wrench_batch_fields(40_000, forces),
            make.wrench_batch(TIME, 40_000, forces),
        ),
        (
            PoseStamped(),
            "world",
            {"pose": pose_fields(pose[:3], pose[3:])},
            make.pose(TIME, "world", pose[:3], wxyz),
        ),
        (
            Odometry(),
            "world",
            odometry_fields("pelvis", pose, twist),
            make.odometry(TIME, "world", "pelvis", pose, twist),
        ),
    ):
        write(message, stamped(TIME, frame, fields))
        recorded = bytes(types.serialize_cdr(made, kind))
        assert deserialize_message(recorded, type(message)) == message


def test_a_detection_status_is_the_same():
    status = DetectionStatus(TIME, 3.0, 15.0, True, False, detector="one of my own")
    types = impact_typestore()
    kind, made = SuiteMessages(types, "base").detector_status(status)
    assert kind == DETECTOR_STATUS
    assert repr(received(types, detector_status_message(status, ""), kind)) == repr(made)


def test_each_phase_and_fault_has_a_constant_of_its_own():
    for prefix, names in (("MODE", Phase), ("FAULT", Fault)):
        codes = {constant(ControllerStatus, prefix, each.value) for each in names}
        assert len(codes) == len(names) and 0 not in codes
    assert constant(ImpactEvent, "DETECTOR", "mine") == ImpactEvent.DETECTOR_UNKNOWN


def test_numbers_that_nobody_knows_are_nan():
    status = status_message(Counts(), "", from_nanoseconds(0))
    numbers = [status.slack, status.normal_speed, status.speed_bound, status.gap]
    assert np.isnan([*numbers, status.solve_time, status.cycle_time]).all()
    assert status.mode == ControllerStatus.MODE_STOPPED
    assert status.fault == ControllerStatus.FAULT_NONE
