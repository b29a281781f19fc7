# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Assessment of a detection: link that was hit, direction, and whether it was expected."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
import pinocchio as pin

from impact_detector.attribution.expectation import TIME, Announcement, Announcements
from impact_detector.attribution.expectation import unexpected_because as judged
from impact_detector.attribution.generalized_impulse import generalized_impulse
from impact_detector.attribution.localization import Location, contact_link, locate
from impact_detector.exceptions import DetectorError, EstimateError
from impact_detector.signals.buffers import JointRecord
from impact_detector.signals.sample import Detection
from impact_robots import ArmDynamics, ContactPoint, Robot, RobotError
from impact_robots.state.contact_frame import OWN


@dataclass(frozen=True)
class Assessment:
    """Properties of an impact besides its time."""

    location: Location = field(default_factory=Location)
    expected: bool | None = None  # None: no announcements, or undetermined
    reason: str = ""  # why it was not expected: TIME, PLACE, DIRECTION or SIZE


class Assessor:
    """Stores announcements and compares them with the measured joint torques."""

    def __init__(self, robot: Robot) -> None:
        """Assess impacts of ``robot``."""
        self.robot = robot
        self._announcements = Announcements()
        inertias = robot.motor_inertias  # M alone, and with smaller and larger ones
        self._motors = list(inertias.values())[-1] if len(inertias) > 1 else None
        model = robot.model
        self._anywhere = ArmDynamics(robot).state(pin.neutral(model), np.zeros(model.nv))

    def announce(self, announcement: Announcement) -> None:
        """Take an announcement.

        Raises:
            DetectorError: its contact point is none of the robot's.
        """
        try:
            self._anywhere.at(*contact_point(announcement))
        except RobotError as error:
            raise DetectorError(f"announcement: {error}") from None
        self._announcements.add(announcement)

    def restart(self, time: int) -> None:
        """Delete announcements later than ``time`` [ns], after a jump back in time."""
        self._announcements.restart(time)

    def announced(self, detection: Detection) -> Announcement | None:
        """Return the announcement valid at that time, or None."""
        return self._announcements.at(detection.impact_time)

    def __call__(self, detection: Detection, joints: JointRecord, until: int) -> Assessment:
        """Assess a detection by the samples up to ``until`` [ns]."""
        announcement = self.announced(detection)
        unmeant = self._announcements.known(detection.impact_time) and announcement is None
        kept = joints.time <= until
        try:
            impulse = generalized_impulse(
                self.robot,
                joints.since(detection.detection_time)[kept],
                joints.q[kept],
                joints.dq[kept],
                joints.tau[kept],
                0.0,
                contact_point(announcement),
            )
        except EstimateError:
            return Assessment(expected=False, reason=TIME) if unmeant else Assessment()
        location = locate(self.robot, impulse)
        if announcement is None or announcement.surface is None:
            return Assessment(location, *((False, TIME) if unmeant else (None, "")))
        if not location.link:  # not distinguishable from noise
            return Assessment(location)
        reason = judged(announcement.surface, impulse, self._motors)
        return Assessment(location, not reason, reason)


def contact_point(announcement: Announcement | None) -> ContactPoint:
    """Return the announced contact point; the robot's own if nothing was announced."""
    if announcement is None:
        return OWN
    offset = announcement.offset
    return ContactPoint(announcement.frame or None, offset if any(offset) else None)


def is_elsewhere(assessment: Assessment, robot: Robot, contact: ContactPoint) -> bool:
    """Return whether another link was hit than the one with the contact point."""
    return assessment.location.link not in ("", contact_link(robot, contact.frame))
