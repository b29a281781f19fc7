# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""External joint torques by the generalized-momentum observer, and impacts by them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import exp

import numpy as np
import pinocchio as pin

from impact_detector.detectors.detector_kind import DETECTORS, DetectorKind, Setup
from impact_detector.detectors.error_detector import ErrorDetector
from impact_detector.exceptions import DetectorError
from impact_detector.signals.sample import MOMENTUM, JointSample, from_seconds
from impact_robots import Robot

OBSERVER_GAIN = 700.0  # of the observer that the node makes [1/s]
_LARGEST_GAP = from_seconds(0.05)  # longest gap between samples that is integrated


class MomentumObserver:
    r"""Observes external joint torques without measuring accelerations.

    .. math:: r = K \left(p - p_0 - \int (\tau - \tau_f + C^T \dot q - g + r)\, dt\right),
              \quad p = (M + B) \dot q

    r follows the external torque with a first-order lag of 1/K (De Luca, Albu-Schaeffer, Haddadin,
    Hirzinger, IROS 2006): :math:`\dot r = K (u - r)`, where u is the momentum's rate minus the
    model's. Over a step it is replaced by its mean,

    .. math:: r_k = e^{-K \Delta t} r_{k-1} + (1 - e^{-K \Delta t})
              \left(\frac{p_k - p_{k-1}}{\Delta t} - \frac{m_k + m_{k-1}}{2}\right),
              \quad m = \tau - \tau_f + C^T \dot q - g

    so that it is stable at any rate, and exact for external torques that change with the samples
    (zero-order hold). With link-side torque sensors, as on a Panda, B and friction
    are zero; with motor torques B is the motors' inertia behind the gears.
    """

    def __init__(
        self,
        robot: Robot,
        gain: float = 200.0,
        *,
        motor_inertia: np.ndarray | None = None,
        friction: Callable[[np.ndarray], np.ndarray] | None = None,
    ) -> None:
        """Set up.

        Args:
            robot: whose joint states are observed.
            gain: K, > 0 and at most 1000 [1/s].
            motor_inertia: diagonal of B, shape (n,) [kg.m^2]; none: zero.
            friction: friction torque as a function of joint velocity; none: zero.

        Raises:
            DetectorError: the gain is out of its range.
        """
        if not 0.0 < gain <= 1000.0:
            raise DetectorError(f"gain: expected above 0 and at most 1000 [1/s], got {gain}")
        self._model, self._data = robot.model, robot.model.createData()
        self._gain, self._friction = gain, friction
        self._motor_inertia = np.zeros(robot.dof) if motor_inertia is None else motor_inertia
        self.reset()

    def reset(self) -> None:
        """Restart at the next sample."""
        self._time: int | None = None
        self.residual = np.zeros(self._model.nv)  # r, shape (n,) [N.m]

    def update(self, time: int, q: np.ndarray, dq: np.ndarray, tau: np.ndarray) -> bool:
        """Take one measurement; ``residual`` is then the external torque.

        Args:
            time: of the measurement [ns]; a gap of more than 50 ms restarts the observer.
            q: joint positions, shape (n,) [rad].
            dq: joint velocities, shape (n,) [rad/s].
            tau: joint torques, shape (n,) [N.m].

        Returns:
            False if this sample restarted the observer.
        """
        momentum, rate = self._momentum(q, dq, tau)
        last, self._time = self._time, time
        if last is None or not 0 < time - last <= _LARGEST_GAP:
            self.residual = np.zeros_like(momentum)
            self._last_momentum, self._rate = momentum, rate
            return False
        dt = (time - last) * 1e-9
        unexplained = (momentum - self._last_momentum) / dt - (self._rate + rate) / 2
        kept = exp(-self._gain * dt)
        self.residual = kept * self.residual + (1.0 - kept) * unexplained
        self._last_momentum, self._rate = momentum, rate
        return True

    def _momentum(
        self, q: np.ndarray, dq: np.ndarray, tau: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        """Return p and the model's rate of it, shape (n,) each [N.m.s], [N.m]."""
        model, data = self._model, self._data
        pin.computeAllTerms(model, data, q, dq)
        C = pin.computeCoriolisMatrix(model, data, q, dq)
        momentum = data.M @ dq + self._motor_inertia * dq
        rate = tau + C.T @ dq - data.g
        return momentum, rate if self._friction is None else rate - self._friction(dq)


class MomentumDetector(ErrorDetector):
    """Declares an impact when the observed external torques exceed a threshold together.

    Needs positions, velocities and torques, no reference. Its statistic is that of
    :class:`~impact_detector.detectors.error_detector.ErrorDetector` with the residual as error.
    """

    largest_gap = _LARGEST_GAP

    def __init__(
        self,
        observer: MomentumObserver,
        joints: Sequence[int],
        threshold: float = 5.0,
        *,
        rearm_time: float = 0.5,
        bias_samples: int = 50,
        multiples: bool = False,
    ) -> None:
        """Set up.

        Args:
            observer: of the robot, for this detector alone.
            joints: indices from 0 of the joints whose external torques count.
            threshold: of the sum [N.m], or in standard deviations.
            rearm_time: time below the threshold before the next impact is reported [s].
            bias_samples: quiet samples whose mean is removed; 0: none.
            multiples: the threshold is in standard deviations of learnt noise.

        Raises:
            DetectorError: no joints, or a value out of its range.
        """
        super().__init__(
            MOMENTUM,
            joints,
            threshold,
            rearm_time=rearm_time,
            bias_samples=bias_samples,
            multiples=multiples,
        )
        self._observer = observer

    def _forget(self) -> None:
        """Forget what was observed, too."""
        super()._forget()
        self._observer.reset()

    def _error(self, sample: JointSample) -> np.ndarray | None:
        """Return the residual, shape (n,) [N.m]."""
        if sample.tau is None:
            self._observer.reset()
            return None
        observed = self._observer.update(sample.time, sample.q, sample.dq, sample.tau)
        return self._observer.residual if observed else None


def _make(setup: Setup) -> MomentumDetector:
    return MomentumDetector(
        MomentumObserver(setup.robot, OBSERVER_GAIN),
        setup.joints,
        setup.threshold,
        rearm_time=setup.rearm_time,
        bias_samples=setup.bias_samples,
        multiples=setup.noise_multiples,
    )


DETECTORS.register(
    DetectorKind(MOMENTUM, MomentumDetector, _make, "sum of observed external torques", "N.m", 5.0)
)
