# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""What is made of a detection: which link was hit, from where, and was it meant."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from impact_detector.attribution.expectation import TIME, Announcement, Announcements
from impact_detector.attribution.expectation import unexpected_because as judged
from impact_detector.attribution.generalized_impulse import generalized_impulse
from impact_detector.attribution.localization import Location, contact_link, locate
from impact_detector.exceptions import DetectorError, EstimateError
from impact_detector.signals.buffers import JointRecord
from impact_detector.signals.sample import Detection
from impact_robots import Robot, RobotError, Surface


@dataclass(frozen=True)
class Assessment:
    """What is known about an impact besides its time."""

    location: Location = field(default_factory=Location)
    expected: bool | None = None  # None: nobody announces impacts, or it cannot be told
    reason: str = ""  # why it was not expected: TIME, PLACE, DIRECTION or SIZE


class Assessor:
    """Remembers what was announced, and compares with it what the joints have felt."""

    def __init__(self, robot: Robot) -> None:
        """Assess impacts of ``robot``."""
        self._robot = robot
        self._announcements = Announcements()
        self._points = {("", (0.0, 0.0, 0.0)): robot}  # robots with their contact points

    def announce(self, announcement: Announcement) -> None:
        """Take an announcement.

        Raises:
            DetectorError: its contact point is none of the robot's.
        """
        point = (announcement.frame, announcement.offset)
        if point not in self._points:
            try:
                robot = self._robot.with_contact(announcement.frame or self._robot.contact_frame)
                if any(announcement.offset):
                    robot = robot.with_contact(robot.contact_frame, announcement.offset)
            except RobotError as error:
                raise DetectorError(f"announcement: {error}") from None
            self._points[point] = robot
        self._announcements.add(announcement)

    def restart(self, time: int) -> None:
        """Forget what was announced after ``time`` [ns], to which time has jumped back."""
        self._announcements.restart(time)

    def announced(self, detection: Detection) -> tuple[Surface | None, Robot]:
        """Return the surface announced for then, if any, and the robot with that contact."""
        announcement = self._announcements.at(detection.impact_time)
        if announcement is None:
            return None, self._robot
        return announcement.surface, self._points[announcement.frame, announcement.offset]

    def __call__(self, detection: Detection, joints: JointRecord, until: int) -> Assessment:
        """Return what the samples up to ``until`` [ns] say about a detection."""
        surface, robot = self.announced(detection)
        unmeant = self._announcements.known(detection.impact_time) and surface is None
        kept = joints.time <= until
        try:
            impulse = generalized_impulse(
                robot,
                joints.since(detection.detection_time)[kept],
                joints.q[kept],
                joints.dq[kept],
                joints.tau[kept],
                0.0,
            )
        except EstimateError:
            return Assessment(expected=False, reason=TIME) if unmeant else Assessment()
        announcement = self._announcements.at(detection.impact_time)
        location = self._named(locate(robot, impulse), announcement)
        if surface is None:
            return Assessment(location, *((False, TIME) if unmeant else (None, "")))
        if not location.link:  # too little to be told from noise
            return Assessment(location)
        reason = judged(surface, impulse)
        return Assessment(location, not reason, reason)

    def _named(self, location: Location, announcement: Announcement | None) -> Location:
        """Return a location whose contact is called what the announcement calls it."""
        if not location.contact or announcement is None:
            return location
        return replace(location, contact=announcement.frame or self._robot.contact_frame)


def is_elsewhere(assessment: Assessment, robot: Robot) -> bool:
    """Tell whether another link was hit than the one with the robot's contact point."""
    return assessment.location.link not in ("", contact_link(robot))
