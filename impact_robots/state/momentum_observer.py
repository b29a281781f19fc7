# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""External joint torques by the generalized-momentum observer."""

from __future__ import annotations

from collections.abc import Callable
from math import exp, sqrt

import numpy as np
import pinocchio as pin

from impact_robots.exceptions import OutOfRangeError
from impact_robots.robot import Robot

LARGEST_GAP = 50_000_000  # longest gap between samples that is integrated [ns]


def residual_noise(
    gain: float, period: float, momentum: np.ndarray, torque: np.ndarray | float
) -> np.ndarray:
    """Return the standard deviation of r where the sensors' noise is white, shape (k,) [N.m].

    Args:
        gain: K of the observer [1/s].
        period: between samples [s].
        momentum: standard deviation of p by the velocities' noise, k joints [N.m.s].
        torque: standard deviation of the torques, one or shape (k,) [N.m].
    """
    kept = exp(-gain * period)
    by_velocity = (1.0 - kept) / period * sqrt(2.0 / (1.0 + kept)) * momentum
    return np.hypot(by_velocity, sqrt((1.0 - kept) / (1.0 + kept)) * torque)


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
            OutOfRangeError: the gain is out of its range.
        """
        if not 0.0 < gain <= 1000.0:
            raise OutOfRangeError("gain", "above 0 and at most 1000 [1/s]", gain)
        self._model, self._data = robot.model, robot.model.createData()
        self.gain, self._friction = gain, friction
        self._motor_inertia = np.zeros(robot.dof) if motor_inertia is None else motor_inertia
        self.reset()

    def reset(self) -> None:
        """Restart at the next sample."""
        self._time: int | None = None
        self.residual = np.zeros(self._model.nv)  # r, shape (n,) [N.m]
        self.period = np.nan  # between the last two samples [s]

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
        if last is None or not 0 < time - last <= LARGEST_GAP:
            self.residual = np.zeros_like(momentum)
            self._last_momentum, self._rate = momentum, rate
            return False
        dt = self.period = (time - last) * 1e-9
        unexplained = (momentum - self._last_momentum) / dt - (self._rate + rate) / 2
        kept = exp(-self.gain * dt)
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
