# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Makes the messages of the suite's own nodes for a recording, without ROS."""

from __future__ import annotations

from typing import Any

from impact_bags.writing.message_maker import Made, MessageMaker
from impact_detector.attribution.assessment import Assessment
from impact_detector.estimators.estimate import BY_TORQUE, Estimate
from impact_detector.message_fields import detection_status_fields, estimate_fields, event_fields
from impact_detector.signals.sample import Detection, DetectionStatus
from impact_qp.control.status import Counts, status_fields
from impact_robots.robot import Robot

CONTROLLER_STATUS = "impact_msgs/msg/ControllerStatus"
DETECTOR_STATUS = "impact_msgs/msg/DetectorStatus"
EVENT = "impact_msgs/msg/ImpactEvent"
ESTIMATE = "impact_msgs/msg/ImpactEstimate"
GRAB = "impact_msgs/msg/GrabStatus"


class SuiteMessages(MessageMaker):
    """Makes what controller and detector publish, from the fields that their nodes write."""

    def controller_status(self, time: int, counts: Counts, text: str = "", **known: Any) -> Made:
        """Return the controller's status.

        Args:
            time: of the state that was answered [ns].
            counts: so far.
            text: for people.
            **known: as of :func:`.status_fields`.
        """
        fields = status_fields(self.types[CONTROLLER_STATUS], counts, text, **known)
        return self.message(CONTROLLER_STATUS, time, "", fields)

    def detector_status(self, status: DetectionStatus) -> Made:
        """Return the detector's status, one per state."""
        fields = detection_status_fields(self.types[EVENT], status)
        return self.message(DETECTOR_STATUS, status.time, "", fields)

    def event(self, found: Detection, assessment: Assessment) -> Made:
        """Return the event of a detection."""
        fields = event_fields(self.types[EVENT], found, assessment)
        return self.message(EVENT, found.detection_time, self._frame, fields)

    def estimate(self, estimate: Estimate, robot: Robot, force_frame: str) -> Made:
        """Return the estimate of an impact, whose forces were measured in ``force_frame``."""
        frame = self._frame if estimate.impulse_source == BY_TORQUE else force_frame
        kinds = self.types[ESTIMATE], self.types[EVENT]
        fields = estimate_fields(*kinds, estimate, robot.joint_names)
        return self.message(ESTIMATE, estimate.time, frame, fields)
