# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""An impact, of its estimate by the detector and of the last measurements."""

from __future__ import annotations

import re
from collections import deque
from pathlib import PurePath
from typing import Any

import numpy as np

from impact_analysis.analyze.reading.collected import NAN, AnalyzedImpact
from impact_analysis.analyze.reading.free_motion import free_windows
from impact_analysis.analyze.reading.notes import notes_of, second_contact
from impact_analysis.analyze.reading.peaks_and_jumps import CONTACT_FORCE
from impact_analysis.present.sentences import said
from impact_bags.open_recording import RECORDINGS
from impact_bags.reading.recording import Force, Item
from impact_detector.estimators.estimate import Estimate
from impact_detector.signals.buffers import JointRecord, RecentForce, RecentJoints
from impact_detector.signals.sample import Detection, DetectionStatus, JointSample, from_seconds
from impact_predictor.recorded_hit import RecordedHit
from impact_robots import Robot, Surface, contact_rotation

KEEP = from_seconds(1.2)  # of measurements: an estimate comes 0.1 to 0.6 s after the contact
STATISTICS = 1500  # of the detector, that are kept
BEFORE, AFTER = 0.05, 0.11  # of the traces, around the contact [s]
JUST_BEFORE = 2e-3  # the contact may have been this much earlier [s]
FORCE_POINTS = 400  # of a trace
_REPEATED = re.compile(r"(?:[_-]|(?<![\d.]))\d+$")  # no digits behind a decimal point


class Recent:
    """Joint states, forces and statistics of the last 1.2 s."""

    def __init__(self) -> None:
        self.statistics: deque[DetectionStatus] = deque(maxlen=STATISTICS)
        self._samples: deque[JointSample] = deque()
        self._forces: dict[str, RecentForce] = {}

    @property
    def newest(self) -> int:
        """Time of the newest joint state [ns]."""
        return self._samples[-1].time

    def take(self, item: Item) -> None:
        """Take what was recorded: joint states, and forces of one of several sensors."""
        if isinstance(item, JointSample):
            self._add_state(item)
        elif isinstance(item, Force):
            self._forces.setdefault(item.source, RecentForce(KEEP)).add(item.sample)

    def _add_state(self, sample: JointSample) -> None:
        """Take a joint state; time that jumps back starts anew."""
        samples = self._samples
        if samples and sample.time < samples[-1].time:
            samples.clear()
        samples.append(sample)
        while samples[0].time < sample.time - KEEP:
            samples.popleft()

    def joints(self) -> JointRecord:
        """Return the joint states, without those that are not finite."""
        recent = RecentJoints(KEEP)
        for sample in self._samples:
            recent.add(sample)
        return recent.record()

    def force(self, origin: int) -> tuple[np.ndarray, np.ndarray]:
        """Return times since ``origin`` [ns] and force of the fastest sensor, (f,) and (f, 3).

        What the sensor shows before the contact is its offset, which is subtracted.
        """
        start = origin - from_seconds(BEFORE)
        records = [force.since(origin, start) for force in self._forces.values()]
        nothing = (np.zeros(0), np.zeros((0, 3)))
        t, force = max(records, key=lambda record: len(record[0]), default=nothing)
        before = force[t < -JUST_BEFORE]
        return t, force - np.median(before, axis=0) if len(before) else force

    def trace(
        self, origin: int, joints: JointRecord, force_t: np.ndarray, force: np.ndarray
    ) -> RecordedHit:
        """Return the samples around a contact at ``origin`` [ns]; forces are those of `force`."""
        t = joints.since(origin)
        near = (t >= -BEFORE) & (t <= AFTER)
        statistics = np.array(
            [((v.time - origin) * 1e-9, v.statistic) for v in self.statistics]
        ).reshape(-1, 2)
        shown = (statistics[:, 0] >= -BEFORE) & (statistics[:, 0] <= AFTER)
        step = max(1, len(force_t) // FORCE_POINTS)
        return RecordedHit(
            t[near],
            joints.q[near],
            joints.dq[near],
            joints.tau[near],
            None,
            *_around_contact(force_t, force, step),
            *statistics[shown].T,
        )


class ImpactMaker:
    """Makes the impacts of one recording."""

    def __init__(
        self,
        recording: str,
        robot: Robot,
        normal: tuple[float, float, float] | None,
        window: float,
        thought: Robot | None = None,
    ) -> None:
        """Begin.

        Args:
            recording: its name.
            robot: the arm.
            normal: of the surface, base axes; none: as announced.
            thought: the arm as its controller knows it, without a payload that nobody declared;
                None: the same.
            window: of estimates, after the contact [s].
        """
        self._recording, self._robot, self._window = recording, robot, window
        self._thought = thought or robot
        self._given = None if normal is None else contact_rotation(normal)[:, 2].copy()
        self._last: int | None = None  # impact [ns]

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
        normal = self._normal(announced)
        notes = notes_of(
            self._robot,
            estimate,
            second,
            joints,
            recent.statistics,
            thought=self._thought,
            normal=normal,
            period=period,
            window=self._window,
        )
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
            impulse_covariance=estimate.impulse_covariance,
            normal_impulse=_normal_impulse(estimate, normal),
            impulse_source=estimate.impulse_source,
            peak_force=_peak(estimate),
            duration=estimate.duration,
            restitution=estimate.restitution,
            restitution_std=estimate.restitution_std,
            quality=estimate.quality,
            link=estimate.assessment.location.link,
            expected=estimate.assessment.expected,
            normal=normal,
            announced_friction=NAN if announced is None else announced.friction[1],
            announced_restitution=NAN if announced is None else announced.restitution[1],
            announced_restitution_low=NAN if announced is None else announced.restitution[0],
            second_contact=second,
            notes=notes,
            trace=recent.trace(impact_time, joints, *force) if traced else None,
            free=self._free(t, joints, impact_time),
        )

    def _free(self, t: np.ndarray, joints: JointRecord, impact_time: int) -> np.ndarray:
        """Return windows of free motion since the impact before, shape (k, 4, n)."""
        last = -np.inf if self._last is None else 1e-9 * (self._last - impact_time)
        self._last = impact_time
        return free_windows(t, joints, last)

    def cut_off(
        self, detection: Detection, announced: Surface | None, recent: Recent
    ) -> AnalyzedImpact:
        """Return an impact too near to the end of the recording to be estimated."""
        unknown, origin = np.full(self._robot.dof, np.nan), detection.impact_time
        left = recent.newest - detection.detection_time
        note = said("cut_off", left=f"{left * 1e-6:.0f}", needed=f"{1e3 * self._window:.0f}")
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
            "detection_stamp": detection.detection_time,
            "detector": detection.detector,
            "statistic": detection.statistic,
            "threshold": detection.threshold,
        }

    def _normal(self, announced: Surface | None) -> np.ndarray:
        """Return the unit normal that was given, or announced; NaN if it is unknown."""
        if self._given is not None:
            return self._given
        return np.full(3, np.nan) if announced is None else announced.normal


