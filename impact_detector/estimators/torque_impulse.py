# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Impulse at the contact point and end of the contact without a force sensor, from the joints."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from impact_detector.attribution.generalized_impulse import (
    LARGEST_GAP,
    SMALLEST_NOISE,
    first_usable,
    missed_by_sampling,
    noise_scale,
    step_covariance,
    unexplained_momentum,
)
from impact_detector.exceptions import EstimateError
from impact_detector.signals.noise import white_noise
from impact_predictor.prediction.model_error import MODEL_ERROR, QUANTILE
from impact_robots import ArmDynamics, ContactPoint, PointState, Robot
from impact_robots.state.contact_frame import OWN

LINE = 0.04  # before contact and after the contact, over which lines are fitted [s]
SHORTEST_LINE = 0.025  # after the contact; with less its end is not known [s]
HISTORY = 0.2  # before contact, where the same fit shows what it gives without a contact [s]
LINK_ERROR = MODEL_ERROR.inertia / QUANTILE  # of each link alone: standard deviation [-]
POINT_ERROR = MODEL_ERROR.point / QUANTILE  # of the contact point along each axis: the same [m]
GAIN_ERROR = 0.02  # of the torque sensors: standard deviation [-]
TAIL = 0.15  # of a contact: a force that fades is lost in the noise before it ends
PUSH = 3.0, 0.15  # force afterwards that the joints' friction may look like: [N], of the mean one
FLAT = 0.01  # of what was gained in all, that a line may leave: models and sampling are not exact
_MARGIN = 5e-4  # how much earlier the contact may have been [s]
_SIGMAS = 4.0  # of chi^2 of a line
FIRST, SURE = 5, 3.0  # samples at its beginning, and deviations that their mean may be off
_FEWEST = 10  # samples on each side
WORST_MISFIT = 16.0  # of an impulse that is believed: joints that no push explains, at four sigmas
_WORST_CONDITION = 1e3  # of the contact Jacobian


class EndlessContact(EstimateError):
    """The contact does not end early enough in the window to be separated from what follows."""


