# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""From measurements around a detection to an estimate of what the impact did."""

from __future__ import annotations

from dataclasses import dataclass, field
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
from impact_detector.estimators.torque_impulse import torque_impulse
from impact_detector.exceptions import EstimateError
from impact_detector.signals.buffers import JointRecord, Record
from impact_detector.signals.sample import Detection, from_seconds
from impact_robots import ArmDynamics, ContactPoint, Robot
from impact_robots.state.contact_frame import OWN

SEARCH = 0.02  # the contact lies at most this long before the detection [s]
QUIET = 0.06  # where the force sensor's noise is learnt, up to SEARCH before the detection [s]
LONGEST_CONTACT = 0.02  # assumed release after contact without a force sensor [s]
ONSET_STD = 6e-4  # of the contact time that a detector reports [s]
_JITTER = 1.0  # allowed delay of a sample, in periods
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
    std: float
    source: str
    normal: np.ndarray


def estimate_impact(
    detection: Detection,
    joints: JointRecord,
    forces: list[Record],
    settings: EstimatorSettings,
    *,
    second: bool = False,
) -> Estimate:
    """Return the estimate; quantities that cannot be estimated are NaN, with a quality bit.

    Args:
        detection: of the impact.
        joints: samples around it.
        forces: of each force source, times since the detection (N,) [s] and force (N, 3) [N].
        settings: of the estimator.
        second: another impact was detected in the window.
    """
    quiet, contact = _contact(forces, settings.window)
    touch = _touch(detection, joints, contact)
    impact_time = detection.impact_time
    if np.isfinite(touch.time):
        impact_time = detection.detection_time + from_seconds(touch.time)
    motion, over = _motion(joints, impact_time, contact, touch.std, settings)
    fit, quality = _gross(motion, settings.method)
    push = _push(motion.t, joints, contact, quiet, settings)
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
        impulse_source=push.source,
        normal_impulse=float(push.normal @ push.impulse),
        peak_force=_NAN if contact is None else float((contact.force @ settings.normal).max()),
        duration=_duration(contact),
        restitution=_restitution(motion, settings) if over else _NAN,
        fit_rms=_NAN if fit is None else float(np.sqrt(np.mean(fit.fit_rms**2))),
        fit_samples=0 if fit is None else fit.samples,
        fit_window=_NAN if fit is None else fit.window,
        method=label(settings.method, settings.degree),
        quality=quality or GOOD,
        contact=contact,
        assessment=settings.assessment,
    )


class _Quiet(NamedTuple):
    """A force sensor's readings before contact, offset removed."""

    noise: float = 0.0  # standard deviation of one component [N]
    offset_std: float = 0.0  # of the removed offset [N]


def _contact(forces: list[Record], window: float) -> tuple[_Quiet, Impulse | None]:
    """Return the fastest source's readings before contact, and the contact it measured."""
    if not forces:
        return _Quiet(), None
    t, force = max(forces, key=lambda record: len(record[0]))
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


def _duration(contact: Impulse | None) -> float:
    """Return the time from contact to release, NaN if unknown [s]."""
    return _NAN if contact is None else contact.t_release - contact.t_contact


def _motion(
    joints: JointRecord,
    impact_time: int,
    contact: Impulse | None,
    touch_std: float,
    settings: EstimatorSettings,
) -> tuple[Motion, bool]:
    """Return the motion since contact, and whether the contact is known to end, or unseen."""
    t, duration = joints.since(impact_time), _duration(contact)
    over = contact is None or duration <= settings.window / 2
    release = duration if over and contact is not None else LONGEST_CONTACT
    try:
        margin = touch_std if contact is None else 0.0
        before = velocity_before(t, joints.q, 0.0, margin=margin)
    except EstimateError:
        before = mean_before(t, joints.dq, 0.0)
    return Motion(t, joints.q, joints.dq, before, release, settings.window, settings.degree), over


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
    t: np.ndarray,
    joints: JointRecord,
    contact: Impulse | None,
    quiet: _Quiet,
    settings: EstimatorSettings,
) -> _Push:
    """Return the impulse from the force sensor, or from torques if it is unknown or too slow."""
    by_force = None
    if contact is not None and np.isfinite(contact.t_release):
        std = force_impulse_std(contact, quiet.noise, quiet.offset_std)
        by_force = _Push(contact.impulse, std, BY_FORCE, settings.normal)
    if by_force is not None and not _is_undersampled(contact):
        return by_force
    nothing = _Push(_NAN3, _NAN, NO_SOURCE, settings.normal)
    if settings.robot is None or (contact is not None and by_force is None):
        return by_force or nothing
    try:
        found = torque_impulse(
            settings.robot, t, joints.q, joints.dq, joints.tau, 0.0, settings.contact
        )
    except EstimateError:
        return by_force or nothing
    if by_force is not None and by_force.std <= found.std:
        return by_force
    return _Push(found.impulse, found.std, BY_TORQUE, settings.base_normal)


def _is_undersampled(contact: Impulse | None) -> bool:
    """Return whether the force sensor is too slow for its contact."""
    if contact is None or np.isnan(contact.t_release):
        return False
    return not contact_share(contact) <= TOO_UNCERTAIN


def _restitution(motion: Motion, settings: EstimatorSettings) -> float:
    """Return the kinematic restitution, always by the velocity at the release."""
    if settings.robot is None or not np.isfinite(settings.base_normal).all():
        return _NAN
    try:
        after, _ = from_release(motion)
    except EstimateError:
        return _NAN
    q = motion.q[max(int(np.searchsorted(motion.t, 0.0)) - 1, 0)]
    J = ArmDynamics(settings.robot).state(q, motion.before).at(*settings.contact).J[:3]
    return kinematic_restitution(J, settings.base_normal, motion.before, after.velocity)
