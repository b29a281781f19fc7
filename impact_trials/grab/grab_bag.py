# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Writes the cycles of a grab as a bag, on the topics that a robot with a free base has."""

from __future__ import annotations

from pathlib import Path

from rosbags.typesys.store import Typestore

from impact_bags import BagWriter
from impact_bags.message_maker import Made, MessageMaker
from impact_robots.quaternions import quaternion_wxyz
from impact_robots.robot import Robot
from impact_ros.messages import NANOSECONDS
from impact_sim.simulation import START_NS
from impact_trials.cell_bag import WORLD
from impact_trials.grab.grab_cycle import GrabCycle
from impact_trials.grab.pair import PALMS

DESIRED = "/impact_qp/desired_joint_states"


class GrabBag(BagWriter):
    """One bag: joints and base as measured, what the joints were sent, forces, boxes."""

    def __init__(self, path: Path, robot: Robot, typestore: Typestore) -> None:
        """Say where to write.

        Args:
            path: folder to make.
            robot: with a floating base.
            typestore: with impact_msgs; the same may serve many bags.
        """
        super().__init__(path, typestore)
        self._robot, self._make = robot, MessageMaker(typestore, WORLD)
        self._soles = [each.name for each in robot.contacts if each.half_extents is not None]

    def add(self, cycle: GrabCycle) -> None:
        """Write a cycle; forces are the world's on the robot, in the world's axes."""
        time, make = START_NS + round(cycle.time * NANOSECONDS), self._make
        names, (_, q, v, forces) = self._robot.joint_names, cycle.measured
        self._put("/joint_states", make.joint_state(time, names, q[7:], v[6:], cycle.torque), time)
        nothing = q[:0]
        desired = make.joint_state(time, names, cycle.positions, nothing, nothing)
        self._put(DESIRED, desired, time)
        self._put("/odom", make.odometry(time, WORLD, self._robot.base_frame, q[:7], v[:6]), time)
        for palm, force in zip(PALMS, forces, strict=True):
            self._put(f"/{palm}/wrench", make.wrench(time, force), time)
        for sole, wrench in zip(self._soles, cycle.soles, strict=True):
            self._put(f"/{sole}/wrench", make.wrench(time, wrench[:3], wrench[3:]), time)
        for number, box in enumerate(cycle.boxes):
            pose = make.pose(time, WORLD, box.position, quaternion_wxyz(box.rotation))
            self._put(f"/box{number}_pose", pose, time)

    def _put(self, topic: str, made: Made, time: int) -> None:
        self.write(topic, *made, time)