@dataclass(frozen=True)
class TorqueImpulse:
    """Result of :func:`torque_impulse`."""

    impulse: np.ndarray  # on the robot at the contact point, base axes, shape (3,) [N.s]
    covariance: np.ndarray  # shape (3, 3) [(N.s)^2]
    duration: float  # from contact to the end of the contact [s]
    condition: float  # of the contact Jacobian: how well joints see all directions [-]
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
    t_contact: float,
    contact: ContactPoint = OWN,
    window: float = 0.1,
) -> TorqueImpulse:
    r"""Estimate the impulse from momentum that joint torques do not explain.

    The s of :func:`~impact_detector.attribution.generalized_impulse.generalized_impulse` grows
    evenly but for the contact, in which it gains :math:`J^T \iota`: a line before contact, a line
    from the end of the contact on, where they are apart in its middle. Slopes take up what is
    constantly wrong with the model or the sensors; they differ where friction in the joints turns
    around, at a time that nobody knows. The gain is solved for the impulse by least squares,
    weighted by what is uncertain of it: noise of velocities and torques, scaled up to what the same
    fit gives before contact; the change of slope over the contact; inertias of the links; the
    contact point; the sensors' gain, and what sampling misses of torques. M is that of the links:
    the motors' inertia lies behind the sensor.

    The contact ends where s becomes a line. A force that fades is lost in the noise before it is
    over, so the line is fitted a little later.

    Args:
        robot: whose joints are measured.
        t: times, increasing, shape (N,) [s].
        q: joint positions, shape (N, n) [rad].
        dq: joint velocities, shape (N, n) [rad/s].
        tau: joint torques, gravity included, shape (N, n) [N.m].
        t_contact: first contact [s].
        contact: point at which the impulse acts.
        window: after contact, in which nothing else happens [s].

    Raises:
        EndlessContact: the contact does not end, or too late in the window.
        EstimateError: samples or torques are missing, or the pose is singular.
    """
    x = t - t_contact
    first = max(first_usable(x, tau, -LINE), int(np.searchsorted(x, -HISTORY)))
    chosen = slice(first, int(np.searchsorted(x, window, side="right")))
    x, q, dq, tau = x[chosen], q[chosen], dq[chosen], tau[chosen]
    before = (x >= -LINE) & (x < -_MARGIN)
    _check(x, before, tau)
    s, last = unexplained_momentum(robot, x, q, dq, tau), int(np.flatnonzero(before)[-1])
    state = ArmDynamics(robot).state(q[last], dq[last]).at(*contact)
    quiet = x < -_MARGIN
    noise = state.M * white_noise(dq[quiet], SMALLEST_NOISE[0])
    end, whole = _end(x, s, before, noise @ noise.T)
    start = min((1.0 + TAIL) * end + _MARGIN, float(x[-1]) - SHORTEST_LINE)
    after = (x >= start) & (x <= start + LINE)
    fitted, since = before | after, x - 0.5 * end
    design = np.column_stack([np.ones_like(x), since, after, after * since])[fitted]
    weights = np.linalg.pinv(design)[2:]
    jump, bend = weights @ s[fitted]
    by_noise = step_covariance(x, fitted, design, state.M, dq[quiet], tau[quiet])
    scale = noise_scale(s, weights[0], np.flatnonzero(fitted), last, by_noise)
    inside = (x >= x[last]) & (x <= start)
    covariance = by_noise * np.outer(scale, scale) + np.diag((bend * end) ** 2 / 12.0)
    covariance += _model_error(state, x, dq, tau, inside)
    nearest = int(np.argmin(np.abs(since)))
    point = ArmDynamics(robot).state(q[nearest], dq[nearest]).at(*contact)
    J = point.J[:3]
    covariance += _elsewhere(point, _solve(J, jump, covariance)[0])
    impulse, of_impulse, condition, misfit = _solve(J, jump, covariance)
    force, rest = (_solve(J, each, covariance)[0] for each in (bend, whole))
    if _pushes_on(force, rest, impulse, end):
        raise EndlessContact("torque impulse: the contact is longer than the window")
    if misfit > WORST_MISFIT:
        raise EstimateError(f"torque impulse: no impulse at the contact point, misfit {misfit:.0f}")
    return TorqueImpulse(impulse, of_impulse, start, condition, misfit)


def _check(x: np.ndarray, before: np.ndarray, tau: np.ndarray) -> None:
    counts = np.count_nonzero(before), np.count_nonzero(x >= SHORTEST_LINE)
    if min(counts) < _FEWEST:
        raise EstimateError(
            f"torque impulse: expected {_FEWEST} samples before and after the contact, got"
            f" {counts[0]} and {counts[1]}"
        )
    if not np.isfinite(tau).all():
        raise EstimateError("joint torques are missing")
    if np.diff(x).max() > LARGEST_GAP:
        raise EstimateError(f"{np.diff(x).max() * 1e3:.1f} ms without a sample")


def _pushes_on(force: np.ndarray, whole: np.ndarray, impulse: np.ndarray, end: float) -> bool:
    """Tell whether a contact goes on after its end: pushes more than friction in the joints may.

    Args:
        force: that acts after the end and was not before contact, shape (3,) [N].
        whole: of the impulse that acted up to the end of the window, shape (3,) [N.s].
        impulse: of the contact, shape (3,) [N.s].
        end: of the contact [s].
    """
    axis = whole / np.linalg.norm(whole)
    size = float(impulse @ axis)
    return bool(not size > 0.0 or force @ axis > PUSH[0] + PUSH[1] * size / end)


