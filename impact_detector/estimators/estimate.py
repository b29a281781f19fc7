# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""The record of an impact's estimate."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from impact_detector.attribution.assessment import Assessment
from impact_detector.estimators.impulse import Impulse
from impact_detector.signals.sample import Detection

# Quality bits, equal to those of impact_msgs/ImpactEstimate.
GOOD = 1
POOR_FIT = 2
SHORT_WINDOW = 4
MISSING_SAMPLES = 8
SECOND_IMPACT = 32
UNDERSAMPLED = 128
IN_CONTACT = 256

# Where an impulse comes from.
BY_FORCE = "force"  # force sensor: impulse in its axes
BY_TORQUE = "torque"  # joint torques: impulse in base axes
NO_SOURCE = ""  # unknown: NaN


@dataclass(frozen=True)
class Estimate:
    """Estimate of one impact; NaN for unknown quantities. n joints."""

    detection: Detection  # that it belongs to
    time: int  # of the last measurement used [ns]
    impact_time: int  # first contact, from the force sensor if there is one [ns]
    impact_time_std: float  # standard deviation [s]
    velocity_before: np.ndarray  # shape (n,) [rad/s]
    velocity_after: np.ndarray  # vibration included, shape (n,) [rad/s]
    gross_velocity: np.ndarray  # vibration taken out, shape (n,) [rad/s]
    impulse: np.ndarray  # on the robot, in axes of the sensor or base, shape (3,) [N.s]
    impulse_std: float  # standard deviation along the impulse [N.s]
    impulse_covariance: np.ndarray  # shape (3, 3) [(N.s)^2]
    impulse_source: str  # BY_FORCE, BY_TORQUE or NO_SOURCE
    normal_impulse: float  # along the outward normal [N.s]
    peak_force: float  # largest normal force [N]
    duration: float  # from contact to first release [s]
    restitution: float  # -v_n^+/v_n^- of the contact point, v_n^+ at the release [-]
    restitution_std: float  # of it, as the motion right after the release shows it [-]
    fit_rms: float  # over all joints [rad]
    fit_samples: int
    fit_window: float  # [s]
    method: str
    quality: int  # bits as above
    contact: Impulse | None = None  # measured force from contact to release, times since detection
    force_source: str = ""  # name of the force source that was used; empty: there was none
    assessment: Assessment = field(default_factory=Assessment)  # which link, and was it expected

    @property
    def unknown(self) -> str:
        """Why the normal impulse is NaN, in words; "" if it is known."""
        if not np.isnan(self.normal_impulse):
            return ""
        if np.isnan(self.impulse).any():
            return "impulse unknown: no usable force sensor, and the joint torques do not give it"
        normal = "wrench_normal" if self.impulse_source == BY_FORCE else "contact_normal"
        return f"normal impulse unknown: the parameter {normal} is not set"

    @property
    def velocity_jump(self) -> np.ndarray:
        """Gross velocity minus velocity before, shape (n,) [rad/s]."""
        return self.gross_velocity - self.velocity_before
