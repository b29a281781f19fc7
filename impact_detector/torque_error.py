# SPDX-License-Identifier: Apache-2.0
"""Impact detection by comparing measured with reference joint torques."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from impact_detector.exceptions import DetectorError
from impact_detector.latch import ThresholdLatch
from impact_detector.sample import TORQUE_ERROR, JointSample, Verdict, from_seconds

APPROACH_MEMORY = from_seconds(0.05)  # an impact stops the approach before it is detected
LEARN_BELOW = 0.5  # fraction of the threshold up to which a torque error may be model error


class TorqueErrorDetector:
    r"""Declares an impact when the summed torque error exceeds a threshold.

    .. math:: e_\tau = \sum_{i \in S} |\tau_i - \tau_i^{ref} - b_i| > \tau_0

    (specification section 7, DET-TAU, after Wang et al. 2022, section VI, with the inequality the
    right way round). :math:`b` is the mean error of the last ``bias_samples`` = N quiet samples.
    It removes what changes slowly, such as an unknown payload or friction, and leaves what an
    impact does within milliseconds. Samples above half the threshold are not learnt, so a rising
    statistic freezes the bias and a long push is not learnt away. Until N samples are there the
    detector is not ready. N = 0 turns the removal off: the published statistic, ready at once.

    A repeated time stamp is ignored, a backward one resets, a sample with NaN is dropped and
    counted, a sample without measured or reference torque makes the detector not ready.
    """

    def __init__(
        self,
        joints: Sequence[int],
        threshold: float = 2.5,
        *,
        rearm_time: float = 0.5,
        bias_samples: int = 50,
    ) -> None:
        """Set up.

        Args:
            joints: indices S from 0, in the robot's joint order.
            threshold: tau_0 [N.m].
            rearm_time: time below the threshold before the next impact is reported [s].
            bias_samples: N, 0 for no removal of bias.

        Raises:
            DetectorError: no joints, or a value out of its range.
        """
        if not len(joints) or min(joints) < 0:
            raise DetectorError(f"joints: expected at least one index from 0, got {list(joints)}")
        if bias_samples < 0:
            raise DetectorError(f"bias_samples: expected at least 0, got {bias_samples}")
        self._joints = np.array(joints, dtype=int)
        self._latch = ThresholdLatch(TORQUE_ERROR, threshold, rearm_time=rearm_time)
        self._bias = _Bias(bias_samples, len(joints))
        self._approached: int | None = None
        self.dropped = 0  # samples with NaN, since the start or the last reset

    def reset(self) -> None:
        """Forget everything that was measured."""
        self._latch.reset()
        self._bias.clear()
        self._approached = None
        self.dropped = 0

    def update(self, sample: JointSample) -> Verdict:
        """Return the verdict on the next sample."""
        repeated = self._latch.repeated(sample.time)
        if repeated is not None:
            return repeated
        if self._latch.is_backward(sample.time):
            self.reset()
        if sample.approaching:
            self._approached = sample.time
        statistic = self._statistic(sample)
        return self._latch.judge(sample.time, statistic, allowed=self._gate(sample.time))

    def _gate(self, time: int) -> bool:
        """Tell whether the robot approached now or a moment ago."""
        return self._approached is not None and time - self._approached <= APPROACH_MEMORY

    def _statistic(self, sample: JointSample) -> float:
        """Return e_tau [N.m], NaN when it cannot be had, and learn the bias from it."""
        if sample.tau is None or sample.tau_ref is None:
            return float("nan")
        error = (sample.tau - sample.tau_ref)[self._joints]
        finite = np.isfinite(error).all() and np.isfinite(sample.q).all()
        if not (finite and np.isfinite(sample.dq).all()):
            self.dropped += 1
            return float("nan")
        if not self._bias.ready:
            self._bias.learn(error)
            return float("nan")
        statistic = float(np.abs(error - self._bias.value).sum())
        if statistic <= LEARN_BELOW * self._latch.threshold:
            self._bias.learn(error)
        return statistic


class _Bias:
    """Mean of the last N torque errors, shape (k,) [N.m]."""

    def __init__(self, samples: int, joints: int) -> None:
        self._window = np.zeros((samples, joints))
        self._zero = np.zeros(joints)
        self._learnt = 0

    @property
    def ready(self) -> bool:
        return self._learnt >= len(self._window)

    @property
    def value(self) -> np.ndarray:
        return self._window.mean(axis=0) if len(self._window) else self._zero

    def learn(self, error: np.ndarray) -> None:
        if len(self._window):
            self._window[self._learnt % len(self._window)] = error
            self._learnt += 1

    def clear(self) -> None:
        self._learnt = 0
