# SPDX-License-Identifier: Apache-2.0
"""Streams one recording through the detector's session and keeps what impacts left behind."""

from __future__ import annotations

import re
from collections import deque
from dataclasses import dataclass, field
from math import isfinite
from pathlib import Path
from typing import Any

import numpy as np

from impact_analysis.analyze.measured import MeasuredImpact, Trace
from impact_analysis.analyze.settings import Settings
from impact_analysis.detect_run import feed
from impact_analysis.exceptions import RecordingError
from impact_analysis.open_recording import open_recording
from impact_analysis.recording import Force, Recording
from impact_detector.estimated_impact import SECOND_IMPACT, Estimate
from impact_detector.expectation import Announcement
from impact_detector.node_parameters import session_for
from impact_detector.recent import JointRecord, RecentForce, RecentJoints
from impact_detector.sample import Detection, JointSample, Verdict, from_seconds
from impact_detector.session import Outcome
from impact_robots import ImpactError, Robot

KEEP = from_seconds(1.2)  # of measurements: an estimate comes 0.1 to 0.6 s after the touch
VIBRATION = 0.015  # after the touch, in which the statistic may stay high [s]
BEFORE, AFTER = 0.05, 0.11  # of the traces, around the touch [s]
MOST_TRACES = 60  # in one recording
FORCE_POINTS = 400  # of a trace
GAP = 5.0  # times the usual period is a gap
CONTACT_FORCE = 3.0  # norm that is a contact [N]
_REPEATED = re.compile(r"[_-]?\d+$")


@dataclass
class Collected:
    """What one recording holds."""

    recording: str
    impacts: list[MeasuredImpact] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)  # in words
    error: str = ""  # why it could not be read, in words
    samples: int = 0  # joint states
    judged: int = 0  # of these, with a statistic
    dropped: int = 0  # of these, not finite or without the robot's joints
    duration: float = 0.0  # measured time [s]
    period: float = float("nan")  # usual time between joint states [s]
    largest_statistic: float = float("nan")  # outside of impacts or not
    threshold: float = float("nan")


def collect(path: Path, settings: Settings, name: str = "") -> Collected:
    """Return what a recording holds; what is wrong with it is said in words.

    Args:
        path: of a bag or CSV.
        settings: of the analysis.
        name: of the recording; by default that of the file.
    """
    robot = settings.load_robot()
    collected = Collected(name or path.name)
    try:
        recording = open_recording(path, robot, settings.topics)
        _Collector(collected, robot, settings).run(recording)
    except ImpactError as error:
        collected.error = " ".join(str(error).split())
    return collected


def group_of(name: str) -> str:
    """Return what repeats itself: a recording's name without suffix and number."""
    stem = Path(name).name
    for suffix in (".mcap", ".db3", ".csv"):
        stem = stem.removesuffix(suffix)
    return _REPEATED.sub("", stem) or stem


