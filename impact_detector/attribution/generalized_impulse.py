# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Generalized impulse of an impact at any point: momentum that joint torques do not explain."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf

import numpy as np
import pinocchio as pin

from impact_detector.exceptions import EstimateError
from impact_detector.signals.noise import white_noise
from impact_robots import ArmDynamics, ContactPoint, PointState, Robot
from impact_robots.state.contact_frame import OWN

SMALLEST_NOISE = (1e-5, 1e-4)  # of velocities [rad/s] and torques [N.m]
LARGEST_GAP = 0.003  # between samples [s]
HISTORY = 0.25  # before the detection, from which noise is learnt [s]
_BEFORE = (-0.046, -0.006)  # where the line is fitted: no contact yet, since the detection [s]
_STEP = 5  # samples between fits without a contact
_FEWEST = 10  # samples in there
_MODEL_ERROR = 0.02  # of torques integrated and of momentum: model, sensors' scale [-]
_SAMPLING_ERROR = 0.3  # of a torque's change from sample to sample, in its integral [-]


@dataclass(frozen=True)
class GeneralizedImpulse:
    """Result of :func:`generalized_impulse`; n joints."""

    jump: np.ndarray  # J^T iota of the contact, shape (n,) [N.m.s]
    covariance: np.ndarray  # shape (n, n) [(N.m.s)^2]
    state: PointState  # of a contact point, before the contact


def generalized_impulse(
    robot: Robot,
    t: np.ndarray,
    q: np.ndarray,
    dq: np.ndarray,
    tau: np.ndarray,
    t_detection: float,
    contact: ContactPoint = OWN,
) -> GeneralizedImpulse:
    r"""Return the generalized impulse of a contact up to the last sample.

    A link-side torque sensor measures the whole torque on the links, so

    .. math:: s = M \dot q - \int (\tau + C^T \dot q - g)\, dt

    is constant without contact, and jumps by :math:`J^T \iota`. A line is fitted to s over the
    40 ms before any contact; the jump is the distance of the last sample from it. The covariance
    contains the noise of velocities and torques over the previous 250 ms, scaled by the residuals
    of the same fit there, and terms that grow with the impact: 2 % of the moved momentum, for model
    and sensor scale, and the sampling error of torques that change between samples.

    Args:
        robot: whose joints are measured.
        t: times, increasing, shape (N,) [s].
        q: joint positions, shape (N, n) [rad].
        dq: joint velocities, shape (N, n) [rad/s].
        tau: joint torques, gravity included, shape (N, n) [N.m].
        t_detection: of the impact, at most 6 ms after contact [s].
        contact: point whose state is returned.

    Raises:
        EstimateError: samples or torques are missing.
    """
    first = max(first_usable(t, tau), int(np.searchsorted(t, t_detection - HISTORY)))
    x, q, dq, tau = t[first:] - t_detection, q[first:], dq[first:], tau[first:]
    fitted = (x >= _BEFORE[0]) & (x < _BEFORE[1])
    quiet = x < _BEFORE[1]
    if np.count_nonzero(fitted) < _FEWEST or quiet[-1]:
        raise EstimateError(
            f"generalized impulse: expected {_FEWEST} samples before and one after the contact,"
            f" without gap, got {np.count_nonzero(fitted)} and {np.count_nonzero(~quiet)}"
        )
    s = unexplained_momentum(robot, x, q, dq, tau)
    last, at = len(x) - 1, int(np.flatnonzero(quiet)[-1])
    fitted[last] = True
    design = np.column_stack([np.ones_like(x), x, np.arange(len(x)) == last])[fitted]
    state = ArmDynamics(robot).state(q[at], dq[at]).at(*contact)
    noise = step_covariance(x, fitted, design, state.M, dq[quiet], tau[quiet])
    weights, places = np.linalg.pinv(design)[2], np.flatnonzero(fitted)
    scale = noise_scale(s, weights, places, at, noise)
    change = tau[at:] - tau[quiet & fitted].mean(axis=0)
    steps = np.diff(x[at:])[:, None]
    moved = (steps * (np.abs(change[1:]) + np.abs(change[:-1])) / 2).sum(axis=0)
    moved += np.abs(state.M @ (dq[last] - dq[quiet & fitted].mean(axis=0)))
    uncertain = (_MODEL_ERROR * moved) ** 2 + missed_by_sampling(steps, change)
    covariance = noise * np.outer(scale, scale) + np.diag(uncertain)
    return GeneralizedImpulse(weights @ s[places], covariance, state)


def first_usable(t: np.ndarray, tau: np.ndarray, until: float = inf) -> int:
    """Return the first index after the last gap and the last missing torque.

    Args:
        t: times, increasing, shape (N,) [s].
        tau: joint torques, shape (N, n); those that are not finite are missing.
        until: gaps that begin later, and torques that are missing later, do not count [s].
    """
    broken = ~np.isfinite(tau).all(axis=1)
    broken[:-1] |= np.diff(t) > LARGEST_GAP
    broken &= t < until
    return int(np.flatnonzero(broken)[-1]) + 1 if broken.any() else 0


def noise_scale(
    s: np.ndarray, weights: np.ndarray, places: np.ndarray, at: int, noise: np.ndarray
) -> np.ndarray:
    """Return the ratio of jumps before the contact to those of white noise, shape (n,).

    The same fit is moved back in steps of 5 samples, as far as there are samples, so that its last
    sample lies before the contact. Noise of a real arm is not white, and its model not perfect.
    """
    shifts = range(int(places[-1]) - at, int(places[0]) + 1, _STEP)
    if not shifts:
        return np.ones(s.shape[1])
    jumps = np.array([weights @ s[places - shift] for shift in shifts])
    return np.maximum(1.0, np.sqrt(np.mean(jumps**2, axis=0) / np.diag(noise)))


def missed_by_sampling(steps: np.ndarray, torque: np.ndarray) -> np.ndarray:
    """Return the variance of an integral of torques by what they do between samples, (n,).

    Args:
        steps: between the samples, shape (k - 1, 1) [s].
        torque: less what it was before, shape (k, n) [N.m].
    """
    return np.asarray(_SAMPLING_ERROR**2 * np.square(steps * np.diff(torque, axis=0)).sum(axis=0))


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
    """Return the covariance of the jump of s by sensor noise, shape (n, n) [(N.m.s)^2].

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
