# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""An impact of its estimate by the detector, and of the measurements around it."""

from __future__ import annotations

from typing import Any

import numpy as np

from impact_analysis.analyze.reading.collected import group_of
from impact_analysis.analyze.reading.measured import NAN, AnalyzedImpact
from impact_analysis.analyze.reading.notes import (
    driven_notes,
    gap_notes,
    later_notes,
    quality_notes,
    second_contact,
)
from impact_analysis.analyze.reading.recent import Recent
from impact_analysis.analyze.sentences import text_of
from impact_detector.estimators.estimate import Estimate
from impact_detector.signals.sample import Detection
from impact_robots import Robot, Surface, contact_rotation


class ImpactMaker:
    """Makes the impacts of one recording."""

    def __init__(
        self,
        recording: str,
        robot: Robot,
        normal: tuple[float, float, float] | None,
        window: float,
    ) -> None:
        """Begin.

        Args:
            recording: its name.
            robot: the arm.
            normal: of the surface, base axes; none: as announced.
            window: of estimates, after the contact [s].
        """
        self._recording, self._robot, self._window = recording, robot, window
        self._given = None if normal is None else contact_rotation(normal)[:, 2].copy()

    def estimated(
        self,
        estimate: Estimate,
        announced: Surface | None,
        recent: Recent,
        period: float,
        *,
        traced: bool,
    ) -> AnalyzedImpact:
        """Return what an estimate and the measurements around it say.

        Args:
            estimate: of the detector.
            announced: surface, when the impact was detected.
            recent: measurements, up to the end of the estimate's window.
            period: usual time between joint states [s].
            traced: whether samples are kept.
        """
        impact_time = estimate.impact_time
        joints, force = recent.joints(), recent.force(impact_time)
        t = joints.since(impact_time)
        second = second_contact(*force, estimate.duration)
        return AnalyzedImpact(
            **self._named(estimate.detection, impact_time * 1e-9),
            time_std=estimate.impact_time_std,
            touch_by_force=estimate.contact is not None,
            complete=True,
            q=np.array([np.interp(0.0, t, column) for column in joints.q.T]),
            dq_before=estimate.velocity_before,
            dq_after=estimate.gross_velocity,
            fit_rms=estimate.fit_rms,
            impulse=estimate.impulse,
            impulse_std=estimate.impulse_std,
            normal_impulse=estimate.normal_impulse,
            impulse_source=estimate.impulse_source,
            peak_force=_peak(estimate),
            duration=estimate.duration,
            restitution=estimate.restitution,
            quality=estimate.quality,
            link=estimate.assessment.location.link,
            expected=estimate.assessment.expected,
            normal=self._normal(announced),
            announced_friction=NAN if announced is None else announced.friction[1],
            announced_restitution=NAN if announced is None else announced.restitution[1],
            second_contact=second,
            notes=[
                *quality_notes(estimate, second),
                *later_notes(estimate, recent.statistics, period, self._window),
                *driven_notes(self._robot, t, joints, estimate.velocity_jump),
                *gap_notes(t, period),
            ],
            trace=recent.trace(impact_time, joints, *force) if traced else None,
        )

    def cut_off(
        self, detection: Detection, announced: Surface | None, recent: Recent
    ) -> AnalyzedImpact:
        """Return an impact too near to the end of the recording to be estimated."""
        unknown, origin = np.full(self._robot.dof, np.nan), detection.impact_time
        left = recent.newest - detection.detection_time
        note = text_of("cut_off", left=f"{left * 1e-6:.0f}", needed=f"{1e3 * self._window:.0f}")
        return AnalyzedImpact(
            **self._named(detection, origin * 1e-9),
            q=unknown,
            dq_before=unknown,
            dq_after=unknown,
            impulse=np.full(3, np.nan),
            normal=self._normal(announced),
            notes=[note],
            trace=recent.trace(origin, recent.joints(), *recent.force(origin)),
        )

    def _named(self, detection: Detection, time: float) -> dict[str, Any]:
        """Return what a detection itself says."""
        return {
            "recording": self._recording,
            "group": group_of(self._recording),
            "time": time,
            "detection_time": detection.detection_time * 1e-9,
            "detector": detection.detector,
            "statistic": detection.statistic,
            "threshold": detection.threshold,
        }

    def _normal(self, announced: Surface | None) -> np.ndarray:
        """Return the unit normal that was given, or announced; NaN if it is unknown."""
        if self._given is not None:
            return self._given
        return np.full(3, np.nan) if announced is None else announced.normal


def _peak(estimate: Estimate) -> float:
    """Return the largest force [N]; its norm where the sensor's normal is unknown."""
    if np.isfinite(estimate.peak_force) or estimate.contact is None:
        return estimate.peak_force
    return float(np.linalg.norm(estimate.contact.peak))
