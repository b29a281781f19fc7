# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Writes the cycles of a trial with a box as a bag, identical to a recording of its topics."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from rosbags.typesys.store import Typestore

from impact_bags import BagWriter
from impact_bags.writing.message_maker import MessageMaker
from impact_robots.cell import RobotCell
from impact_robots.state.quaternions import quaternion_wxyz
from impact_sim.cell.cell_plant import BoxState
from impact_trials.lockstep import Cycle
from impact_trials.recording.arm_topics import ArmTopics

BOX_TOPIC, WORLD = "/box_pose", "world"


class CellBag(BagWriter):
    """One bag: the topics of each arm in its namespace, and the box's pose."""

    def __init__(self, path: Path, cell: RobotCell, typestore: Typestore) -> None:
        """Open the bag.

        Args:
            path: folder to make.
            cell: whose arms are recorded.
            typestore: with impact_msgs; may be shared by many bags.
        """
        super().__init__(path, typestore)
        self._arms = [
            ArmTopics(self, each.load(), typestore, namespace=each.name) for each in cell.robots
        ]
        self._make = MessageMaker(typestore, WORLD)

    def add(self, cycles: Sequence[Cycle], box: BoxState, event: bool) -> None:
        """Write the arms' cycles of one instant; the whole trial is recorded."""
        for topics, cycle in zip(self._arms, cycles, strict=True):
            topics.write(cycle)
        time, turned = cycles[0].time, quaternion_wxyz(box.rotation)
        self.write(BOX_TOPIC, *self._make.pose(time, WORLD, box.position, turned), time)
