# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Writes the cycles of a grab as a bag, on the topics of a robot with a free base."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from rosbags.typesys.store import Typestore

from impact_bags import BagWriter
from impact_bags.writing.message_maker import Made
from impact_bags.writing.suite_messages import GRAB, SuiteMessages
from impact_bags.writing.writer import Tap
from impact_qp.control.status import Counts
from impact_robots.description.loader import load_robot
from impact_robots.state.quaternions import quaternion_wxyz
from impact_robots.task.palm_task import PALMS, PERIOD
from impact_ros.messages import NANOSECONDS
from impact_sim.driver.simulation import START_NS
from impact_sim.humanoid.grab_scenario import GrabScenario
from impact_sim.humanoid.model import box_name
from impact_trials.grab.grab_cycle import GrabCycle
from impact_trials.recording.cell_bag import WORLD

DESIRED, COMMAND = "/impact_qp/desired_joint_states", "/impact_qp/command"
STATUS, PROGRESS = "/impact_qp/status", "/impact_humanoid/grab"


class GrabBag(BagWriter):
    """One bag: measured joints and base, forces, boxes, and the command for the state before.

    It equals a recording of the nodes' topics, except for the first state and computation times,
    which are unknown here: the same trial gives the same bag.
    """

    def __init__(
        self, path: Path, scenario: GrabScenario, typestore: Typestore, *, tap: Tap | None = None
    ) -> None:
        """Open the bag.

        Args:
            path: folder to make.
            scenario: of the grab.
            typestore: with impact_msgs; may be shared by many bags.
            tap: called with each recorded message.
        """
        super().__init__(path, typestore, tap=tap)
        self._make, self._limits = SuiteMessages(typestore, WORLD), scenario.impact_limits
        robot = self._robot = load_robot(scenario.robot)
        self._sizes = [scenario.box_size for _ in scenario.box_masses]
        self._soles = [each.name for each in robot.contacts if each.half_extents is not None]
        self._begun, self._counts = False, Counts()

    def add(self, cycle: GrabCycle) -> None:
        """Write a cycle; forces are the world's on the robot, in the world's axes."""
        time, make = START_NS + round(cycle.time * NANOSECONDS), self._make
        if not self._begun:
            self._begun = True
            for number, size in enumerate(self._sizes):
                name = box_name(number)
                self._put(f"/{name}_size", make.size(START_NS, name, np.array(size)), START_NS)
        self._add_answer(cycle, time - round(PERIOD * NANOSECONDS))
        names, (_, q, v, forces) = self._robot.joint_names, cycle.measured
        self._put("/joint_states", make.joint_state(time, names, q[7:], v[6:], cycle.torque), time)
        self._put("/odom", make.odometry(time, WORLD, self._robot.base_frame, q[:7], v[:6]), time)
        for palm, force in zip(PALMS, forces, strict=True):
            self._put(f"/{palm}/wrench", make.wrench(time, force), time)
        for sole, wrench in zip(self._soles, cycle.soles, strict=True):
            self._put(f"/{sole}/wrench", make.wrench(time, wrench[:3], wrench[3:]), time)
        for number, box in enumerate(cycle.boxes):
            pose = make.pose(time, WORLD, box.position, quaternion_wxyz(box.rotation))
            self._put(f"/box{number}_pose", pose, time)

    def _add_answer(self, cycle: GrabCycle, time: int) -> None:
        """Write the command for the state of a time [ns]."""
        make, robot, nothing = self._make, self._robot, cycle.positions[:0]
        self._counts.infeasible += cycle.answer.infeasible
        desired = make.joint_state(time, robot.joint_names, cycle.positions, nothing, nothing)
        self._put(DESIRED, desired, time)
        known = {"limits": self._limits, **cycle.answer.status}
        status = make.controller_status(time, self._counts, **known)
        self._put(STATUS, status, time)
        self._put(PROGRESS, make.message(GRAB, time, "", cycle.said.fields), time)
        sent = (cycle.positions, "position") if cycle.sent is None else (cycle.sent, "torque")
        self._put(COMMAND, make.command(time, robot, *sent), time)

    def _put(self, topic: str, made: Made, time: int) -> None:
        self.write(topic, *made, time)
