# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Whether the torques are placeholders of a driver without sensors."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from impact_detector.signals.sample import JointSample, all_finite, from_seconds

LONGEST_STILL = from_seconds(0.05)  # without any change; a sensor's noise changes every sample
FEWEST_STILL = 10  # samples, whatever their rate
MOVED = 0.02  # motion of a joint that changes a measured torque [rad; m]
HEAVY = 1.0  # gravity torque that no sensor reads as zero [N.m]

NEVER_CHANGES = "the effort does not change while the arm moves: it is not measured"
ALWAYS_ZERO = "the effort is exactly zero, but gravity is not: it is not measured"


class TorqueWatch:
    """Reports placeholder torques, as of mock hardware: constant, or exactly zero.

    An arm at rest without noise, as in a noise-free simulation, is accepted. Torques are
    placeholders if they stay bit-identical while a joint moves, or all zero although the model has
    gravity torque, for 50 ms and 10 samples.
    """

    def __init__(self, gravity: Callable[[np.ndarray], np.ndarray]) -> None:
        """Compare with ``gravity``, the torque at positions q, shape (n,) [N.m]."""
        self._gravity = gravity
        self._torque = b""
        self._since, self._count = 0, 0
        self._start = np.zeros(0)  # positions when the torque changed last

    def reason(self, sample: JointSample) -> str:
        """Return why the torque of the next sample is a placeholder; empty if it is not."""
        if sample.tau is None:
            return ""
        torque = sample.tau.tobytes()
        if torque != self._torque or sample.time < self._since:
            self._torque, self._since, self._count = torque, sample.time, 1
            self._start = sample.q
            return ""
        self._count += 1
        if self._count < FEWEST_STILL or sample.time - self._since < LONGEST_STILL:
            return ""
        if not all_finite(self._start):
            self._start = sample.q
        if not all_finite(sample.q, sample.tau):
            return ""
        if not sample.tau.any() and np.abs(self._gravity(sample.q)).max() > HEAVY:
            return ALWAYS_ZERO
        return NEVER_CHANGES if np.abs(sample.q - self._start).max() > MOVED else ""
