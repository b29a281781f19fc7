# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Node impact_detector: joint states in, impacts out. What it computes is in session.py."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from diagnostic_msgs.msg import DiagnosticArray
from geometry_msgs.msg import WrenchStamped
from rclpy.clock import Clock, ClockType
from rclpy.node import Node
from sensor_msgs.msg import JointState

from impact_detector.parameters import DetectorParameters, session_for, thresholds
from impact_detector.ros.conversion import (
    announcement,
    batch_sample,
    joint_sample,
    reference_values,
    unreadable,
    wrench_sample,
)
from impact_detector.ros.health import HealthMonitor
from impact_detector.ros.messages import (
    diagnostic_message,
    estimate_message,
    event_message,
    status_message,
)
from impact_detector.session import Outcome
from impact_detector.signals.sample import ForceSample, JointSample, all_finite
from impact_msgs.msg import (
    DetectorStatus,
    ImpactAnnouncement,
    ImpactEstimate,
    ImpactEvent,
    WrenchBatch,
)
from impact_robots.exceptions import ImpactError
from impact_ros import qos
from impact_ros.messages import JointReader, from_nanoseconds, to_nanoseconds
from impact_ros.node.checked_callback import checked_callback
from impact_ros.node.main import main_for
from impact_ros.node.throttled_log import ThrottledLog
from impact_ros.parameters import declare
from impact_ros.state_stream import StateStream, StreamedState

DIAGNOSTIC_PERIOD = 1.0  # [s]
_LOG_PERIOD = 5.0  # one line per kind of trouble and this time [s]