def group_of(name: str) -> str:
    """Return what repeats itself: a recording's name without suffix and number."""
    suffix = PurePath(name).suffix
    stem = name.removesuffix(suffix) if suffix.lower() in RECORDINGS else name
    return _REPEATED.sub("", stem) or stem


def _normal_impulse(estimate: Estimate, normal: np.ndarray) -> float:
    """Return the normal impulse; without a normal of the sensor its axes are the base's [N.s]."""
    if np.isfinite(estimate.normal_impulse):
        return estimate.normal_impulse
    return float(estimate.impulse @ normal)


def _peak(estimate: Estimate) -> float:
    """Return the largest force [N]; its norm where the sensor's normal is unknown."""
    if np.isfinite(estimate.peak_force) or estimate.contact is None:
        return estimate.peak_force
    return float(np.linalg.norm(estimate.contact.peak))


def _around_contact(t: np.ndarray, force: np.ndarray, step: int) -> tuple[np.ndarray, np.ndarray]:
    """Return forces, dense where they are and thin where nothing happens."""
    pushing = np.linalg.norm(force, axis=1) > CONTACT_FORCE
    if not pushing.any():
        return t[:: 5 * step], force[:: 5 * step]
    inside = np.flatnonzero(pushing)
    first, last = inside[0], inside[-1]
    dense = max(1, (last - first) // FORCE_POINTS)
    chosen = np.unique(
        np.concatenate(
            [
                np.arange(0, len(t), 5 * step),
                np.arange(max(0, first - 5 * dense), min(len(t), last + 5 * dense), dense),
            ]
        )
    )
    return t[chosen], force[chosen]
