# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""What one recording holds: what was measured of each impact, and anomalies; kept as JSON."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any, cast

import numpy as np

from impact_analysis.analyze.reading.missed import Missed, missed_text
from impact_analysis.present.plain import plain
from impact_analysis.present.sentence import Sentence
from impact_analysis.present.sentences import said
from impact_bags.new_files import write_file
from impact_detector.estimators.estimate import (
    IN_CONTACT,
    MISSING_SAMPLES,
    POOR_FIT,
    SECOND_IMPACT,
    SHORT_WINDOW,
)
from impact_detector.signals.sample import Suppressed
from impact_predictor.prediction.model_error import MODEL_ERROR, QUANTILE
from impact_predictor.recorded_hit import RecordedHit
from impact_robots import Robot

MOST_LISTED = 5  # impacts that may have been missed, in one recording
SLOW = 2.5e-3  # time between joint states that is too long [s]
AGAIN = "statistic_again"  # key of what is said where another impact may be mixed with one
DRIVEN = "driven", "pushed"  # keys of what is said where motors drove the arm after it, or in it


NAN = float("nan")
_UNKNOWN = np.full((3, 3), NAN)


@dataclass
class AnalyzedImpact:
    """One impact of a recording; NaN for what is unknown, n joints."""

    recording: str
    group: str  # of the recordings that repeat each other
    time: float  # of the contact [s]
    detection_stamp: int  # [ns]
    detector: str
    statistic: float
    threshold: float
    q: np.ndarray  # at the contact, shape (n,) [rad]
    dq_before: np.ndarray  # shape (n,) [rad/s]
    dq_after: np.ndarray  # gross velocity after, shape (n,) [rad/s]
    impulse: np.ndarray  # on the robot, in the axes of its source, shape (3,) [N.s]
    normal: np.ndarray  # outward, base axes, shape (3,)
    complete: bool = False  # the recording goes on until the estimate was complete
    time_std: float = NAN  # of ``time`` [s]
    touch_by_force: bool = False  # ``time`` is the force sensor's: the truth about the delay
    fit_rms: float = NAN  # of the fit of ``dq_after`` [rad]
    impulse_std: float = NAN  # along the impulse [N.s]
    impulse_covariance: np.ndarray = field(default_factory=_UNKNOWN.copy)  # (3, 3) [(N.s)^2]
    normal_impulse: float = NAN  # NaN without a normal [N.s]
    impulse_source: str = ""  # "force", "torque" or ""
    peak_force: float = NAN  # [N]
    duration: float = NAN  # of the contact [s]
    restitution: float = NAN  # measured from velocities [-]
    restitution_std: float = NAN  # of it, by the motion right after the release [-]
    quality: int = 0  # bits of ImpactEstimate
    link: str = ""  # that was hit, "" if unknown
    expected: bool | None = None  # announced so, None: nobody announces
    announced_friction: float = NAN  # high end of the range [-]
    announced_restitution: float = NAN  # likewise [-]
    announced_restitution_low: float = NAN  # low end [-]
    second_contact: float = NAN  # time from the contact to another one in the window [s]
    notes: list[Sentence] = field(default_factory=list)
    trace: RecordedHit | None = None  # the samples around it
    free: np.ndarray = field(default_factory=lambda: np.zeros(0))  # windows before, free_motion.py

    @property
    def detection_time(self) -> float:
        """Time of the measurement that crossed the threshold [s]."""
        return self.detection_stamp * 1e-9

    @property
    def usable(self) -> bool:
        """Whether models can be compared with it."""
        vectors = (self.q, self.dq_before, self.dq_after, self.normal)
        return self.complete and all(bool(np.isfinite(vector).all()) for vector in vectors)

    @property
    def _keys(self) -> set[str]:
        return {note.key for note in self.notes}

    @property
    def mixed(self) -> bool:
        """Whether what is said of it may be of more than its contact, or of a part of that."""
        bits = SECOND_IMPACT | IN_CONTACT | POOR_FIT | SHORT_WINDOW | MISSING_SAMPLES
        again = AGAIN in self._keys or np.isfinite(self.second_contact)
        return bool(self.quality & bits or again)

    @property
    def driven(self) -> bool:
        """Whether motors drove the arm during the contact, or it did not coast after it."""
        return not self._keys.isdisjoint(DRIVEN)

    @property
    def own_restitution(self) -> float:
        """The restitution, NaN where it is not that of the contact alone [-]."""
        return NAN if self.mixed or self.driven else self.restitution

    @property
    def tangential_impulse(self) -> float:
        """Size of the impulse along the surface [N.s]."""
        return float(np.sqrt(max(0.0, self.impulse @ self.impulse - self.normal_impulse**2)))

    @property
    def normal_impulse_interval(self) -> tuple[float, float]:
        """Return 95 % of it, an uncertain normal counted [N.s]."""
        std = np.sqrt(self._axis @ self.impulse_covariance @ self._axis)
        half = float(np.hypot(QUANTILE * std, MODEL_ERROR.normal * self.tangential_impulse))
        return self.normal_impulse - half, self.normal_impulse + half

    @property
    def impulse_ratio(self) -> tuple[float, float]:
        """Return tangential over normal impulse, and half of 95 % of it, normal not counted [-]."""
        ratio = self.tangential_impulse / self.normal_impulse
        along = self.impulse - self.normal_impulse * self._axis
        size = np.linalg.norm(along)
        towards = along / size if size > 0.0 else np.zeros(3)
        change = (towards - ratio * self._axis) / self.normal_impulse
        return ratio, float(QUANTILE * np.sqrt(change @ self.impulse_covariance @ change))

    @property
    def _axis(self) -> np.ndarray:
        """Return the normal; in axes of a force sensor that nobody knows any does, (3,)."""
        return self.normal if np.isfinite(self.normal).all() else np.eye(3)[2]

    @property
    def delay(self) -> float:
        """From contact of the force sensor to the detection, NaN without one [s]."""
        return self.detection_time - self.time if self.touch_by_force else float("nan")


