# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Impact detection by comparing measured with reference joint torques."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from impact_detector.detectors.detector_kind import DETECTORS, DetectorKind, Setup
from impact_detector.detectors.error_detector import ErrorDetector
from impact_detector.signals.sample import TORQUE_ERROR, JointSample


class TorqueErrorDetector(ErrorDetector):
    r"""Declares an impact when the summed torque error exceeds a threshold.

    .. math:: e_\tau = \sum_{i \in S} |\tau_i - \tau_i^{ref} - b_i| > \tau_0

    (Wang 2022, section VI, with the inequality the
    right way round). A sample without measured or reference torque makes the detector not ready.
    """

    needs_reference = True

    def __init__(
        self,
        joints: Sequence[int],
        threshold: float = 2.5,
        *,
        rearm_time: float = 0.5,
        bias_samples: int = 50,
        multiples: bool = False,
        noise: float | np.ndarray = 0.0,
    ) -> None:
        """Set up.

        Args:
            joints: indices S from 0, in the robot's joint order.
            threshold: tau_0 [N.m], or in standard deviations.
            rearm_time: time below the threshold before the next impact is reported [s].
            bias_samples: N, 0 for no removal of bias: the published statistic.
            multiples: the threshold is in standard deviations of learnt noise.
            noise: of the torque sensors, standard deviation, one or shape (k,), k joints [N.m]; 0:
                not known.

        Raises:
            DetectorError: no joints, or a value out of its range.
        """
        super().__init__(
            TORQUE_ERROR,
            joints,
            threshold,
            rearm_time=rearm_time,
            bias_samples=bias_samples,
            multiples=multiples,
            noise=noise,
        )

    def _looked_at(self, sample: JointSample) -> tuple[np.ndarray | None, ...]:
        return sample.q, sample.dq, sample.tau, sample.tau_ref

    def _error(self, sample: JointSample) -> np.ndarray | None:
        """Return the torque error, shape (n,) [N.m]."""
        if sample.tau is None or sample.tau_ref is None:
            return None
        return sample.tau - sample.tau_ref


def _make(setup: Setup) -> TorqueErrorDetector:
    return TorqueErrorDetector(
        setup.joints,
        setup.threshold,
        rearm_time=setup.rearm_time,
        bias_samples=setup.bias_samples,
        multiples=setup.noise_multiples,
        noise=setup.robot.torque_noise,
    )


DETECTORS.register(
    DetectorKind(
        TORQUE_ERROR,
        TorqueErrorDetector,
        _make,
        "sum of torque errors",
        "N.m",
        2.5,
        own_parameter="threshold",
    )
)
