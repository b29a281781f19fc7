# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""From measurements around a detection to an estimate of what the impact did."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import NamedTuple

import numpy as np

from impact_detector.attribution.assessment import Assessment
from impact_detector.estimators.contact_time import ContactTime, contact_time
from impact_detector.estimators.estimate import (
    BY_FORCE,
    BY_TORQUE,
    GOOD,
    IN_CONTACT,
    MISSING_SAMPLES,
    NO_SOURCE,
    POOR_FIT,
    SECOND_IMPACT,
    SHORT_WINDOW,
    UNDERSAMPLED,
    Estimate,
)
from impact_detector.estimators.gross_methods import (
    FROM_TOUCH,
    GROSS_METHODS,
    POLYNOMIAL,
    UNFITTED,
    Motion,
    from_release,
    label,
)
from impact_detector.estimators.gross_velocity import (
    GrossVelocity,
    mean_before,
    mean_between,
    velocity_before,
)
from impact_detector.estimators.impulse import UNDERSAMPLED as TOO_UNCERTAIN
from impact_detector.estimators.impulse import (
    Impulse,
    contact_share,
    force_impulse_std,
    integrate_impulse,
)
from impact_detector.estimators.measured_restitution import kinematic_restitution
from impact_detector.estimators.torque_impulse import (
    EndlessContact,
    TorqueImpulse,
    torque_impulse,
)
from impact_detector.exceptions import EstimateError
from impact_detector.signals.buffers import JointRecord, Record
from impact_detector.signals.sample import Detection, from_seconds
from impact_robots import ArmDynamics, ContactPoint, Robot
from impact_robots.state.contact_frame import OWN

SEARCH = 0.02  # the contact lies at most this long before the detection [s]
QUIET = 0.06  # where the force sensor's noise is learnt, up to SEARCH before the detection [s]
LONGEST_CONTACT = 0.02  # release after contact, where neither force nor joints tell [s]
AT_RELEASE = 0.02  # after the release, in which vibration is not averaged away [s]
ONSET_STD = 6e-4  # of the contact time that a detector reports [s]
_JITTER = 1.0  # of a period, by which a sample may be late
_AFTER = (0.013, 0.017)  # velocity after, vibration included: mean around 15 ms [s]
MEDIAN_STD = 1.2533  # of normal noise, over that of the mean
_FEW_FORCES = 3  # too few samples before contact
_NAN = float("nan")
_NAN3 = np.full(3, np.nan)


@dataclass(frozen=True)
class EstimatorSettings:
    """Settings of estimates; unit normals, or NaN if unknown."""

    window: float = 0.1  # after contact and detection [s]
    degree: int = 3  # of the published polynomial
    method: str = POLYNOMIAL  # one of GROSS_METHODS
    normal: np.ndarray = field(default_factory=_NAN3.copy)  # in the force sensor's axes, (3,)
    base_normal: np.ndarray = field(default_factory=_NAN3.copy)  # in base axes, shape (3,)
    robot: Robot | None = None  # None: no impulse from torques, no restitution
    contact: ContactPoint = OWN  # that was hit
    assessment: Assessment = field(default_factory=Assessment)


class _Push(NamedTuple):
    """An impulse and where it comes from."""

    impulse: np.ndarray
    std: float  # along it
    covariance: np.ndarray
    source: str
    normal: np.ndarray


class _ByJoints(NamedTuple):
    """What joint torques and motion say of the contact."""

    found: TorqueImpulse | None = None  # none: nothing, or they were not asked
    endless: bool = False  # the contact does not end within the window


