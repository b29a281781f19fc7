# SPDX-License-Identifier: Apache-2.0
"""Momentum that no joint torque explains: what an impact gave to each joint, wherever it hit."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pinocchio as pin

from impact_detector.exceptions import EstimateError
from impact_detector.noise import white_noise
from impact_robots import ArmDynamics, ArmState, Robot

SMALLEST_NOISE = (1e-5, 1e-4)  # of velocities [rad/s] and torques [N.m]
LARGEST_GAP = 0.003  # between samples [s]
_BEFORE = (-0.046, -0.006)  # where there was no contact, since the detection [s]
_FEWEST = 10  # samples in there
_MODEL_ERROR = 0.02  # of torques integrated and of momentum: model, sensors' scale [-]
_SAMPLING_ERROR = 0.3  # of a torque's change from sample to sample, in its integral [-]


@dataclass(frozen=True)
class GeneralizedImpulse:
    """Result of :func:`generalized_impulse`; n joints."""

    jump: np.ndarray  # J^T iota of the contact, shape (n,) [N.m.s]
    covariance: np.ndarray  # shape (n, n) [(N.m.s)^2]
    state: ArmState  # before the contact


def generalized_impulse(
    robot: Robot,
    t: np.ndarray,
    q: np.ndarray,
    dq: np.ndarray,
    tau: np.ndarray,
    t_detection: float,
) -> GeneralizedImpulse:
    r"""Return what a contact has given to the joints up to the last sample.

    A torque sensor on the links' side knows all that the joint does to the links, so

    .. math:: s = M \dot q - \int (\tau + C^T \dot q - g)\, dt

    is constant but for the contact, and jumps by :math:`J^T \iota`. A line is fitted to s over the
    40 ms before any contact; the jump is how far the last sample is off it. Its covariance has the
    noise of velocities and torques, learnt from the same 40 ms, and what grows with the impact: 2 %
    of what moved, for model and sensors' scale, and what sampling misses of torques that change
    between samples.

    Args:
        robot: whose joints are measured.
        t: times, increasing, shape (N,) [s].
        q: joint positions, shape (N, n) [rad].
        dq: joint velocities, shape (N, n) [rad/s].
        tau: joint torques, gravity included, shape (N, n) [N.m].
        t_detection: of the impact, at most 6 ms after the touch [s].

    Raises:
        EstimateError: samples or torques are missing.
    """
    chosen = t >= t_detection + _BEFORE[0]
    x, q, dq, tau = t[chosen] - t_detection, q[chosen], dq[chosen], tau[chosen]
    before = x < _BEFORE[1]
    quiet = int(np.count_nonzero(before))
    if quiet < _FEWEST or quiet == len(x):
        raise EstimateError(
            f"generalized impulse: expected {_FEWEST} samples before and one after the contact, got"
            f" {quiet} and {len(x) - quiet}"
        )
    require_torques(x, tau)
    s = unexplained_momentum(robot, x, q, dq, tau)
    fitted = before.copy()
    fitted[-1] = True
    last = np.arange(len(x)) == len(x) - 1
    design = np.column_stack([np.ones_like(x), x, last])[fitted]
    jump = (np.linalg.pinv(design) @ s[fitted])[2]
    state = ArmDynamics(robot)(q[quiet - 1], dq[quiet - 1])
    noise = step_covariance(x, fitted, design, state.M, dq[before], tau[before])
    change = tau[quiet - 1 :] - tau[before].mean(axis=0)
    steps = np.diff(x[quiet - 1 :])[:, None]
    moved = (steps * (np.abs(change[1:]) + np.abs(change[:-1])) / 2).sum(axis=0)
    moved += np.abs(state.M @ (dq[-1] - dq[before].mean(axis=0)))
    missed = np.square(steps * np.diff(change, axis=0)).sum(axis=0)
    uncertain = (_MODEL_ERROR * moved) ** 2 + _SAMPLING_ERROR**2 * missed
    return GeneralizedImpulse(jump, noise + np.diag(uncertain), state)


def require_torques(x: np.ndarray, tau: np.ndarray) -> None:
    """Check times (N,) [s] and torques (N, n) of an integral.

    Raises:
        EstimateError: torques are missing, or there is a gap.
    """
    if not np.isfinite(tau).all():
        raise EstimateError("joint torques are missing")
    if np.diff(x).max() > LARGEST_GAP:
        raise EstimateError(f"{np.diff(x).max() * 1e3:.1f} ms without a sample")


def unexplained_momentum(
    robot: Robot, x: np.ndarray, q: np.ndarray, dq: np.ndarray, tau: np.ndarray
) -> np.ndarray:
    """Return s of :func:`generalized_impulse`, zero at the first sample, shape (N, n) [N.m.s].

    Args:
        robot: whose joints are measured.
        x: times, increasing, shape (N,) [s].
        q: joint positions, shape (N, n) [rad].
        dq: joint velocities, shape (N, n) [rad/s].
        tau: joint torques, gravity included, shape (N, n) [N.m].
    """
    model, data = robot.model, robot.model.createData()
    momentum, rate = np.empty_like(q), np.empty_like(q)
    for k in range(len(x)):
        pin.computeAllTerms(model, data, q[k], dq[k])
        C = pin.computeCoriolisMatrix(model, data, q[k], dq[k])
        momentum[k] = data.M @ dq[k]
        rate[k] = tau[k] + C.T @ dq[k] - data.g
    steps = np.diff(x)[:, None] * (rate[1:] + rate[:-1]) / 2
    s = momentum - momentum[0]
    s[1:] -= np.cumsum(steps, axis=0)
    return s


def step_covariance(
    x: np.ndarray,
    fitted: np.ndarray,
    design: np.ndarray,
    M: np.ndarray,
    dq: np.ndarray,
    tau: np.ndarray,
) -> np.ndarray:
    """Return what sensor noise does to the jump of s, shape (n, n) [(N.m.s)^2].

    Args:
        x: times, increasing, shape (N,) [s].
        fitted: which samples of s are fitted, shape (N,).
        design: matrix of the fit, whose third column is the step, shape (number fitted, 3).
        M: inertia matrix, shape (n, n).
        dq: velocities without contact, whose noise is learnt, shape (k, n) [rad/s].
        tau: torques of the same samples, shape (k, n) [N.m].
    """
    leverage = float(np.linalg.inv(design.T @ design)[2, 2])
    by_velocity = M @ np.diag(white_noise(dq, SMALLEST_NOISE[0]) ** 2) @ M
    # The noise of each torque sample is in the integral of all later ones.
    weights = np.zeros_like(x)
    weights[fitted] = np.linalg.pinv(design)[2]
    later = np.cumsum(weights[::-1])[::-1]
    walk = float(np.square(later[1:] * np.diff(x)).sum())
    return leverage * by_velocity + walk * np.diag(white_noise(tau, SMALLEST_NOISE[1]) ** 2)
