# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Writes one arm's cycles to a bag, on the topics of its driver, its controller and its sensor."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from rosbags.typesys.store import Typestore

from impact_bags import BagWriter
from impact_bags.writing.bag_file import TopicMessages
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
        self._write_rows = writer.write_rows
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

    def write_many(self, cycles: Sequence[Cycle]) -> None:
        """Write cycles as ``write`` does, one after the other; those that are alike all at once."""
        alike: list[Cycle] = []
        for cycle in cycles:
            if self._is_plain(cycle):
                alike.append(cycle)
                continue
            self._write_alike(alike)
            self.write(cycle)
            alike = []
        self._write_alike(alike)

    def _is_plain(self, cycle: Cycle) -> bool:
        """Return whether a cycle consists of states, and the forces of a whole cycle."""
        answer, began = cycle.answer, cycle.measurement.time_ns > 0
        return began and answer.spread is None and answer.announcement is None

    def _write_alike(self, cycles: Sequence[Cycle]) -> None:
        """Write plain cycles."""
        if not cycles:
            return
        measured, answers = [each.measurement for each in cycles], [each.answer for each in cycles]
        times = np.array([each.time for each in cycles])
        rows: list[TopicMessages] = []
        if self._forces:
            force = np.array([each.forces for each in measured])
            first = times - CYCLE_NS + CYCLE_NS // force.shape[1]
            rows.append(self._batches.rows(self._prefix + "wrench_batch", first, force))
            rows.append(self._wrenches.rows(self._prefix + "wrench", times, force[:, -1]))
        state = [
            np.array(each) for each in zip(*((m.q, m.dq, m.tau) for m in measured), strict=True)
        ]
        rows.append(self._states.rows(self._prefix + "joint_states", times, *state))
        velocity = np.array([each.velocity for each in answers])
        torque = np.array([each.reference_torque for each in answers])
        desired = np.empty((len(times), 0)), velocity, torque
        topic = self._prefix + "impact_qp/desired_joint_states"
        rows.append(self._states.rows(topic, times, *desired))
        self._write_rows(rows)

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
