# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""What was measured of one impact: numbers for tables, samples for pictures and for learning."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from impact_predictor.prediction.model_error import MODEL_ERROR, QUANTILE
from impact_predictor.recorded_hit import RecordedHit

NAN = float("nan")


@dataclass
class AnalyzedImpact:
    """One impact of a recording; NaN for what is unknown, n joints."""

    recording: str
    group: str  # of the recordings that repeat each other
    time: float  # of the contact [s]
    detection_time: float  # [s]
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
    normal_impulse: float = NAN  # NaN without a normal [N.s]
    impulse_source: str = ""  # "force", "torque" or ""
    peak_force: float = NAN  # [N]
    duration: float = NAN  # of the contact [s]
    restitution: float = NAN  # measured from velocities [-]
    quality: int = 0  # bits of ImpactEstimate
    link: str = ""  # that was hit, "" if unknown
    expected: bool | None = None  # announced so, None: nobody announces
    announced_friction: float = NAN  # [-]
    announced_restitution: float = NAN  # [-]
    second_contact: float = NAN  # time from the contact to another one in the window [s]
    notes: list[str] = field(default_factory=list)  # in words
    trace: RecordedHit | None = None  # the samples around it

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