class _Collector:
    """Keeps the last measurements and makes impacts of estimates."""

    def __init__(self, collected: Collected, robot: Robot, settings: Settings) -> None:
        self._collected, self._robot, self._settings = collected, robot, settings
        self._session = session_for(settings.detector, robot)
        self._joints = RecentJoints(KEEP)
        self._forces: dict[str, RecentForce] = {}
        self._statistics: deque[Verdict] = deque(maxlen=1500)
        self._announced: Announcement | None = None
        # Without an estimate yet, and what was announced then.
        self._open: list[tuple[Detection, Announcement | None]] = []
        self._watch = _Watch()
        self._torques = 0

    def run(self, recording: Recording) -> None:
        """Take the whole recording."""
        for item, outcome in feed(self._session, recording):
            if isinstance(item, JointSample):
                self._watch.add(item.time)
                self._joints.add(item)
                self._torques += item.tau is not None and isfinite(item.tau[0])
            elif isinstance(item, Force):
                force = self._forces.setdefault(item.source, RecentForce(KEEP))
                force.add(item.sample)
            elif isinstance(item, Announcement):
                self._announced = None if item.withdrawn else item
            self._take(outcome)
        self._finish()

    def _take(self, outcome: Outcome) -> None:
        for verdict in outcome.verdicts:
            if verdict.ready:
                self._collected.judged += 1
                self._collected.threshold = verdict.threshold
                largest = self._collected.largest_statistic
                if not verdict.statistic <= largest:
                    self._collected.largest_statistic = verdict.statistic
        ready = [v for v in (*outcome.verdicts, *outcome.others) if v.ready]
        self._statistics.extend(ready[:1])
        self._open += [(detection, self._announced) for detection in outcome.detections]
        for estimate in outcome.estimates:
            announced = [said for found, said in self._open if found == estimate.detection]
            self._collected.impacts.append(self._impact(estimate, *announced[:1]))
            self._open = [one for one in self._open if one[0].detection_time > estimate.time]

    def _finish(self) -> None:
        """Note what the recording is like as a whole."""
        found, watch = self._collected, self._watch
        found.samples, found.dropped = watch.samples, self._session.dropped
        found.duration, found.period = watch.duration, watch.period
        if not found.samples:
            raise RecordingError.at(found.recording, "holds no joint state")
        if self._open:
            found.impacts.append(self._cut_off(*self._open[0]))
        found.warnings += watch.warnings()
        if not self._torques:
            found.warnings.append(
                "no joint torques: impacts are detected by acceleration alone, and neither link nor"
                " impulse can be told from the joints"
            )
        if found.dropped >= found.samples:
            joints = ", ".join(self._robot.joint_names)
            raise RecordingError.at(
                found.recording,
                f"no usable joint state of robot {self._robot.name!r} (joints {joints}); is it"
                " another robot, or another --joint-prefix?",
            )
        if found.dropped:
            found.warnings.append(f"{found.dropped} of {found.samples} joint states not finite")

    @property
    def _window(self) -> float:
        return self._settings.detector.estimate_window

    def _impact(self, estimate: Estimate, announced: Announcement | None = None) -> MeasuredImpact:
        """Return what an estimate and the measurements around it say."""
        detection, impact_time = estimate.detection, estimate.impact_time
        normal = self._normal(announced)
        joints = self._joints.record()
        t = joints.since(impact_time)
        q = np.array([np.interp(0.0, t, column) for column in joints.q.T])
        record = self._force(impact_time)
        second = _second_contact(*record, estimate.duration)
        notes = _notes(estimate, second) + self._later(estimate)
        if (hole := _hole(t, self._watch.period)) > 0.0:
            notes.append(f"a gap of {1e3 * hole:.0f} ms in the joint states around it")
        trace = None
        if len(self._collected.impacts) < MOST_TRACES:
            trace = self._trace(impact_time, joints, *record)
        return MeasuredImpact(
            **self._named(detection, impact_time * 1e-9),
            time_std=estimate.impact_time_std,
            touch_by_force=estimate.contact is not None,
            complete=True,
            q=q,
            dq_before=estimate.velocity_before,
            dq_after=estimate.gross_velocity,
            fit_rms=estimate.fit_rms,
            impulse=estimate.impulse,
            impulse_std=estimate.impulse_std,
            impulse_source=estimate.impulse_source,
            peak_force=_peak(estimate),
            duration=estimate.duration,
            restitution=estimate.restitution,
            quality=estimate.quality,
            link=estimate.assessment.location.link,
            expected=estimate.assessment.expected,
            normal=normal,
            announced_friction=float("nan") if announced is None else announced.friction,
            announced_restitution=float("nan") if announced is None else announced.restitution,
            second_contact=second,
            notes=notes,
            trace=trace,
        )

    def _later(self, estimate: Estimate) -> list[str]:
        """Say if the detector would have seen another impact while it was not armed."""
        since = [
            (1e-9 * (verdict.time - estimate.impact_time), verdict)
            for verdict in self._statistics
            if verdict.detector == estimate.detection.detector
        ]
        later = [
            (t, verdict)
            for t, verdict in since
            if VIBRATION < t < self._window and verdict.statistic > verdict.threshold
        ]
        if not later or estimate.quality & SECOND_IMPACT:
            return []
        t, verdict = later[0]
        return [
            f"the statistic rises to {verdict.statistic:.1f} again {1e3 * t:.0f} ms after the"
            " touch: perhaps another impact, and both are mixed"
        ]

    def _cut_off(self, detection: Detection, announced: Announcement | None) -> MeasuredImpact:
        """Return an impact too near to the end of the recording to be estimated."""
        nan, n = float("nan"), self._robot.dof
        left = (self._joints.newest or detection.detection_time) - detection.detection_time
        note = (
            f"the recording ends {left * 1e-6:.0f} ms after the detection; {1e3 * self._window:.0f}"
            " ms are needed to tell what the impact did"
        )
        normal = self._normal(announced)
        return MeasuredImpact(
            **self._named(detection, detection.impact_time * 1e-9),
            time_std=nan,
            touch_by_force=False,
            complete=False,
            q=np.full(n, nan),
            dq_before=np.full(n, nan),
            dq_after=np.full(n, nan),
            fit_rms=nan,
            impulse=np.full(3, nan),
            impulse_std=nan,
            impulse_source="",
            peak_force=nan,
            duration=nan,
            restitution=nan,
            quality=0,
            link="",
            expected=None,
            normal=normal,
            announced_friction=nan,
            announced_restitution=nan,
            second_contact=nan,
            notes=[note],
            trace=self._trace(
                detection.impact_time, self._joints.record(), *self._force(detection.impact_time)
            ),
        )

    def _named(self, detection: Detection, time: float) -> dict[str, Any]:
        """Return what a detection itself says."""
        return {
            "recording": self._collected.recording,
            "group": group_of(self._collected.recording),
            "time": time,
            "detection_time": detection.detection_time * 1e-9,
            "detector": detection.detector,
            "statistic": detection.statistic,
            "threshold": detection.threshold,
        }

    def _normal(self, announced: Announcement | None) -> np.ndarray:
        """Return the unit normal that was given, or announced; NaN if it is unknown."""
        given = self._settings.normal
        vector = given if given is not None else announced.normal if announced else None
        if vector is None:
            return np.full(3, np.nan)
        normal = np.array(vector, dtype=float)
        return np.asarray(normal / np.linalg.norm(normal))

    def _force(self, origin: int) -> tuple[np.ndarray, np.ndarray]:
        """Return times since ``origin`` [ns] and force of the fastest sensor, (f,) and (f, 3)."""
        start = origin - from_seconds(BEFORE)
        records = [force.since(origin, start) for force in self._forces.values()]
        nothing = (np.zeros(0), np.zeros((0, 3)))
        return max(records, key=lambda record: len(record[0]), default=nothing)

    def _trace(
        self, origin: int, joints: JointRecord, force_t: np.ndarray, force: np.ndarray
    ) -> Trace:
        """Return the samples around a touch."""
        t = joints.since(origin)
        near = (t >= -BEFORE) & (t <= AFTER)
        statistics = np.array(
            [((v.time - origin) * 1e-9, v.statistic) for v in self._statistics]
        ).reshape(-1, 2)
        shown = (statistics[:, 0] >= -BEFORE) & (statistics[:, 0] <= AFTER)
        step = max(1, len(force_t) // FORCE_POINTS)
        return Trace(
            t[near],
            joints.dq[near],
            joints.tau[near],
            statistics[shown, 0],
            statistics[shown, 1],
            *_around_contact(force_t, force, step),
        )


class _Watch:
    """Watches the time of joint states: gaps, and jumps back."""

    def __init__(self) -> None:
        self.samples = 0
        self.duration = 0.0  # [s]
        self._last: int | None = None
        self._steps: deque[int] = deque(maxlen=200)
        self._gaps: list[float] = []  # [s]
        self._jumps: list[float] = []  # [s]
        self._repeated = 0

    @property
    def period(self) -> float:
        """Usual time between samples, NaN of fewer than two [s]."""
        return float(np.median(self._steps)) * 1e-9 if self._steps else float("nan")

    def add(self, time: int) -> None:
        """Take the time of a joint state [ns]."""
        self.samples += 1
        last, self._last = self._last, time
        if last is None:
            return
        step = time - last
        if step < 0:
            self._jumps.append(-step * 1e-9)
            return
        self.duration += step * 1e-9
        if step == 0:
            self._repeated += 1
            return
        if len(self._steps) > 20 and self.samples % 50 == 0:
            self._usual = float(np.median(self._steps))
        if self.samples > 70 and step > GAP * self._usual:
            self._gaps.append(step * 1e-9)
        else:
            self._steps.append(step)

    _usual = float("inf")

    def warnings(self) -> list[str]:
        """Return what was odd, in words."""
        said = []
        if self._gaps:
            said.append(
                f"{len(self._gaps)} gaps in the joint states, the longest {max(self._gaps):.3g} s:"
                " impacts within them are lost"
            )
        if self._jumps:
            said.append(
                f"time jumps back {len(self._jumps)} times, by up to {max(self._jumps):.3g} s: what"
                " follows counts as a new recording"
            )
        if self._repeated:
            said.append(f"{self._repeated} joint states came twice with the same stamp")
        if self.period > 2.5e-3:
            said.append(
                f"joint states come at {1 / self.period:.0f} Hz only: velocities before an impact"
                " and its time are uncertain below 500 Hz"
            )
        return said


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


def _second_contact(t: np.ndarray, force: np.ndarray, duration: float) -> float:
    """Return when another contact begins after the first one's release, NaN: none [s]."""
    if not np.isfinite(duration):
        return float("nan")
    later = t > duration + 1e-3
    norm = np.linalg.norm(force[later], axis=1)
    noise = float(np.linalg.norm(force[t < -2e-3], axis=1).max(initial=0.0))
    pushing = np.flatnonzero(norm > max(CONTACT_FORCE, 2.0 * noise))
    return float(t[later][pushing[0]]) if pushing.size else float("nan")


def _hole(t: np.ndarray, period: float) -> float:
    """Return the longest time without a joint state in the window, 0 if that is usual [s]."""
    near = t[(t > -BEFORE) & (t < 0.1)]
    longest = float(np.diff(near).max(initial=0.0))
    return longest if longest > GAP * period else 0.0


def _peak(estimate: Estimate) -> float:
    """Return the largest force [N]; its norm where the sensor's normal is unknown."""
    if np.isfinite(estimate.peak_force) or estimate.contact is None:
        return estimate.peak_force
    return float(np.linalg.norm(estimate.contact.peak))


def _notes(estimate: Estimate, second: float) -> list[str]:
    """Return the quality of an estimate in words."""
    words = {
        2: "the fit after the impact is poor: the arm was driven, or vibrates",
        4: "the window after the impact is too short",
        8: "samples are missing in the window after the impact",
        32: "another impact was detected in the window: both are mixed",
        128: "the force sensor is too slow for the contact",
        256: "the arm stayed in contact",
    }
    said = [text for bit, text in words.items() if estimate.quality & bit]
    if np.isfinite(second) and not estimate.quality & 32:
        said.append(f"another contact {1e3 * second:.0f} ms after the touch: both are mixed")
    return said
