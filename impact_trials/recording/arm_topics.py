# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Writes one arm's cycles to a bag, on the topics of its driver, its controller and its sensor."""

from __future__ import annotations

import numpy as np
from rosbags.typesys.store import Typestore

from impact_bags import BagWriter
from impact_bags.writing.message_maker import Made, MessageMaker
from impact_bags.writing.stamped_messages import StampedMessages
from impact_detector.attribution.expectation import Announcement
from impact_detector.signals.sample import ForceSample
from impact_robots.robot import Robot
from impact_sim.driver.arm_driver import CYCLE_NS
from impact_trials.lockstep import Cycle, SpreadState, forces

_NONE = np.empty(0)


class ArmTopics:
    """The topics of one arm in a bag, which may contain other arms."""

    def __init__(
        self,
        writer: BagWriter,
        robot: Robot,
        typestore: Typestore,
        *,
        forces: bool = True,
        namespace: str = "",
    ) -> None:
        """Set up.

        Args:
            writer: of the bag.
            robot: whose joints are recorded.
            typestore: with impact_msgs.
            forces: record the force sensor too.
            namespace: of the arm's topics; may be empty.
        """
        make = self._make = MessageMaker(typestore, robot.base_frame)
        self._write, self._write_raw = writer.write, writer.write_raw
        self._robot, self._forces = robot, forces
        self._prefix = f"/{namespace}/" if namespace else "/"
        names = robot.joint_names
        self._states = StampedMessages(
            typestore, lambda time, *values: make.joint_state(time, names, *values)
        )
        self._wrenches = StampedMessages(typestore, make.wrench)
        self._batches = StampedMessages(
            typestore, lambda time, force: make.wrench_batch(time, CYCLE_NS // len(force), force)
        )

    def write(self, cycle: Cycle) -> None:
        """Write a cycle."""
        time, measured, answer = cycle.time, cycle.measurement, cycle.answer
        if self._forces:
            for topic, sample in forces(measured):
                self._put_raw(topic, self._force(topic, sample), sample.time)
        state = measured.q, measured.dq, measured.tau
        desired = _NONE, answer.velocity, answer.reference_torque  # no positions
        self._put_raw("joint_states", self._states.serialised(time, *state), time)
        topic = "impact_qp/desired_joint_states"
        self._put_raw(topic, self._states.serialised(time, *desired), time)
        if answer.spread is not None:
            self._write_spread(answer.command, answer.spread, time)
        if answer.announcement is not None:
            self.write_announcement(answer.announcement, time)

    def _write_spread(self, command: np.ndarray, spread: SpreadState, time: int) -> None:
        """Write commands, references and feedback of a reference-spreading controller."""
        make = self._make
        self._put("impact_qp/command", make.command(time, self._robot, command), time)
        for topic, velocity in (
            ("impact_qp/ante_reference", spread.ante_velocity),
            ("impact_qp/post_reference", spread.post_velocity),
        ):
            self._put(topic, make.velocity(time, velocity), time)
        feedback = make.acceleration(time, spread.feedback)
        self._put("impact_qp/feedback_acceleration", feedback, time)

    def write_announcement(self, announced: Announcement, time: int) -> None:
        """Write an announcement, at a time that may be later [ns]."""
        self._put("impact_qp/announcement", self._make.announcement(announced), time)

    def _put(self, topic: str, made: Made, time: int) -> None:
        """Write a message to one of the arm's topics."""
        self._write(self._prefix + topic, *made, time)

    def _put_raw(self, topic: str, made: tuple[str, bytes], time: int) -> None:
        """Write a serialised message to one of the arm's topics."""
        self._write_raw(self._prefix + topic, *made, time)

    def _force(self, topic: str, sample: ForceSample) -> tuple[str, bytes]:
        """Return type and bytes of force samples."""
        if topic == "wrench_batch":
            return self._batches.serialised(sample.time, sample.force)
        return self._wrenches.serialised(sample.time, sample.force[0])