@dataclass
class Collected:
    """What one recording holds."""

    recording: str
    impacts: list[AnalyzedImpact] = field(default_factory=list)
    warnings: list[Sentence] = field(default_factory=list)
    error: str = ""  # why it could not be read, in words
    samples: int = 0  # joint states
    judged: int = 0  # of these, with a statistic
    dropped: int = 0  # of these, not finite or without the robot's joints
    duration: float = 0.0  # measured time [s]
    period: float = NAN  # usual time between joint states [s]
    largest_statistic: float = NAN  # outside of impacts or not
    threshold: float = NAN
    gaps: list[float] = field(default_factory=list)  # in the joint states [s]
    jumps: list[float] = field(default_factory=list)  # back in time [s]
    repeated: int = 0  # joint states with the stamp of the one before
    suppressed: list[Suppressed] = field(default_factory=list)  # above the threshold, no impact
    missed: list[Missed] = field(default_factory=list)  # what may have been impacts

    @property
    def remarks(self) -> list[Sentence]:
        """Its anomalies, in words."""
        remarks = list(self.warnings)
        if self.gaps:
            longest = f"{max(self.gaps):.3g}"
            remarks.append(said("gaps", count=len(self.gaps), longest=longest))
        if self.jumps:
            longest = f"{max(self.jumps):.3g}"
            remarks.append(said("jumps", count=len(self.jumps), longest=longest))
        if self.repeated:
            remarks.append(said("repeated", count=self.repeated))
        if self.period > SLOW:
            remarks.append(said("slow", rate=f"{1 / self.period:.0f}"))
        remarks += [missed_text(each) for each in self.missed[:MOST_LISTED]]
        if (more := len(self.missed) - MOST_LISTED) > 0:
            remarks.append(said("missed_more", count=more))
        if self.dropped:
            remarks.append(said("not_finite", count=self.dropped, samples=self.samples))
        return remarks


