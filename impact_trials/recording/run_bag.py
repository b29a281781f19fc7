# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Writes a run in one process as a bag, identical to a recording of the suite's topics."""

from __future__ import annotations

from impact_bags import BagWriter
from impact_bags.writing.suite_messages import SuiteMessages
from impact_detector.attribution.assessment import Assessment
from impact_detector.signals.sample import Detection
from impact_qp.control.command import Command
from impact_qp.control.state_machine import Fault
from impact_qp.control.status import Counts, command_fields
from impact_robots.robot import Robot
from impact_sim.driver.simulation import FORCE_PERIOD_NS, Measurement
from impact_trials.lockstep import Cycle, forces

STATES, COMMAND = "/joint_states", "/impact_qp/command"
DESIRED, ANNOUNCEMENT = "/impact_qp/desired_joint_states", "/impact_qp/announcement"
CONTROLLER, DETECTOR = "/impact_qp/status", "/impact_detector/status"
EVENT, ESTIMATE = "/impact_detector/impact", "/impact_detector/estimate"


class RunBag:
    """Writes the messages of plant, detector and controller during a run."""

    def __init__(self, writer: BagWriter, robot: Robot, limits: str) -> None:
        """Write to an open bag.

        Args:
            writer: of the bag.
            robot: whose joints are recorded.
            limits: name of the impact limits in force.
        """
        self._write, self._robot, self._limits = writer.write, robot, limits
        self._make = SuiteMessages(writer.typestore, robot.base_frame)
        self._names, self._counts = robot.joint_names, Counts()

    def add(self, cycle: Cycle, command: Command, remark: str, fault: Fault) -> None:
        """Write a cycle: measurement, detection status and command.

        Args:
            cycle: of the lockstep.
            command: the controller's command.
            remark: of the controller, readable text.
            fault: the controller's fault, if any.
        """
        make, write, time = self._make, self._write, cycle.time
        self._add_measurement(cycle.measurement, time)
        write(DETECTOR, *make.detector_status(cycle.status), time)
        self._counts.infeasible += bool(command.relaxed)
        write(COMMAND, *make.command(time, self._robot, command.driver_torque), time)
        desired = command.velocity[:0], command.velocity, command.reference_torque  # no positions
        write(DESIRED, *make.joint_state(time, self._names, *desired), time)
        known = {"fault": fault, "limits": self._limits, **command_fields(command)}
        write(CONTROLLER, *make.controller_status(time, self._counts, remark, **known), time)
        if cycle.answer.announcement is not None:
            write(ANNOUNCEMENT, *make.announcement(cycle.answer.announcement), time)
        for estimate in cycle.estimates:
            frame = self._robot.base_frame
            write(ESTIMATE, *make.estimate(estimate, self._robot, frame), estimate.time)

    def add_event(self, found: Detection, assessment: Assessment) -> None:
        """Write a detection and its assessment."""
        self._write(EVENT, *self._make.event(found, assessment), found.detection_time)

    def _add_measurement(self, measured: Measurement, time: int) -> None:
        """Write the messages of driver and force sensor."""
        make, write = self._make, self._write
        for topic, sample in forces(measured):
            if topic == "wrench_batch":
                made = make.wrench_batch(sample.time, FORCE_PERIOD_NS, sample.force)
            else:
                made = make.wrench(sample.time, sample.force[0])
            write(f"/{topic}", *made, sample.time)
        state = measured.q, measured.dq, measured.tau
        write(STATES, *make.joint_state(time, self._names, *state), time)
