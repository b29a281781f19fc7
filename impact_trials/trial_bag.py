# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Writes the cycles of a trial as the bag that recording its topics would have given."""

from __future__ import annotations

from collections import deque
from pathlib import Path
from types import TracebackType
from typing import Any

import numpy as np
from rosbags.typesys.store import Typestore

from impact_bags import BagWriter
from impact_detector.attribution.expectation import Announcement
from impact_detector.signals.sample import NANOSECONDS, ForceSample
from impact_robots.robot import Robot
from impact_robots.surface import Surface
from impact_sim.simulation import CYCLE_NS
from impact_trials.lockstep import Cycle, forces

STATE = "sensor_msgs/msg/JointState"
WRENCH = "geometry_msgs/msg/WrenchStamped"
BATCH = "impact_msgs/msg/WrenchBatch"
ANNOUNCEMENT = "impact_msgs/msg/ImpactAnnouncement"
_NO_SURFACE = Surface(None, (0.0, 0.0, 1.0))  # of an announcement that withdraws
LEAD = 0.6  # before the event, at most [s]


class TrialBag:
    """One bag, a context manager: joint states, desired ones and forces.

    What comes before the trial's event (the touch) is kept back and cut to the last ``LEAD``.
    After an exception the bag is unfinished.
    """

    def __init__(self, path: Path, robot: Robot, typestore: Typestore, *, forces: bool) -> None:
        """Say where to write.

        Args:
            path: Folder to make.
            robot: whose joints are recorded.
            typestore: with impact_msgs; the same may serve many bags.
            forces: record the force sensor too.
        """
        self._writer, self._types = BagWriter(path, typestore), typestore.types
        self._robot, self._forces = robot, forces
        self._before: deque[Cycle] = deque(maxlen=round(LEAD * NANOSECONDS / CYCLE_NS))
        self._latched: Announcement | None = None  # the last one of what was cut

    def __enter__(self) -> TrialBag:
        """Make the folder.

        Raises:
            RecordingError: it is there, or cannot be made.
        """
        self._writer.__enter__()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Finish the recording, or leave it recognisably unfinished."""
        if kind is None:
            self._flush()
        self._writer.__exit__(kind, error, trace)

    def add(self, cycle: Cycle, event: bool) -> None:
        """Take a cycle; ``event`` says whether the trial's event has come by now."""
        if not event:
            if len(self._before) == self._before.maxlen:
                self._latched = self._before[0].answer.announcement or self._latched
            self._before.append(cycle)
            return
        self._flush()
        self._write(cycle)

    def _flush(self) -> None:
        if self._before and self._latched is not None:
            self._write_announcement(self._latched, self._before[0].time)
            self._latched = None
        while self._before:
            self._write(self._before.popleft())

    def _write(self, cycle: Cycle) -> None:
        measured, answer = cycle.measurement, cycle.answer
        if self._forces:
            for topic, sample in forces(measured):
                kind, message = self._force(topic, sample)
                self._writer.write(f"/{topic}", kind, message, sample.time)
        self._write_state("/joint_states", cycle.time, measured.q, measured.dq, measured.tau)
        desired = np.empty(0), answer.velocity, answer.reference_torque  # no positions
        self._write_state("/impact_qp/desired_joint_states", cycle.time, *desired)
        if answer.announcement is not None:
            self._write_announcement(answer.announcement, cycle.time)

    def _write_state(self, topic: str, time: int, *values: np.ndarray) -> None:
        """Write position, velocity and effort, each of shape (n,) or empty."""
        names = list(self._robot.joint_names)
        message = self._types[STATE](self._header(time), names, *values)
        self._writer.write(topic, STATE, message, time)

    def _write_announcement(self, said: Announcement, time: int) -> None:
        """Write what was announced, at a time that may be later [ns]."""
        surface = said.surface or _NO_SURFACE
        point, vector = (
            self._types[f"geometry_msgs/msg/{name}"](*values)
            for name, values in (("Point", said.offset), ("Vector3", surface.normal.tolist()))
        )
        contact = self._types["impact_msgs/msg/Contact"](
            said.frame, point, vector, *surface.middle, *surface.uncertainty
        )
        message = self._types[ANNOUNCEMENT](
            self._header(said.time, self._robot.base_frame),
            said.withdrawn,
            contact,
            self._stamp(said.start),
            self._stamp(said.end or 0),
        )
        self._writer.write("/impact_qp/announcement", ANNOUNCEMENT, message, time)

    def _force(self, topic: str, sample: ForceSample) -> tuple[str, Any]:
        """Return type and message of force samples."""
        header = self._header(sample.time, self._robot.base_frame)
        if topic == "wrench_batch":
            period = sample.period / NANOSECONDS
            return BATCH, self._types[BATCH](header, period, sample.force.ravel(), np.zeros(0))
        vector = self._types["geometry_msgs/msg/Vector3"]
        force = vector(*sample.force[0].tolist())
        wrench = self._types["geometry_msgs/msg/Wrench"](force, vector(0.0, 0.0, 0.0))
        return WRENCH, self._types[WRENCH](header, wrench)

    def _header(self, time: int, frame: str = "") -> Any:
        return self._types["std_msgs/msg/Header"](self._stamp(time), frame)

    def _stamp(self, time: int) -> Any:
        return self._types["builtin_interfaces/msg/Time"](*divmod(time, NANOSECONDS))
