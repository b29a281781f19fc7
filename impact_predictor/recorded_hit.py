# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""A recorded hit: measurements of an arm's joints and a force sensor around a contact."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from impact_robots.state.state import PointState


def _nothing() -> np.ndarray:
    return np.zeros(0)


class HitTruth(NamedTuple):
    """True values of a simulated hit."""

    point: PointState  # that hit, at the first contact
    speed: float  # of approach along the announced normal [m/s]
    used: np.ndarray  # fractions of the limits of change and of range, shape (2 n,) [-]
    late: float = 0.0  # time zero of the recording after the first contact [s]

    @property
    def load(self) -> float:
        """Largest used fraction of a limit [-]."""
        return float(self.used.max())


@dataclass(frozen=True)
class RecordedHit:
    """Signals around a hit; N samples of n joints at any distances, all times on one clock.

    Time zero is the detected contact, or the expected one. Signals that were not recorded have no
    rows, or NaN.
    """

    time: np.ndarray  # since the contact, shape (N,) [s]
    position: np.ndarray  # of the links, shape (N, n) [rad]
    velocity: np.ndarray  # of the links, shape (N, n) [rad/s]
    torque: np.ndarray  # of the springs, measured, gravity included, shape (N, n) [N.m]
    command: np.ndarray | None = None  # to the torque loop, shape (N, n) [N.m]; None: constant
    force_time: np.ndarray = field(default_factory=_nothing)  # since the contact, shape (F,) [s]
    force: np.ndarray = field(default_factory=_nothing)  # on the robot, sensor's axes, (F, 3) [N]
    statistic_time: np.ndarray = field(default_factory=_nothing)  # of the detector, shape (S,) [s]
    statistic: np.ndarray = field(default_factory=_nothing)  # shape (S,) [the detector's unit]
    detected: bool = True  # time zero is the detector's
    truth: HitTruth | None = None  # of a simulated hit