def estimate_impact(
    detection: Detection,
    joints: JointRecord,
    forces: dict[str, Record],
    settings: EstimatorSettings,
    *,
    second: bool = False,
) -> Estimate:
    """Return the estimate; quantities that cannot be estimated are NaN, with a quality bit.

    Args:
        detection: of the impact.
        joints: samples around it.
        forces: by the force source's name, times since the detection (N,) [s] and force (N, 3) [N].
        settings: of the estimator.
        second: another impact was detected in the window.
    """
    source = max(forces, key=lambda name: len(forces[name][0]), default="")  # the fastest
    quiet, contact = _contact(forces.get(source), settings.window)
    touch = _touch(detection, joints, contact)
    impact_time = detection.impact_time
    if np.isfinite(touch.time):
        impact_time = detection.detection_time + from_seconds(touch.time)
    by_joints = _by_joints(joints, impact_time, contact, settings)
    margin = touch.std if contact is None else 0.0
    release, over = _release(contact, by_joints, settings.window)
    motion = _motion(joints, impact_time, release, margin, settings)
    fit, quality = _gross(motion, settings.method)
    push = _push(contact, by_joints.found, quiet, settings)
    restitution, restitution_std = _restitution(motion, settings) if over else (_NAN, _NAN)
    quality |= SECOND_IMPACT if second else 0
    quality |= 0 if over else IN_CONTACT
    quality |= UNDERSAMPLED if _is_undersampled(contact) else 0
    return Estimate(
        detection=detection,
        time=detection.detection_time + from_seconds(settings.window),
        impact_time=impact_time,
        impact_time_std=touch.std,
        velocity_before=motion.before,
        velocity_after=mean_between(motion.t, joints.dq, *_AFTER),
        gross_velocity=np.full_like(motion.before, np.nan) if fit is None else fit.velocity,
        impulse=push.impulse,
        impulse_std=push.std,
        impulse_covariance=push.covariance,
        impulse_source=push.source,
        normal_impulse=float(push.normal @ push.impulse),
        peak_force=_NAN if contact is None else float((contact.force @ settings.normal).max()),
        duration=_duration(contact, by_joints.found),
        restitution=restitution,
        restitution_std=restitution_std,
        fit_rms=_NAN if fit is None else float(np.sqrt(np.mean(fit.fit_rms**2))),
        fit_samples=0 if fit is None else fit.samples,
        fit_window=_NAN if fit is None else fit.window,
        method=label(settings.method, settings.degree),
        quality=quality or GOOD,
        contact=contact,
        force_source=source,
        assessment=settings.assessment,
    )


class _Quiet(NamedTuple):
    """A force sensor's readings before contact, offset removed."""

    noise: float = 0.0  # standard deviation of one component [N]
    offset_std: float = 0.0  # of the removed offset [N]


def _contact(measured: Record | None, window: float) -> tuple[_Quiet, Impulse | None]:
    """Return a force source's readings before contact, and the contact it measured."""
    if measured is None:
        return _Quiet(), None
    t, force = measured
    search = t >= -SEARCH
    before = force[~search]
    quiet = _Quiet()
    if len(before) > _FEW_FORCES:
        noise = float(before.std(axis=0).max())
        quiet = _Quiet(noise, MEDIAN_STD * noise / np.sqrt(len(before)))
        force = force - np.median(before, axis=0)
    inside = search & (t <= window)
    try:
        contact = integrate_impulse(t[inside], force[inside], noise=quiet.noise)
    except EstimateError:
        return quiet, None
    return quiet, contact if contact.t_contact <= 0 else None


def _touch(detection: Detection, joints: JointRecord, contact: Impulse | None) -> ContactTime:
    """Return the contact time relative to the detection, by force or motion, else NaN."""
    if contact is not None:
        return ContactTime(contact.t_contact, contact.period / np.sqrt(12.0))
    t = joints.since(detection.detection_time)
    try:
        return contact_time(t, joints.q, joints.dq, 0.0)
    except EstimateError:
        return ContactTime(_NAN, ONSET_STD)


def _duration(contact: Impulse | None, by_joints: TorqueImpulse | None = None) -> float:
    """Return the time from contact to release, NaN if unknown [s]."""
    if contact is not None:
        return contact.t_release - contact.t_contact
    return _NAN if by_joints is None else by_joints.duration


def _by_joints(
    joints: JointRecord, impact_time: int, contact: Impulse | None, settings: EstimatorSettings
) -> _ByJoints:
    """Return what the joints say of the contact, where a force sensor does not say it better."""
    seen = contact is not None and not _is_undersampled(contact)
    if settings.robot is None or seen:
        return _ByJoints()
    t = joints.since(impact_time)
    measured = (t, joints.q, joints.dq, joints.tau)
    try:
        found = torque_impulse(settings.robot, *measured, 0.0, settings.contact, settings.window)
    except EndlessContact:
        return _ByJoints(endless=True)
    except EstimateError:
        return _ByJoints()
    return _ByJoints(found)


