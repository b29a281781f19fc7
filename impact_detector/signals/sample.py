# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Inputs and outputs of a streaming detector.

Time is an integer number of nanoseconds, as in ROS stamps, so that the same recording gives the
same result bit for bit through the node and offline.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from math import hypot
from typing import NamedTuple

import numpy as np

from impact_ros.messages import NANOSECONDS

TORQUE_ERROR = "torque_error"
FORCE = "force"
FUSED = "fused"
MOMENTUM = "momentum"
ACCELERATION = "acceleration"
VELOCITY_ERROR = "velocity_error"


def from_seconds(seconds: float) -> int:
    """Return a time or duration given in seconds as integer nanoseconds."""
    return round(seconds * NANOSECONDS)


LARGEST = 1e6  # largest valid position, velocity or torque [rad; rad/s; N.m]


def all_finite(*columns: np.ndarray | None) -> bool:
    """Return whether every number is finite and within ``LARGEST``.

    Arrays of shape (n,), or None; checked by their norms, which for arrays this short is faster
    than numpy. Larger numbers would overflow in computations and corrupt learnt values.
    """
    for values in columns:
        if values is not None and not hypot(*values.tolist()) < LARGEST:
            return False
    return True


class JointSample(NamedTuple):
    """One measurement of all n joints, in the robot's joint order."""

    time: int  # of the measurement [ns]
    q: np.ndarray  # positions, shape (n,) [rad]
    dq: np.ndarray  # velocities, shape (n,) [rad/s]
    tau: np.ndarray | None  # measured torques, gravity included, shape (n,) [N.m]; None: unknown
    tau_ref: np.ndarray | None = None  # torques without an impact, shape (n,) [N.m]
    dq_ref: np.ndarray | None = None  # desired velocities, shape (n,) [rad/s]
    approaching: bool = True  # the contact point moves towards the surface (approach gate)


@dataclass(frozen=True, slots=True)
class ForceSample:
    """N equally spaced samples of a force sensor: one of a wrench, or a batch."""

    time: int  # of the first sample [ns]
    force: np.ndarray  # on the robot, in the sensor's axes, shape (N, 3) [N]
    period: int = 0  # between samples [ns]; without meaning for N = 1

    @property
    def times(self) -> np.ndarray:
        """Time of each sample, integers of shape (N,) [ns]."""
        return self.time + self.period * np.arange(len(self.force), dtype=np.int64)


@dataclass(frozen=True, slots=True)
class Detection:
    """One impact, as detected by one detector."""

    detector: str  # which one, of the names above
    impact_time: int  # estimate of the first contact [ns]
    detection_time: int  # of the measurement that crossed the threshold [ns]
    statistic: float  # in that measurement [unit of the detector]
    threshold: float  # that it crossed [same unit]


@dataclass(frozen=True, slots=True)
class Suppressed:
    """The statistic rose above the threshold while the detector was not armed: no detection."""

    detector: str  # which one, of the names above
    time: int  # of the measurement [ns]
    statistic: float  # in that measurement [unit of the detector]
    threshold: float  # that it crossed [same unit]
    reason: str  # why it is no detection


class DetectionStatus(NamedTuple):
    """Result of a detector for one measurement."""

    time: int  # of the measurement [ns]
    statistic: float  # NaN while not ready [unit of the detector]
    threshold: float  # [same unit]
    armed: bool  # an impact would be reported in this state
    impact: bool  # True from a detection until armed again
    detection: Detection | None = None  # set for the measurement that detected
    detection_time: int | None = None  # of the last detection so far [ns]
    detector: str = ""  # which one, of the names above
    suppressed: Suppressed | None = None  # set for the measurement that rose
    suppressed_count: int = 0  # of these so far

    @property
    def ready(self) -> bool:
        """Whether the statistic is defined."""
        return math.isfinite(self.statistic)
