# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Impact detection by joint accelerations, from jumps of velocity."""

from __future__ import annotations

from collections.abc import Sequence
from math import nan

import numpy as np

from impact_detector.detectors.detector import StateDetector
from impact_detector.detectors.detector_kind import DETECTORS, DetectorKind, Setup
from impact_detector.exceptions import DetectorError
from impact_detector.signals.sample import ACCELERATION, JointSample, from_seconds

_LARGEST_GAP = from_seconds(0.011)  # 10 ms, and room for jitter of the stamps


class AccelerationDetector(StateDetector):
    r"""Declares an impact when any joint accelerates faster than a threshold.

    Causal: :math:`(\dot q_k - \dot q_{k-2})/(t_k - t_{k-2})`, half the noise of one difference.
    With 4e-3 rad/s of velocity noise its standard deviation is 2.8 rad/s^2 at 1 kHz. Needs
    velocities alone. Velocities are not differentiated across a gap of more than 11 ms.
    """

    largest_gap = _LARGEST_GAP
    needs_torque = False

    def __init__(
        self,
        joints: Sequence[int],
        threshold: float = 25.0,
        *,
        rearm_time: float = 0.5,
        debounce: int = 1,
    ) -> None:
        """Set up.

        Args:
            joints: indices from 0 of the joints that are used.
            threshold: of the largest magnitude [rad/s^2].
            rearm_time: time below the threshold before the next impact is reported [s].
            debounce: successive samples above the threshold that make an impact.

        Raises:
            DetectorError: no joints, or a value out of its range.
        """
        if not len(joints) or min(joints) < 0:
            raise DetectorError(f"joints: expected at least one index from 0, got {list(joints)}")
        super().__init__(ACCELERATION, threshold, rearm_time=rearm_time, debounce=debounce)
        self._joints = np.array(joints, dtype=int)
        self._forget()

    def _forget(self) -> None:
        self._last: list[tuple[int, np.ndarray]] = []

    def _looked_at(self, sample: JointSample) -> tuple[np.ndarray | None, ...]:
        return (sample.dq,)

    def _statistic(self, sample: JointSample) -> float:
        """Return the largest acceleration [rad/s^2]."""
        if self._last and sample.time - self._last[-1][0] > _LARGEST_GAP:
            self._last.clear()
        self._last.append((sample.time, sample.dq[self._joints]))
        if len(self._last) < 3:
            return nan
        (start, before), _, (end, now) = self._last
        del self._last[0]
        return float(np.abs(now - before).max()) / ((end - start) * 1e-9)


def _make(setup: Setup) -> AccelerationDetector:
    """Return the detector on all joints but the last, as published for seven."""
    joints = range(max(1, setup.robot.dof - 1))
    return AccelerationDetector(joints, setup.threshold, rearm_time=setup.rearm_time)


DETECTORS.register(
    DetectorKind(ACCELERATION, AccelerationDetector, _make, "joint acceleration", "rad/s^2", 25.0)
)
