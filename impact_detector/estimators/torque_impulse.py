# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Impulse at the contact point without a force sensor, from joint torques and motion."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from impact_detector.attribution.generalized_impulse import (
    LARGEST_GAP,
    step_covariance,
    unexplained_momentum,
)
from impact_detector.exceptions import EstimateError
from impact_robots import ArmDynamics, ContactPoint, Robot
from impact_robots.state.contact_frame import OWN

CONTACT = 0.02  # the contact is over by then; 12 to 20 ms in the literature [s]
WINDOW = 0.04  # before contact, and after release [s]
MODEL_ERROR = 0.03  # of the jump of momentum: standard deviation [-]
_MARGIN = 5e-4  # how much earlier the contact may have been [s]
_FEWEST = 10  # samples on each side
_WORST_CONDITION = 1e3  # of the contact Jacobian


@dataclass(frozen=True)
class TorqueImpulse:
    """Result of :func:`torque_impulse`."""

    impulse: np.ndarray  # on the robot at the contact point, base axes, shape (3,) [N.s]
    covariance: np.ndarray  # shape (3, 3) [(N.s)^2]
    condition: float  # of the contact Jacobian: observability of all directions by the joints [-]
    misfit: float  # chi^2 per degree of freedom of what no impulse at that point explains [-]

    @property
    def std(self) -> float:
        """Standard deviation along the impulse [N.s]."""
        size = float(np.linalg.norm(self.impulse))
        direction = self.impulse / size if size > 0.0 else np.array([1.0, 0.0, 0.0])
        return float(np.sqrt(direction @ self.covariance @ direction))


def torque_impulse(
    robot: Robot,
    t: np.ndarray,
    q: np.ndarray,
    dq: np.ndarray,
    tau: np.ndarray,
    t_touch: float,
    contact: ContactPoint = OWN,
) -> TorqueImpulse:
    r"""Estimate the impulse from momentum that joint torques do not explain.

    The s of :func:`~impact_detector.attribution.generalized_impulse.generalized_impulse` is
    constant but for the contact, and jumps by :math:`J^T \iota`. One line with one jump is fitted
    to it over 40 ms before contact and 20 to 60 ms after it; its slope takes up what is
    constantly wrong with the model or the sensors. The jump is solved for the impulse by least
    squares, weighted by velocity noise through M, by integrated torque noise and by 3 % of the
    jump, for links whose inertia is not known better. M is that of the links: the motors' inertia
    lies behind the sensor.

    Args:
        robot: whose joints are measured.
        t: times, increasing, shape (N,) [s].
        q: joint positions, shape (N, n) [rad].
        dq: joint velocities, shape (N, n) [rad/s].
        tau: joint torques, gravity included, shape (N, n) [N.m].
        t_touch: first contact [s].
        contact: point at which the impulse acts.

    Raises:
        EstimateError: samples or torques are missing, or the pose is singular.
    """
    chosen = (t >= t_touch - WINDOW) & (t <= t_touch + CONTACT + WINDOW)
    x, before, after = _windows(t[chosen] - t_touch, tau[chosen])
    s = unexplained_momentum(robot, x, q[chosen], dq[chosen], tau[chosen])
    fitted = before | after
    design = np.column_stack([np.ones_like(x), x, after.astype(float)])[fitted]
    jump = np.linalg.lstsq(design, s[fitted], rcond=None)[0][2]
    state = ArmDynamics(robot).state(q[chosen][before][-1], dq[chosen][before][-1]).at(*contact)
    quiet = chosen & (t < t_touch - _MARGIN)
    covariance = step_covariance(x, fitted, design, state.M, dq[quiet], tau[quiet])
    covariance += np.diag((MODEL_ERROR * np.abs(jump)) ** 2)
    return _solve(state.J[:3], jump, covariance)


def _windows(x: np.ndarray, tau: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return the times and which samples lie before and after the contact."""
    before, after = x < -_MARGIN, x >= CONTACT
    if min(np.count_nonzero(before), np.count_nonzero(after)) < _FEWEST:
        raise EstimateError(
            f"torque impulse: expected {_FEWEST} samples before and after the contact, got"
            f" {np.count_nonzero(before)} and {np.count_nonzero(after)}"
        )
    if not np.isfinite(tau).all():
        raise EstimateError("joint torques are missing")
    if np.diff(x).max() > LARGEST_GAP:
        raise EstimateError(f"{np.diff(x).max() * 1e3:.1f} ms without a sample")
    return x, before, after


def _solve(J: np.ndarray, jump: np.ndarray, covariance: np.ndarray) -> TorqueImpulse:
    """Return the impulse of a jump of s, shape (n,), with its covariance (n, n)."""
    condition = float(np.linalg.cond(J))
    if not condition < _WORST_CONDITION:
        raise EstimateError(f"torque impulse: singular pose, condition {condition:.0f}")
    weight = np.linalg.inv(covariance)
    of_impulse = np.linalg.inv(J @ weight @ J.T)
    impulse = of_impulse @ (J @ (weight @ jump))
    left = jump - J.T @ impulse
    misfit = float(left @ weight @ left) / max(len(jump) - 3, 1)
    return TorqueImpulse(impulse, max(misfit, 1.0) * of_impulse, condition, misfit)
