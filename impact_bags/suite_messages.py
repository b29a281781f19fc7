# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Makes the messages of the suite's own nodes for a recording, without ROS."""

from __future__ import annotations

from typing import Any

from impact_bags.message_maker import Made, MessageMaker
from impact_detector.attribution.assessment import Assessment
from impact_detector.estimators.estimate import BY_TORQUE, Estimate
from impact_detector.signals.sample import Detection, Verdict
from impact_qp.control.command import Command
from impact_robots.robot import Robot

CONTROLLER_STATUS = "impact_msgs/msg/ControllerStatus"
DETECTOR_STATUS = "impact_msgs/msg/DetectorStatus"
EVENT = "impact_msgs/msg/ImpactEvent"
ESTIMATE = "impact_msgs/msg/ImpactEstimate"
_EXPECTED = {None: "EXPECTED_UNKNOWN", True: "EXPECTED_YES", False: "EXPECTED_NO"}
_UNKNOWN = (float("nan"),) * 3


class SuiteMessages(MessageMaker):
    """Makes what controller and detector publish in lockstep, field by field as their nodes do."""

    def controller_status(
        self, time: int, command: Command | None, limits: str, infeasible: int, text: str
    ) -> Made:
        """Return the controller's status.

        Args:
            time: of the state that was answered [ns].
            command: which answered it; none: nothing is commanded any more.
            limits: name of the impact limits in force.
            infeasible: cycles without a solution so far.
            text: for people.
        """
        kind: Any = self._types[CONTROLLER_STATUS]
        nan = float("nan")
        about: dict[str, Any] = {"mode": kind.MODE_STOPPED, "slack": nan, "normal_speed": nan}
        about |= {"speed_bound": nan, "gap": nan, "active": (), "relaxed": ()}
        if command is not None:
            about = {name: getattr(command, name) for name in about if name != "mode"}
            about["mode"] = getattr(kind, f"MODE_{command.phase.name}")
        return CONTROLLER_STATUS, kind(
            header=self._header(time, ""),
            impact_limits=getattr(kind, f"IMPACT_LIMITS_{limits.upper()}"),
            active_constraints=list(about.pop("active")),
            relaxed_constraints=list(about.pop("relaxed")),
            solve_time=nan,  # the same run gives the same recording
            cycle_time=nan,
            **about,
            infeasible_cycles=infeasible,
            missed_cycles=0,
            dropped_inputs=0,
            message=text,
        )

    def detector_status(self, verdict: Verdict) -> Made:
        """Return the detector's status, one per state."""
        return DETECTOR_STATUS, self._types[DETECTOR_STATUS](
            self._header(verdict.time, ""),
            self._detector(verdict.detector),
            verdict.statistic,
            verdict.threshold,
            verdict.ready,
            verdict.armed,
            verdict.impact,
            verdict.suppressed_count,
            self._stamp(verdict.detection_time or 0),
        )

    def event(self, found: Detection, assessment: Assessment) -> Made:
        """Return the event of a detection."""
        return EVENT, self._types[EVENT](
            header=self._header(found.detection_time, self._frame),
            impact_time=self._stamp(found.impact_time),
            detection_time=self._stamp(found.detection_time),
            detector=self._detector(found.detector),
            statistic=found.statistic,
            threshold=found.threshold,
            **self._assessment(assessment),
        )

    def estimate(self, estimate: Estimate, robot: Robot, force_frame: str) -> Made:
        """Return the estimate of an impact, whose forces were measured in ``force_frame``."""
        source = estimate.impulse_source
        frame = self._frame if source == BY_TORQUE else force_frame
        return ESTIMATE, self._types[ESTIMATE](
            header=self._header(estimate.time, frame),
            impact_time=self._stamp(estimate.impact_time),
            impact_time_std=float(estimate.impact_time_std),
            joint_names=list(robot.joint_names),
            velocity_before=estimate.velocity_before,
            velocity_after=estimate.velocity_after,
            gross_velocity=estimate.gross_velocity,
            velocity_jump=estimate.velocity_jump,
            impulse=self._vector(estimate.impulse),
            impulse_std=float(estimate.impulse_std),
            impulse_source=self._source(source),
            normal_impulse=estimate.normal_impulse,
            peak_force=float(estimate.peak_force),
            duration=estimate.duration,
            restitution=estimate.restitution,
            fit_rms=estimate.fit_rms,
            fit_samples=estimate.fit_samples,
            fit_window=estimate.fit_window,
            method=estimate.method,
            quality=estimate.quality,
            **self._assessment(estimate.assessment),
        )

    def _assessment(self, assessment: Assessment) -> dict[str, Any]:
        location = assessment.location
        direction = _UNKNOWN if location.direction is None else location.direction
        return {
            "link": location.link,
            "contact": location.contact,
            "expected": getattr(self._types[EVENT], _EXPECTED[assessment.expected]),
            "reason": assessment.reason,
            "direction": self._vector(direction),
        }

    def _detector(self, name: str) -> int:
        """Return the number of a detector, that of "unknown" for one without a number."""
        kind: Any = self._types[EVENT]
        return int(getattr(kind, f"DETECTOR_{name.upper()}", kind.DETECTOR_UNKNOWN))

    def _source(self, name: str) -> int:
        return int(getattr(self._types[ESTIMATE], f"SOURCE_{(name or 'none').upper()}"))
