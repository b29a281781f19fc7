# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""A hit of the Franka loop as a recording on disk, as of the node's topics."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from impact_bags import BagWriter, impact_typestore
from impact_bags.reading.arm_estimate import TORQUES
from impact_bags.writing.scene import Scene
from impact_bags.writing.suite_messages import CONTROLLER_STATUS, SuiteMessages
from impact_detector.attribution.expectation import Announcement
from impact_detector.estimators.streaming import ImpactEstimator
from impact_detector.signals.sample import JointSample
from impact_drivers.franka.hit_process import HitOutcome
from impact_drivers.franka.loop.loop_cycle import LoopCycle, LoopState, loop_status
from impact_qp.control.command import Command
from impact_qp.control.plan import Plan
from impact_robots.robot import Robot
from impact_sim.driver.arm_driver import CYCLE_NS
from impact_sim.driver.simulation import FORCE_PERIOD_NS, Measurement
from impact_trials.recording.run_bag import (
    ANNOUNCEMENT,
    COMMAND,
    CONTROLLER,
    DESIRED,
    DETECTOR,
    ESTIMATE,
    EVENT,
    STATES,
)


def write_bag(
    path: Path, outcome: HitOutcome, rows: Sequence[Measurement], robot: Robot, plan: Plan
) -> None:
    """Write a hit as a recording, under the topics of the nodes.

    Args:
        path: of the bag's folder.
        outcome: of the hit.
        rows: of measurements.
        robot: the arm, with the names that its joints and links have in ROS.
        plan: of the hit.

    Raises:
        RecordingError: the path exists, or cannot be written.
    """
    cycles = {cycle.time: cycle for cycle in outcome.cycles}
    typestore = impact_typestore()
    with BagWriter(path, typestore) as writer:
        bag, scene = _HitBag(writer, robot, plan), Scene(robot, plan.contact)
        for number, row in enumerate(rows):
            time = row.time_ns
            bag.add_state(time, row.q, row.dq, row.tau)
            if number and len(row.forces):
                first = time - CYCLE_NS + FORCE_PERIOD_NS
                batch = bag.make.wrench_batch(first, FORCE_PERIOD_NS, row.forces)
                writer.write("/wrench_batch", *batch, first)
            if time in cycles:
                bag.add(cycles[time])
            scene.add(time, row.q, row.dq)
        scene.write(writer)


class _HitBag:
    """Writes the node's messages, state by state."""

    def __init__(self, writer: BagWriter, robot: Robot, plan: Plan) -> None:
        self.make = SuiteMessages(writer.typestore, robot.base_frame)
        self._write, self._robot, self._plan = writer.write, robot, plan
        self._names = robot.joint_names
        self._estimator = ImpactEstimator(robot=robot, base_normal=list(plan.contact.normal))
        self._announced: bool | None = None
        self._seen, self._answered = 0, False

    def add_state(self, time: int, q: np.ndarray, dq: np.ndarray, tau: np.ndarray) -> None:
        """Write a state, and the estimate that it completes."""
        self._write(STATES, *self.make.joint_state(time, self._names, q, dq, tau), time)
        estimate = self._estimator.update(JointSample(time, q, dq, tau))
        if estimate is not None:
            made = self.make.estimate(estimate, self._robot, self._robot.base_frame)
            self._write(ESTIMATE, *made, estimate.time)

    def add(self, cycle: LoopCycle) -> None:
        """Write the results of the state that was added last."""
        if cycle.external is not None:
            nothing = cycle.external[:0]
            made = self.make.joint_state(cycle.time, self._names, nothing, nothing, cycle.external)
            self._write(f"/{TORQUES}", *made, cycle.time)
        if cycle.status is not None:
            self._write(DETECTOR, *self.make.detector_status(cycle.status), cycle.time)
        self._add_announcement(cycle)
        self._add_event(cycle)
        if cycle.state is LoopState.CHANGING:
            return
        if cycle.answer is not None:
            self._add_answer(cycle, cycle.answer)
        if cycle.answer is not None or self._answered:  # or it was stopped
            self._add_status(cycle)
        self._answered = cycle.answer is not None

    def _add_answer(self, cycle: LoopCycle, answer: Command) -> None:
        if cycle.sent is not None:
            made = self.make.command(cycle.time, self._robot, cycle.sent)
            self._write(COMMAND, *made, cycle.time)
        desired = answer.velocity[:0], answer.velocity, answer.reference_torque  # no positions
        made = self.make.joint_state(cycle.time, self._names, *desired)
        self._write(DESIRED, *made, cycle.time)

    def _add_status(self, cycle: LoopCycle) -> None:
        """Write the controller's status; without an answer there is no command."""
        kind, limits = self.make.types[CONTROLLER_STATUS], self._plan.impact_limits
        fields = loop_status(kind, cycle, limits, idle=cycle.begun == 0)
        made = self.make.message(CONTROLLER_STATUS, cycle.time, "", fields)
        self._write(CONTROLLER, *made, cycle.time)

    def _add_announcement(self, cycle: LoopCycle) -> None:
        """Write the announcement, if it has changed."""
        due = cycle.answer is not None and cycle.answer.due
        if due is self._announced:
            return
        self._announced = due
        said = Announcement(cycle.time)
        if due:
            frame = self._robot.contact_frame
            said = Announcement(cycle.time, self._plan.contact, start=cycle.time, frame=frame)
        self._estimator.announce(said)
        self._write(ANNOUNCEMENT, *self.make.announcement(said), cycle.time)

    def _add_event(self, cycle: LoopCycle) -> None:
        """Write the detection that came with this state, if any."""
        found = cycle.detection if cycle.detections > self._seen else None
        self._seen = cycle.detections
        if found is None:
            return
        self._estimator.start(found)
        made = self.make.event(found, self._estimator.assess(found))
        self._write(EVENT, *made, found.detection_time)
