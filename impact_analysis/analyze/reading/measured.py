# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""What was measured of one impact: numbers for tables, traces for pictures; to and from JSON."""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from typing import Any

import numpy as np

from impact_predictor.prediction.model_error import MODEL_ERROR, QUANTILE


@dataclass
class ImpactTrace:
    """Samples around an impact, times since the touch [s]; n joints."""

    t: np.ndarray  # shape (k,)
    q: np.ndarray  # shape (k, n) [rad]
    dq: np.ndarray  # shape (k, n) [rad/s]
    tau: np.ndarray  # shape (k, n), NaN where unknown [N.m]
    statistic_t: np.ndarray  # shape (s,)
    statistic: np.ndarray  # of the detector, shape (s,) [its unit]
    force_t: np.ndarray  # shape (f,)
    force: np.ndarray  # on the robot, axes of the sensor, shape (f, 3) [N]


@dataclass
class AnalyzedImpact:
    """One impact of a recording; NaN for what is unknown, n joints."""

    recording: str
    group: str  # of the recordings that repeat each other
    time: float  # of the touch [s]
    time_std: float  # of it [s]
    detection_time: float  # [s]
    touch_by_force: bool  # the force sensor gave the touch: the truth about the delay
    detector: str
    statistic: float
    threshold: float
    complete: bool  # the recording goes on until the estimate was complete
    q: np.ndarray  # at the touch, shape (n,) [rad]
    dq_before: np.ndarray  # shape (n,) [rad/s]
    dq_after: np.ndarray  # gross velocity after, shape (n,) [rad/s]
    fit_rms: float  # of that fit [rad]
    impulse: np.ndarray  # on the robot, in the axes of its source, shape (3,) [N.s]
    impulse_std: float  # along it [N.s]
    normal_impulse: float  # NaN without a normal [N.s]
    impulse_source: str  # "force", "torque" or ""
    peak_force: float  # [N]
    duration: float  # of the contact [s]
    restitution: float  # measured from velocities [-]
    quality: int  # bits of ImpactEstimate
    link: str  # that was hit, "" if unknown
    expected: bool | None  # announced so, None: nobody announces
    normal: np.ndarray  # outward, base axes, shape (3,)
    announced_friction: float  # [-]
    announced_restitution: float  # [-]
    second_contact: float  # time from the touch to another contact in the window [s]
    notes: list[str] = field(default_factory=list)  # in words
    trace: ImpactTrace | None = None

    @property
    def usable(self) -> bool:
        """Whether models can be compared with it."""
        vectors = (self.q, self.dq_before, self.dq_after, self.normal)
        return self.complete and all(bool(np.isfinite(vector).all()) for vector in vectors)

    @property
    def normal_impulse_interval(self) -> tuple[float, float]:
        """Return 95 % of it, an uncertain normal counted [N.s]."""
        tangential = np.sqrt(max(0.0, float(self.impulse @ self.impulse) - self.normal_impulse**2))
        half = np.hypot(QUANTILE * self.impulse_std, MODEL_ERROR.normal * tangential)
        return self.normal_impulse - float(half), self.normal_impulse + float(half)

    @property
    def delay(self) -> float:
        """From the touch of the force sensor to the detection, NaN without one [s]."""
        return self.detection_time - self.time if self.touch_by_force else float("nan")


def impact_from_json(values: dict[str, Any]) -> AnalyzedImpact:
    """Return the impact that :func:`~impact_analysis.present.plain.plain` gave."""
    trace = values["trace"]
    named = _typed(AnalyzedImpact, values) | {
        "trace": None if trace is None else ImpactTrace(**_typed(ImpactTrace, trace))
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
        typed[each.name] = value
    return typed