def joined(parts: Sequence[Collected]) -> Collected:
    """Return what the pieces of one recording hold together."""
    first, *others = parts
    if not others:
        return first
    errors = [part.error for part in parts if part.error]
    return Collected(
        first.recording,
        [impact for part in parts for impact in part.impacts],
        list(dict.fromkeys(text for part in parts for text in part.warnings)),
        errors[0] if errors else "",
        sum(part.samples for part in parts),
        sum(part.judged for part in parts),
        sum(part.dropped for part in parts),
        sum(part.duration for part in parts),
        float(np.nanmedian([part.period for part in parts])),
        float(np.fmax.reduce([part.largest_statistic for part in parts])),
        first.threshold,
        [gap for part in parts for gap in part.gaps],
        [jump for part in parts for jump in part.jumps],
        sum(part.repeated for part in parts),
        [each for part in parts for each in part.suppressed],
        [each for part in parts for each in part.missed],
    )


def basis_of(path: Path, settings: Mapping[str, Any], robot: Robot) -> dict[str, Any]:
    """Return, as plain values, what the result of a recording depends on.

    Args:
        path: of the recording.
        settings: of the analysis.
        robot: that they name.
    """
    inside = path.rglob("*") if path.is_dir() else [path]
    files = [_file_mark(each) for each in sorted(inside) if each.is_file()]
    basis = {"settings": settings, "robot": robot.checksum, "files": [str(path.resolve()), *files]}
    return cast("dict[str, Any]", plain(basis))


def _file_mark(path: Path) -> list[str | int]:
    """Return name, size and time of the last change [ns], by which a file is known again."""
    try:
        found = path.stat()
    except OSError:  # it has just gone
        return [path.name]
    return [path.name, found.st_size, found.st_mtime_ns]


def save(folder: Path, found: Collected, basis: Mapping[str, Any]) -> None:
    """Write the result of a recording, and its basis, all or nothing.

    Raises:
        WriteError: the disk refused.
    """
    text = json.dumps({"basis": basis, "collected": plain(found)})
    write_file(_file(folder, found.recording), text)


def load(folder: Path, name: str, basis: Mapping[str, Any]) -> Collected | None:
    """Return the result of a recording; none without one of this basis, or of a failure."""
    with suppress(OSError, ValueError, KeyError, TypeError):
        saved = json.loads(_file(folder, name).read_text(encoding="utf-8"))
        if saved["basis"] == basis:
            found = from_plain(saved["collected"])
            return None if found.error else found
    return None


def from_plain(values: dict[str, Any]) -> Collected:
    """Return what :func:`.plain` wrote.

    Raises:
        KeyError: an entry is missing; and TypeError, ValueError: it is of another kind.
    """
    values = dict(values)
    values["impacts"] = [_impact(item) for item in values["impacts"]]
    values["suppressed"] = [Suppressed(**item) for item in values["suppressed"]]
    values["missed"] = [Missed(**_typed(Missed, item)) for item in values["missed"]]
    return Collected(**_typed(Collected, values))


def _file(folder: Path, name: str) -> Path:
    return folder / (name.replace("%", "%25").replace("/", "%2F") + ".json")


def _impact(values: dict[str, Any]) -> AnalyzedImpact:
    """Return the impact that :func:`.plain` wrote."""
    trace = values["trace"]
    named = _typed(AnalyzedImpact, values) | {
        "trace": None if trace is None else RecordedHit(**_typed(RecordedHit, trace))
    }
    return AnalyzedImpact(**named)


def _typed(kind: type, values: dict[str, Any]) -> dict[str, Any]:
    """Return values with null as NaN where numbers are, lists as arrays where these are."""
    typed = {}
    for each in fields(kind):
        value = values[each.name]
        if each.type == "np.ndarray":
            value = np.array(value, dtype=float)
            value = value.reshape(-1, 3) if each.name == "force" else value
        elif each.type == "float" and value is None:
            value = float("nan")
        elif each.type == "list[Sentence]":
            value = [Sentence(*sentence) for sentence in value]
        typed[each.name] = value
    return typed
