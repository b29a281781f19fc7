# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Streaming estimate of what an impact did, complete when its window has been measured."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from impact_detector.attribution.assessment import (
    Assessment,
    Assessor,
    contact_point,
    is_elsewhere,
)
from impact_detector.attribution.expectation import Announcement
from impact_detector.estimators.estimate import (
    BY_FORCE,
    BY_TORQUE,
    GOOD,
    IN_CONTACT,
    MISSING_SAMPLES,
    NO_SOURCE,
    POOR_FIT,
    SECOND_IMPACT,
    SHORT_WINDOW,
    UNDERSAMPLED,
    Estimate,
)
from impact_detector.estimators.estimation import QUIET, EstimatorSettings, estimate_impact
from impact_detector.estimators.gross_methods import GROSS_METHODS, POLYNOMIAL
from impact_detector.exceptions import DetectorError
from impact_detector.signals.buffers import JointRecord, RecentForce, RecentJoints
from impact_detector.signals.sample import Detection, ForceSample, JointSample, from_seconds
from impact_robots import Robot

__all__ = [
    "BY_FORCE",
    "BY_TORQUE",
    "GOOD",
    "IN_CONTACT",
    "MISSING_SAMPLES",
    "NO_SOURCE",
    "POOR_FIT",
    "SECOND_IMPACT",
    "SHORT_WINDOW",
    "UNDERSAMPLED",
    "Estimate",
    "ImpactEstimator",
]


SETTLED = from_seconds(0.02)  # after the detection; the contact is over by then


class ImpactEstimator:
    """Collects measurements around a detection and estimates what the impact did.

    Feed every joint and force sample; after :meth:`start` one of the updates returns the estimate.
    It is complete when joint samples cover the window after the detection and so does each force
    source that was ever seen: the result does not depend on the order in which the two arrive. A
    force source that has stopped is given up after ``patience``.
    """

    def __init__(
        self,
        window: float = 0.1,
        *,
        degree: int = 3,
        normal: Sequence[float] | None = None,
        patience: float = 0.5,
        method: str = POLYNOMIAL,
        robot: Robot | None = None,
        base_normal: Sequence[float] | None = None,
    ) -> None:
        """Set up.

        Args:
            window: of the fit after contact, in which the arm must coast [s].
            degree: of the published polynomial.
            normal: outward normal of the surface in the force sensor's axes, shape (3,); None or
                NaN: unknown, then normal impulse and peak force are NaN.
            patience: how long to wait for force samples after the window, in measured time [s].
            method: of the gross velocity, one of :data:`GROSS_METHODS`.
            robot: to assess impacts, for restitution, and for an impulse from joint torques where
                there is no force sensor.
            base_normal: the normal in base axes, for restitution and impulses from torques; that
                of an announcement goes before it.

        Raises:
            DetectorError: a value is out of its range, an unknown method, or a normal that is none.
        """
        if not window > 0 or degree < 1:
            raise DetectorError(f"window: expected > 0 s and degree >= 1, got {window}, {degree}")
        name = GROSS_METHODS.named(method).name
        self._settings = EstimatorSettings(
            window, degree, name, _unit(normal), _unit(base_normal), robot
        )
        self._window, self._patience = from_seconds(window), from_seconds(patience)
        self._keep = self._window + self._patience + from_seconds(QUIET)
        self._joints = RecentJoints(self._keep)
        self._forces: dict[str, RecentForce] = {}
        self._detection: Detection | None = None
        self._second = False
        self._assessor = None if robot is None else Assessor(robot)

    def reset(self) -> None:
        """Delete all measurements and the current estimate."""
        self._joints.clear()
        self._forces.clear()
        self._detection = None

    def announce(self, announcement: Announcement) -> None:
        """Take a controller's announcement of impacts to come.

        Raises:
            DetectorError: its contact point is none of the robot's.
        """
        if self._assessor is not None:
            self._assessor.announce(announcement)

    def assess(self, detection: Detection) -> Assessment:
        """Return which link was hit and whether it was expected, as far as the detection shows."""
        if self._assessor is None:
            return Assessment()
        return self._assessor(detection, self._joints.record(), detection.detection_time)

    def start(self, detection: Detection) -> None:
        """Begin an estimate; during one, record in it that there was another impact."""
        self._second = self._detection is not None
        self._detection = self._detection or detection

    def update(self, sample: JointSample) -> Estimate | None:
        """Add a joint sample; NaN and repeated ones are ignored, backward time resets."""
        if self._joints.is_backward(sample.time):
            self.reset()
            if self._assessor is not None:
                self._assessor.restart(sample.time)
        self._joints.add(sample)
        return self._finish()

    def update_force(self, sample: ForceSample, source: str = "wrench") -> Estimate | None:
        """Add samples of one of several force sources; of these the fastest one is used."""
        self._forces.setdefault(source, RecentForce(self._keep)).add(sample)
        return self._finish()

    def _finish(self) -> Estimate | None:
        """Return the estimate if all its measurements are there."""
        if self._detection is None or not self._is_complete(self._detection):
            return None
        detection, self._detection = self._detection, None
        origin = detection.detection_time
        start = origin - from_seconds(QUIET)
        forces = {name: force.since(origin, start) for name, force in self._forces.items()}
        joints = self._joints.record()
        settings = self._settings_for(detection, joints)
        return estimate_impact(detection, joints, forces, settings, second=self._second)

    def _settings_for(self, detection: Detection, joints: JointRecord) -> EstimatorSettings:
        """Return the settings with what was announced, and where the impact was."""
        if self._assessor is None:
            return self._settings
        announcement = self._assessor.announced(detection)
        contact = contact_point(announcement)
        normal = self._settings.base_normal
        if announcement is not None and announcement.surface is not None:
            normal = announcement.surface.normal
        until = detection.detection_time + min(self._window, SETTLED)
        assessment = self._assessor(detection, joints, until)
        elsewhere = is_elsewhere(assessment, self._assessor.robot, contact)
        return replace(
            self._settings,
            base_normal=normal,
            robot=None if elsewhere else self._settings.robot,
            contact=contact,
            assessment=assessment,
        )

    def _is_complete(self, detection: Detection) -> bool:
        end = detection.detection_time + self._window
        newest = self._joints.newest
        if newest is None or newest < end:
            return False
        waited = newest >= end + self._patience
        return waited or all(force.end >= end for force in self._forces.values())


def _unit(normal: Sequence[float] | None) -> np.ndarray:
    """Return the normal at length one, or NaN if it is unknown."""
    if normal is None or np.isnan(normal).all():
        return np.full(3, np.nan)
    vector = np.asarray(normal, dtype=float)
    if vector.shape != (3,) or not np.isfinite(vector).all() or not np.any(vector):
        raise DetectorError(f"normal: expected three finite numbers, not all zero, got {normal}")
    vector = vector / np.abs(vector).max()  # or the square of a long one overflows
    return vector / np.linalg.norm(vector)