def _release(contact: Impulse | None, by_joints: _ByJoints, window: float) -> tuple[float, bool]:
    """Return when the contact is over [s], and whether it is, as far as anything shows."""
    duration = _duration(contact, by_joints.found)
    over = not by_joints.endless and (contact is None or duration <= window / 2)
    return (duration if over and np.isfinite(duration) else LONGEST_CONTACT), over


def _motion(
    joints: JointRecord,
    impact_time: int,
    release: float,
    margin: float,
    settings: EstimatorSettings,
) -> Motion:
    """Return the motion since contact."""
    t = joints.since(impact_time)
    try:
        before = velocity_before(t, joints.q, 0.0, margin=margin)
    except EstimateError:
        before = mean_before(t, joints.dq, 0.0)
    return Motion(t, joints.q, joints.dq, before, release, settings.window, settings.degree)


def _gross(motion: Motion, method: str) -> tuple[GrossVelocity | None, int]:
    """Return the gross velocity and its quality bits."""
    try:
        fit, good = GROSS_METHODS[method].find(motion)
    except EstimateError:
        return None, MISSING_SAMPLES
    fits = GROSS_METHODS[method].fits
    start = 0.0 if fits == FROM_TOUCH else motion.release
    short = fits != UNFITTED and not _covers(motion.t, start, motion.window)
    return fit, (0 if good else POOR_FIT) | (SHORT_WINDOW if short else 0)


def _covers(t: np.ndarray, start: float, end: float) -> bool:
    """Return whether samples (N,) [s] reach from start to end.

    One period at either end is allowed for the phase of sampling, and another for late samples.
    """
    inside = t[(t >= start) & (t <= end)]
    if len(inside) < 2:
        return False
    period = float(np.median(np.diff(inside)))
    return max(inside[0] - start, end - inside[-1]) <= (1.0 + _JITTER) * period


def _push(
    contact: Impulse | None,
    by_joints: TorqueImpulse | None,
    quiet: _Quiet,
    settings: EstimatorSettings,
) -> _Push:
    """Return the impulse from the force sensor, or from torques if it is unknown or too slow."""
    std = _NAN
    if contact is not None and np.isfinite(contact.t_release):
        std = force_impulse_std(contact, quiet.noise, quiet.offset_std)
        if by_joints is None or std <= by_joints.std:
            covariance = std**2 * np.eye(3)
            return _Push(contact.impulse, std, covariance, BY_FORCE, settings.normal)
    if by_joints is None or (contact is not None and np.isnan(std)):
        return _Push(_NAN3, _NAN, np.full((3, 3), _NAN), NO_SOURCE, settings.normal)
    covariance = by_joints.covariance
    return _Push(by_joints.impulse, by_joints.std, covariance, BY_TORQUE, settings.base_normal)


def _is_undersampled(contact: Impulse | None) -> bool:
    """Return whether the force sensor is too slow for its contact."""
    if contact is None or np.isnan(contact.t_release):
        return False
    return not contact_share(contact) <= TOO_UNCERTAIN


def _restitution(motion: Motion, settings: EstimatorSettings) -> tuple[float, float]:
    """Return the kinematic restitution, by the velocity at the release whatever the method.

    Its deviation is what the 20 ms after the release say otherwise than all of the window: there
    vibration is not averaged away.
    """
    if settings.robot is None or not np.isfinite(settings.base_normal).all():
        return _NAN, _NAN
    q = motion.q[max(int(np.searchsorted(motion.t, 0.0)) - 1, 0)]
    J = ArmDynamics(settings.robot).state(q, motion.before).at(*settings.contact).J[:3]
    short = min(motion.window, motion.release + AT_RELEASE)
    found, other = (
        _bounce(J, replace(motion, window=end), settings) for end in (motion.window, short)
    )
    return found, abs(other - found)


def _bounce(J: np.ndarray, motion: Motion, settings: EstimatorSettings) -> float:
    """Return the restitution by the parabola of a motion, NaN where samples are missing [-]."""
    try:
        after, _ = from_release(motion)
    except EstimateError:
        return _NAN
    return kinematic_restitution(J, settings.base_normal, motion.before, after.velocity)
