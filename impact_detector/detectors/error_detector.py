# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Detectors whose statistic is the size of an error that has zero mean without an impact."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from math import nan

import numpy as np

from impact_detector.detectors.detector import StateDetector
from impact_detector.exceptions import DetectorError
from impact_detector.signals.noise import LEAST
from impact_detector.signals.sample import JointSample

LEARN_BELOW = 0.5  # fraction of the threshold up to which an error may be model error
NOISE_SAMPLES = 200  # from which the noise is learnt before it is used


class ErrorDetector(StateDetector):
    r"""Declares an impact when the errors of some joints exceed a threshold together.

    .. math:: e = \sum_{i \in S} |e_i - b_i|

    :math:`b` is the mean error of the last ``bias_samples`` = N quiet samples. It removes slow
    errors, such as those of an unknown payload or friction, but not the change by an impact within
    milliseconds. Samples above half the threshold are not averaged, so a rising statistic freezes
    the bias and a long push does not enter it. With fewer than N samples the detector is not
    ready. N = 0: no bias is removed, and the detector is ready at once.

    With ``multiples`` the threshold is in standard deviations instead: each error is divided by
    the standard deviation learnt from the first 200 samples and, slowly, from quiet ones after
    them, and the mean over the joints is taken. Much less than the sensor's noise is not believed.
    """

    learns_below_threshold = True

    def __init__(
        self,
        name: str,
        joints: Sequence[int],
        threshold: float,
        *,
        rearm_time: float = 0.5,
        bias_samples: int = 50,
        multiples: bool = False,
        noise: float | np.ndarray = 0.0,
    ) -> None:
        """Set up.

        Args:
            name: of the detector in its detections.
            joints: indices S from 0, in the robot's joint order.
            threshold: of the sum [unit of the error], or in standard deviations.
            rearm_time: time below the threshold before the next impact is reported [s].
            bias_samples: N, 0 for no removal of bias.
            multiples: the threshold is in standard deviations of learnt noise.
            noise: of the errors by the sensors' alone, standard deviation, one or shape (k,), k
                joints [unit of the error]; 0: not known.

        Raises:
            DetectorError: no joints, or a value out of its range.
        """
        if not len(joints) or min(joints) < 0:
            raise DetectorError(f"joints: expected at least one index from 0, got {list(joints)}")
        if bias_samples < 0:
            raise DetectorError(f"bias_samples: expected at least 0, got {bias_samples}")
        super().__init__(name, threshold, rearm_time=rearm_time)
        self._joints = np.array(joints, dtype=int)
        self._bias = _Bias(bias_samples, len(joints))
        self._noise = _Noise(len(joints)) if multiples else None
        self._least = LEAST * np.square(noise)  # variance, one or shape (k,)

    def _forget(self) -> None:
        """Reset bias and noise."""
        self._bias.clear()
        if self._noise is not None:
            self._noise.clear()

    def _statistic(self, sample: JointSample) -> float:
        """Return e, NaN if unavailable, and update bias and noise."""
        error = self._error(sample)
        if error is None:
            return nan
        error = error[self._joints]
        if not self._bias.ready:
            self._bias.learn(error)
            return nan
        deviation = error - self._bias.value
        if self._noise is None:  # five times as fast as numpy for few joints
            statistic = float(sum(map(abs, deviation.tolist())))
        else:
            statistic = self._noise.multiple(np.abs(deviation), self._least)
        if statistic <= LEARN_BELOW * self.threshold:
            self._bias.learn(error)
        return statistic

    @abstractmethod
    def _error(self, sample: JointSample) -> np.ndarray | None:
        """Return the error of every joint, shape (n,), or None if unavailable."""


class _Bias:
    """Mean of the last N errors, shape (k,)."""

    def __init__(self, samples: int, joints: int) -> None:
        self._window, self._samples = np.zeros((samples, joints)), samples
        self._weights = np.full(samples, 1.0 / max(1, samples))
        self._learnt = 0

    @property
    def ready(self) -> bool:
        return self._learnt >= self._samples

    @property
    def value(self) -> np.ndarray:
        return self._weights.dot(self._window)  # mean, four times as fast; 0 without a window

    def learn(self, error: np.ndarray) -> None:
        if self._samples:
            self._window[self._learnt % self._samples] = error
            self._learnt += 1

    def clear(self) -> None:
        self._learnt = 0


class _Noise:
    """Variance of k errors, learnt while there is no impact."""

    def __init__(self, joints: int) -> None:
        self._joints = joints
        self.clear()

    def clear(self) -> None:
        self._variance, self._learnt = np.zeros(self._joints), 0

    def multiple(self, deviation: np.ndarray, least: np.ndarray) -> float:
        """Return the mean of the deviations over their standard deviations; NaN while learning."""
        squared = deviation**2
        ready = self._learnt >= NOISE_SAMPLES
        if ready:  # clipped, so that an impact is not learnt
            squared = np.minimum(squared, 9 * self._variance)
        self._learnt += 1
        weight = 1 / min(self._learnt, 5 * NOISE_SAMPLES)
        variance = self._variance
        self._variance = np.maximum(variance + weight * (squared - variance), least)
        if not ready or not variance.all():
            return nan
        return float(np.mean(deviation / np.sqrt(variance)))
