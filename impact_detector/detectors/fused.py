# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Velocity, torque and model in one statistic: the velocity jump that no joint torque explains."""

from __future__ import annotations

from math import nan

import numpy as np
import pinocchio as pin

from impact_detector.detectors.detector import StateDetector
from impact_detector.detectors.detector_kind import DETECTORS, DetectorKind, Setup
from impact_detector.exceptions import DetectorError
from impact_detector.signals.sample import FUSED, JointSample, from_seconds
from impact_robots import Robot
from impact_robots.compiling.direct_call import direct
from impact_robots.description.keys import TORQUE_NOISE, VELOCITY_NOISE

LARGEST_GAP = from_seconds(3e-3)  # longest gap between samples that are compared


class FusedDetector(StateDetector):
    r"""Declares an impact when joint velocities jump and joint torques do not explain it.

    A link-side torque sensor measures the torque on the link, so between two samples

    .. math:: y_k = \dot q_k - \dot q_{k-1} - \Delta t\, M^{-1}(\tau - h)

    is noise, slow model error (payload, friction behind the sensor: its mean over the last
    ``bias_samples`` is removed) or an external force. The statistic is the largest norm of the sum
    of y over 1 and 2 samples, whitened by its covariance: velocity noise, torque noise through
    M^-1, and a factor per joint that is learnt, at least ``LEAST``. So the threshold is in standard
    deviations for any arm. No reference torque is needed; an impact is detected in the links'
    motion before the joints' springs transmit it to the torque sensors.

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
            robot: that the joint states are of.
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
        # late import: numba takes a quarter of a second
        from impact_detector.compiled.fused_jump import no_jumps, statistic

        self._model, self._data = robot.model, robot.model.createData()
        # views: the work memory stays where it is
        self._M, self._h = self._data.M.reshape(robot.dof, robot.dof), self._data.nle
        self._variances = float(velocity_noise) ** 2, float(torque_noise) ** 2
        self._jumps = no_jumps(robot.dof, bias_samples)
        self._measured = self._jumps.measured
        self._compute(pin.neutral(robot.model), self._jumps.noise)
        started = self._jumps, self._M, self._h, 0.0, *self._variances
        self._compiled = direct(statistic, *started)  # here, not in a loop
        self._forget()

    def _forget(self) -> None:
        """Start without bias, and with the noise as given."""
        self._last: int | None = None  # time of the last sample with torque [ns]
        self._jumps.counts[:] = 0
        self._jumps.noise[:] = 1.0

    def _statistic(self, sample: JointSample) -> float:
        """Return the whitened jump, and learn from it."""
        if sample.tau is None:
            self._last = None
            return nan
        dt = 0.0
        if self._last is not None and sample.time - self._last <= LARGEST_GAP:
            dt = (sample.time - self._last) * 1e-9
        self._last = sample.time
        self._compute(sample.q, sample.dq)
        self._measured[0], self._measured[1] = sample.dq, sample.tau
        return self._compiled(self._jumps, self._M, self._h, dt, *self._variances)

    def _compute(self, q: np.ndarray, dq: np.ndarray) -> None:
        """Write mass matrix, its upper triangle, and Coriolis and gravity torque of a state."""
        pin.crba(self._model, self._data, q)
        pin.nonLinearEffects(self._model, self._data, q, dq)


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
