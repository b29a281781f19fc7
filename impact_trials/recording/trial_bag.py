# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Writes the cycles of a trial as a bag, identical to a recording of its topics."""

from __future__ import annotations

from collections import deque
from pathlib import Path

from rosbags.typesys.store import Typestore

from impact_bags import BagWriter
from impact_detector.attribution.expectation import Announcement
from impact_robots.robot import Robot
from impact_ros.messages import NANOSECONDS
from impact_sim.driver.arm_driver import CYCLE_NS
from impact_trials.lockstep import Cycle
from impact_trials.recording.arm_topics import ArmTopics

LEAD = 0.6  # largest recorded time before the event [s]
BLOCK = 1000  # cycles that are written at once


class TrialBag(BagWriter):
    """One bag: joint states, desired ones and forces.

    Data before the trial's event (contact) are buffered and cut to the last ``LEAD``; those after
    it are written in blocks.
    """

    def __init__(self, path: Path, robot: Robot, typestore: Typestore, *, forces: bool) -> None:
        """Open the bag.

        Args:
            path: Folder to make.
            robot: whose joints are recorded.
            typestore: with impact_msgs; may be shared by many bags.
            forces: record the force sensor too.
        """
        super().__init__(path, typestore)
        self._arm = ArmTopics(self, robot, typestore, forces=forces)
        self._before: deque[Cycle] = deque(maxlen=round(LEAD * NANOSECONDS / CYCLE_NS))
        self._after: list[Cycle] = []
        self._latched: Announcement | None = None  # the last one that was cut

    def add(self, cycle: Cycle, event: bool) -> None:
        """Take a cycle; ``event``: whether the trial's event has happened."""
        if not event:
            if len(self._before) == self._before.maxlen:
                self._latched = self._before[0].answer.announcement or self._latched
            self._before.append(cycle)
            return
        self._after.append(cycle)
        if len(self._after) >= BLOCK:
            self._flush()

    def close(self) -> None:
        """Write the buffered data, and the index.

        Raises:
            WriteError: the file cannot be written; the recording is then unfinished.
        """
        self._flush()
        super().close()

    def _flush(self) -> None:
        cycles = [*self._before, *self._after]
        if self._before and self._latched is not None:
            self._arm.write_announcement(self._latched, self._before[0].time)
            self._latched = None
        self._before.clear()
        self._after.clear()
        self._arm.write_many(cycles)
