# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Publishes the impacts that the loop has detected, and their estimates."""

from __future__ import annotations

from rclpy.node import Node

from impact_detector.estimators.streaming import ImpactEstimator
from impact_detector.ros.conversion import announcement
from impact_detector.ros.messages import estimate_message, event_message
from impact_detector.signals.sample import JointSample
from impact_drivers.franka.loop.loop_cycle import LoopCycle
from impact_drivers.franka.parameters import FrankaParameters
from impact_msgs.msg import ImpactAnnouncement, ImpactEstimate, ImpactEvent
from impact_robots import Robot
from impact_ros.qos import LATCHED


class ImpactReporter:
    """Estimates take milliseconds, so they are made here and not in the arm's cycle."""

    def __init__(self, node: Node) -> None:
        """Create the publishers on ``node``."""
        self._node = node
        self._events = node.create_publisher(ImpactEvent, "impact_detector/impact", LATCHED)
        self._estimates = node.create_publisher(ImpactEstimate, "impact_detector/estimate", LATCHED)

    def begin(self, robot: Robot, settings: FrankaParameters) -> None:
        """Start with an arm, without an impact.

        Raises:
            DetectorError: the settings do not fit.
        """
        self._robot, self._seen = robot, 0
        self._estimator = ImpactEstimator(
            settings.estimate_window,
            method=settings.estimate_method,
            robot=robot,
            base_normal=settings.contact_normal,
        )

    def announce(self, message: ImpactAnnouncement) -> None:
        """Take the controller's announcement."""
        self._estimator.announce(announcement(message))

    def take(self, cycle: LoopCycle) -> ImpactEstimate | None:
        """Take a cycle; return the estimate that it completes, if any. Publishes what is new."""
        detection = cycle.detection if cycle.detections > self._seen else None
        self._seen = cycle.detections
        if detection is not None:
            self._estimator.start(detection)
        estimate = self._estimator.update(JointSample(cycle.time, cycle.q, cycle.dq, cycle.tau))
        base = self._robot.base_frame
        if detection is not None:
            self._events.publish(event_message(detection, self._estimator.assess(detection), base))
            self._node.get_logger().info(
                f"impact: {detection.detector} {detection.statistic:.3g}"
                f" > {detection.threshold:.3g}"
            )
        if estimate is None:
            return None
        message = estimate_message(estimate, self._robot.joint_names, "", base)
        self._estimates.publish(message)
        return message