def _end(
    x: np.ndarray, s: np.ndarray, before: np.ndarray, noise: np.ndarray
) -> tuple[float, np.ndarray]:
    """Return when the contact is over [s], and what s gains up to the end, shape (n,) [N.m.s].

    All joints are weighed together to what they gain of the whole; the first sample from which that
    is a line for 40 ms, or for as long as the window goes on.

    Args:
        x: times since contact, shape (N,) [s].
        s: momentum that no torque explains, shape (N, n) [N.m.s].
        before: samples of the line before contact, shape (N,).
        noise: covariance of s in one sample, shape (n, n) [(N.m.s)^2].

    Raises:
        EndlessContact: it does not become a line.
    """
    base = np.vander(x, 2)
    gained = s - base @ np.linalg.lstsq(base[before], s[before], rcond=None)[0]
    whole = gained[x > x[-1] - SHORTEST_LINE].mean(axis=0)
    others = gained[before].var(axis=0) + (FLAT * np.abs(whole).max()) ** 2
    weights = np.linalg.solve(noise + np.diag(others), whole)
    share = gained @ weights / (whole @ weights)
    std = max(float(share[before].std()), FLAT)
    for k in np.flatnonzero((x > 0.0) & (x <= x[-1] - SHORTEST_LINE)):
        line = (x >= x[k]) & (x <= x[k] + LINE)
        slope = np.linalg.lstsq(base[line], share[line], rcond=None)[0]
        if _is_noise((share[line] - base[line] @ slope) / std):
            return float(x[k]), whole
    raise EndlessContact("torque impulse: the contact is longer than the window")


def _is_noise(left: np.ndarray) -> bool:
    """Tell whether what a line leaves, over its deviation, is noise, also where it begins."""
    degrees, first = len(left) - 2, left[:FIRST]
    in_all = left @ left <= degrees + _SIGMAS * np.sqrt(2.0 * degrees)
    return bool(in_all and abs(first.sum()) <= SURE * np.sqrt(len(first)))


def _model_error(
    state: PointState, x: np.ndarray, dq: np.ndarray, tau: np.ndarray, inside: np.ndarray
) -> np.ndarray:
    """Return what links, sensors' gain and sampling may do to the gain of s, (n, n) [(N.m.s)^2].

    Args:
        state: before contact.
        x: times since contact, shape (N,) [s].
        dq: joint velocities, shape (N, n) [rad/s].
        tau: joint torques, shape (N, n) [N.m].
        inside: samples of the contact and one on each side, shape (N,).
    """
    change = dq[inside][-1] - dq[inside][0]
    by_links = LINK_ERROR * state.robot_state.link_inertias() @ change
    push = tau[inside] - tau[inside][0]
    steps = np.diff(x[inside])[:, None]
    passed = (steps * 0.5 * np.abs(push[1:] + push[:-1])).sum(axis=0)
    missed = missed_by_sampling(steps, push)
    return np.asarray(by_links.T @ by_links + np.diag((GAIN_ERROR * passed) ** 2 + missed))


def _elsewhere(point: PointState, impulse: np.ndarray) -> np.ndarray:
    """Return what another contact point may do to the gain of s, (n, n) [(N.m.s)^2]."""
    turning = np.cross(POINT_ERROR * point.rotation.T, impulse) @ point.J[3:]
    return np.asarray(turning.T @ turning)


def _solve(
    J: np.ndarray, jump: np.ndarray, covariance: np.ndarray
) -> tuple[np.ndarray, np.ndarray, float, float]:
    """Return impulse, covariance, condition and misfit of a gain of s, (n,), covariance (n, n)."""
    condition = float(np.linalg.cond(J)) if len(jump) >= len(J) else np.inf
    if not condition < _WORST_CONDITION:
        raise EstimateError(f"torque impulse: singular pose, condition {condition:.0f}")
    weight = np.linalg.inv(covariance)
    of_impulse = np.linalg.inv(J @ weight @ J.T)
    impulse = of_impulse @ (J @ (weight @ jump))
    left = jump - J.T @ impulse
    misfit = float(left @ weight @ left) / max(len(jump) - 3, 1)
    return impulse, max(misfit, 1.0) * of_impulse, condition, misfit
