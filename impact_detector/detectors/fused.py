# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Velocity, torque and model in one statistic: the velocity jump that no joint torque explains."""

from __future__ import annotations

from collections import deque
from math import nan, sqrt

import numpy as np
import pinocchio as pin
from scipy.linalg.lapack import dposv

from impact_detector.detectors.detector import StateDetector
from impact_detector.detectors.detector_kind import DETECTORS, DetectorKind, Setup
from impact_detector.exceptions import DetectorError
from impact_detector.signals.sample import FUSED, JointSample, from_seconds
from impact_robots import Robot
from impact_robots.keys import TORQUE_NOISE, VELOCITY_NOISE

WINDOWS = (1, 2)  # samples over which a jump is summed
DELAY = 4  # samples between the windows and what the bias is learnt from
LEARNT = 1000.0  # samples in which the noise is learnt
LARGEST_GAP = from_seconds(3e-3)  # between samples, across which nothing is compared


class FusedDetector(StateDetector):
    r"""Declares an impact when joint velocities jump and the joint torques do not say why.

    A link-side torque sensor knows what the joint does to the link, so between two samples

    .. math:: y_k = \dot q_k - \dot q_{k-1} - \Delta t\, M^{-1}(\tau - h)

    is noise, slow model error (payload, friction behind the sensor: its mean over the last
    ``bias_samples`` is removed) or an external force. The statistic is the largest norm of the sum
    of y over 1 and 2 samples, whitened by its covariance: velocity noise, torque noise through
    M^-1, and a factor per joint that is learnt while moving. So the threshold is in standard
    deviations, whatever arm it is. It needs no reference torque, and sees an impact in the links'
    motion before the joints' springs pass it on to the torque sensors.

    A sample without torque, or after a gap, makes the detector not ready for as long as it must
    wait for new samples.
    """

    largest_gap = LARGEST_GAP

    def __init__(
        self,
        robot: Robot,
        threshold: float = 15.0,
        *,
        rearm_time: float = 0.5,
        bias_samples: int = 50,
        velocity_noise: float = VELOCITY_NOISE,
        torque_noise: float = TORQUE_NOISE,
    ) -> None:
        """Set up.

        Args:
            robot: whose joint states are judged.
            threshold: in standard deviations of the whitened jump, > 0 [-].
            rearm_time: time below the threshold before the next impact is reported [s].
            bias_samples: over which the mean of y is taken, at least 1.
            velocity_noise: standard deviation to begin with, > 0 [rad/s].
            torque_noise: standard deviation to begin with, > 0 [N.m].

        Raises:
            DetectorError: a value is out of its range.
        """
        super().__init__(FUSED, threshold, rearm_time=rearm_time)
        if bias_samples < 1:
            raise DetectorError(f"bias_samples: expected at least 1, got {bias_samples}")
        for name, value in (("velocity_noise", velocity_noise), ("torque_noise", torque_noise)):
            if not 0.0 < value < float("inf"):
                raise DetectorError(f"{name}: expected a number > 0, got {value}")
        self._model, self._data = robot.model, robot.model.createData()
        self._n, self._identity = robot.dof, np.eye(robot.dof)
        self._velocity_variance = velocity_noise**2 * self._identity
        self._torque_variance = torque_noise**2
        self._recent: deque[tuple[float, np.ndarray]] = deque(maxlen=max(WINDOWS) + DELAY)
        self._quiet = np.zeros((bias_samples, 1 + robot.dof))  # time and y of the bias, a ring
        self._sum = np.ones(bias_samples)
        self._forget()

    def _forget(self) -> None:
        """Start without bias, and with the noise as given."""
        self._last: tuple[int, np.ndarray, np.ndarray] | None = None
        self._recent.clear()
        self._learnt = 0  # samples of the bias so far
        self._noise = np.ones(self._n)  # variance of each joint's jump over the expected one

    def _statistic(self, sample: JointSample) -> float:
        """Return the whitened jump, and learn from it."""
        if sample.tau is None:
            self._last = None
            return nan
        pin.computeAllTerms(self._model, self._data, sample.q, sample.dq)
        _, mobility, _ = dposv(self._data.M.reshape(self._n, self._n), self._identity)
        unexplained = self._jump(sample, mobility, sample.tau - self._data.nle)
        if unexplained is None:
            self._recent.clear()
            return nan
        if len(self._recent) == self._recent.maxlen:
            place = self._quiet[self._learnt % len(self._quiet)]
            place[0], place[1:] = self._recent[0]
            self._learnt += 1
        self._recent.append(unexplained)
        if self._learnt < len(self._quiet) or len(self._recent) < max(WINDOWS):
            return nan
        return self._whitened(mobility)

    def _jump(
        self, sample: JointSample, mobility: np.ndarray, net_torque: np.ndarray
    ) -> tuple[float, np.ndarray] | None:
        """Return the time since the last sample [s] and y (n,) [rad/s]; none after a gap."""
        last, self._last = self._last, (sample.time, sample.dq, net_torque)
        if last is None or sample.time - last[0] > LARGEST_GAP:
            return None
        dt = (sample.time - last[0]) * 1e-9
        return dt, sample.dq - last[1] - dt / 2 * mobility.dot(net_torque + last[2])

    def _whitened(self, mobility: np.ndarray) -> float:
        """Return the largest norm over the windows."""
        summed = self._sum.dot(self._quiet)
        span, drift = float(summed[0]), summed[1:] / summed[0]  # [s], [rad/s^2]
        by_torque = mobility.dot(mobility.T)
        scale = np.sqrt(self._noise)
        largest, learnt = 0.0, self._noise
        for window in WINDOWS:
            time, jump = self._recent[-1]
            for i in range(2, window + 1):
                time, jump = time + self._recent[-i][0], jump + self._recent[-i][1]
            jump = jump - time * drift
            of_torque = (time / window) ** 2 * (window - 0.5) * self._torque_variance
            of_velocity = 2 * (1 + (time / span) ** 2)
            covariance = of_velocity * self._velocity_variance + of_torque * by_torque
            whitened = jump / scale
            _, solved, _ = dposv(covariance, whitened)
            squared = float(whitened.dot(solved))
            largest = max(largest, sqrt(max(squared, 0.0)))
            learnt = jump**2 / covariance.diagonal()
        # clipped, so that an impact is not learnt
        self._noise = self._noise + (np.minimum(learnt, 9 * self._noise) - self._noise) / LEARNT
        return largest


def _make(setup: Setup) -> FusedDetector:
    """Return the detector of a robot, with the noise of its sensors."""
    return FusedDetector(
        setup.robot,
        setup.threshold,
        rearm_time=setup.rearm_time,
        bias_samples=max(1, setup.bias_samples),
        velocity_noise=setup.robot.velocity_noise,
        torque_noise=setup.robot.torque_noise,
    )


DETECTORS.register(
    DetectorKind(
        FUSED, FusedDetector, _make, "velocity jump that no joint torque explains", "sigma", 15.0
    )
)