class DetectorNode(Node):
    """Detects impacts from joint torques and forces, and estimates what they did.

    Subscribes to `joint_states`, `impact_qp/desired_joint_states` (its effort is the reference
    torque), `wrench`, `wrench_batch` and `impact_qp/announcement`; publishes `~/status` once per
    joint state, `~/impact` and `~/estimate` once per impact, `/diagnostics` once per second.
    """

    PARAMETERS = DetectorParameters

    def __init__(self, **options: Any) -> None:
        """Start the node.

        Args:
            **options: of rclpy's Node, such as context, namespace or parameter_overrides.

        Raises:
            ImpactError: a parameter does not fit.
        """
        super().__init__("impact_detector", **options)
        parameters = declare(self, DetectorParameters)
        self._robot = parameters.load_robot()
        self._session = session_for(parameters, self._robot)
        self._reader = JointReader(self._robot.joint_names)
        self._stream = StateStream()
        self._desired_reader = JointReader(self._robot.joint_names)
        self._frame = ""
        self._force_frames: dict[str, str] = {}  # by the force's topic
        self._newest: int | None = None
        self._health = HealthMonitor(self._now(), self._session.unready)
        self._log = ThrottledLog(self.get_logger(), _LOG_PERIOD)
        self._advertise()
        # Deep queues: an estimate needs every sample, also those that came while it was made.
        self._subscribe(qos.RECORD if parameters.lockstep else qos.RECORD_BEST_EFFORT)

    def _advertise(self) -> None:
        self._status = self.create_publisher(DetectorStatus, "~/status", qos.STREAM)
        self._filled = DetectorStatus()  # each time again, which is faster than a new one
        self._impact = self.create_publisher(ImpactEvent, "~/impact", qos.LATCHED)
        self._estimate = self.create_publisher(ImpactEstimate, "~/estimate", qos.LATCHED)
        self._diagnostics = self.create_publisher(DiagnosticArray, "/diagnostics", qos.STREAM)
        steady = Clock(clock_type=ClockType.STEADY_TIME)  # also while simulated time stands
        self.create_timer(DIAGNOSTIC_PERIOD, self._report, clock=steady)
        self.add_post_set_parameters_callback(self._on_parameters)

    def _now(self) -> int:
        return self.get_clock().now().nanoseconds

    def _report(self) -> None:
        """Publish how well measurements arrive."""
        session = self._session
        health = self._health.report(self._now(), session.dropped, session.troubles.values())
        newest = self._health.newest  # the clock of the states, which may not be the node's
        stamp = from_nanoseconds(self._now() if newest is None else newest)
        name = self.get_fully_qualified_name().lstrip("/")
        self._diagnostics.publish(diagnostic_message(health, name, stamp))

    def _on_parameters(self, changed: list[Any]) -> None:
        """Use thresholds that were changed; their ranges have been checked."""
        for item in changed:
            if (detector := thresholds().get(item.name)) is not None:
                self._session.set_threshold(detector, item.value)
                self.get_logger().info(f"{item.name}: {item.value:g} from now on")

    def _subscribe(self, profile: Any) -> None:
        desired = "impact_qp/desired_joint_states"
        if self._session.needs_references:
            on_desired = self._guarded(desired, self._on_desired)
            self.create_subscription(JointState, desired, on_desired, profile)
        for kind, topic, callback, quality in (
            (JointState, "joint_states", self._on_serialized_state, profile),
            (WrenchStamped, "wrench", self._on_wrench, profile),
            (WrenchBatch, "wrench_batch", self._on_batch, profile),
            (ImpactAnnouncement, "impact_qp/announcement", self._on_announcement, qos.LATCHED),
        ):
            taken = self._guarded(topic, callback)
            self.create_subscription(kind, topic, taken, quality, raw=kind is JointState)

    def _guarded(self, topic: str, callback: Callable[[Any], None]) -> Callable[[Any], None]:
        """Return a callback that drops, counts and names what it cannot use."""
        return checked_callback(self, topic, callback, self._count_unreadable)

    def _count_unreadable(self, _line: str) -> None:
        self._health.unreadable += 1

    def _on_serialized_state(self, data: bytes) -> None:
        self._on_state(self._stream.read(data))

    def _on_state(self, message: JointState | StreamedState) -> None:
        try:
            sample = joint_sample(message, self._reader)
        except ImpactError as error:
            if self._reader.is_foreign(message):
                raise
            sample = unreadable(message, self._reader)  # gets a detection status, too
            self._health.unreadable += 1
            self._log.warning(f"joint_states: {error}", "unreadable")
        else:
            self._warn_about(sample)
        self._frame = message.header.frame_id
        self._health.add(sample.time, self._now())
        self._publish(self._session.add_state(sample))
        if troubles := self._session.troubles:
            self._log.warning("; ".join(troubles.values()), "troubles")

    def _on_desired(self, message: JointState) -> None:
        time, torque, velocity = to_nanoseconds(message.header.stamp), None, None
        try:
            torque, velocity = reference_values(message, self._desired_reader)
        except ImpactError as error:
            self._log.warning(f"desired: {error}", "desired")
        else:
            if torque is None:
                self._log.warning("desired: effort missing or not finite", "reference")
        self._publish(self._session.add_reference(time, torque, velocity))

    def _on_wrench(self, message: WrenchStamped) -> None:
        self._add_force(wrench_sample(message), message.header.frame_id, "wrench")

    def _on_batch(self, message: WrenchBatch) -> None:
        self._add_force(batch_sample(message), message.header.frame_id, "wrench_batch")

    def _add_force(self, sample: ForceSample, frame: str, source: str) -> None:
        self._force_frames[source] = frame
        self._publish(self._session.add_force(sample, source))

    def _on_announcement(self, message: ImpactAnnouncement) -> None:
        self._session.announce(announcement(message))

    def _publish(self, outcome: Outcome) -> None:
        for status in outcome.statuses:
            self._health.judged(status)
            self._status.publish(status_message(status, self._frame, self._filled))
        for detection in outcome.detections:
            assessment = self._session.assess(detection)
            self._impact.publish(event_message(detection, assessment, self._robot.base_frame))
            self.get_logger().info(
                f"impact: {detection.detector} {detection.statistic:.3g}"
                f" > {detection.threshold:.3g}"
            )
        for suppressed in outcome.suppressed:
            self._log.warning(
                f"no impact reported: {suppressed.detector} {suppressed.statistic:.3g}"
                f" > {suppressed.threshold:.3g}, {suppressed.reason}",
                "suppressed",
            )
        for estimate in outcome.estimates:
            names, base = self._robot.joint_names, self._robot.base_frame
            of_force = self._force_frames.get(estimate.force_source, "")
            self._estimate.publish(estimate_message(estimate, names, of_force, base))
            if estimate.unknown:
                self.get_logger().warning(estimate.unknown)

    def _warn_about(self, sample: JointSample) -> None:
        newest, self._newest = self._newest, sample.time
        if newest is not None and sample.time < newest:
            self._log.warning("joint_states: time ran backwards, starting anew", "time")
        columns = {"position": sample.q, "velocity": sample.dq}
        if sample.tau is not None:
            columns["effort"] = sample.tau
        if not all_finite(*columns.values()):
            bad = [name for name, values in columns.items() if not all_finite(values)]
            self._log.warning(f"joint_states: not finite, or too large: {', '.join(bad)}", "finite")
        if sample.tau is None:
            self._log.warning("joint_states: no effort, which most detectors need", "no effort")


main = main_for(DetectorNode)
