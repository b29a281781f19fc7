# SPDX-License-Identifier: Apache-2.0
"""Streaming estimate of what an impact did, complete when its window has been measured."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from impact_detector.exceptions import DetectorError, EstimateError
from impact_detector.gross_velocity import GrossVelocity, gross_velocity
from impact_detector.impulse import Impulse, integrate_impulse
from impact_detector.recent import RecentForce, RecentJoints
from impact_detector.sample import Detection, ForceSample, JointSample, from_seconds

# Quality bits, equal to those of impact_msgs/ImpactEstimate.
GOOD = 1
POOR_FIT = 2
SHORT_WINDOW = 4
MISSING_SAMPLES = 8
SECOND_IMPACT = 32

_BEFORE = 0.004  # velocity before: mean over the last 4 ms before the touch [s]
_AFTER = (0.013, 0.017)  # velocity after, vibration included: mean around 15 ms [s]
_SEARCH = from_seconds(0.02)  # the touch lies at most this long before the detection
_QUIET = from_seconds(0.06)  # where the force sensor's noise is learnt, up to _SEARCH before
_LARGEST_RESIDUAL = 2e-3  # rms of a good fit; vibration of the transmissions stays below [rad]
_NAN3 = np.full(3, np.nan)


@dataclass(frozen=True)
class Estimate:
    """What one impact did; NaN for what is unknown. n joints, sensor axes for forces."""

    detection: Detection  # that it belongs to
    time: int  # of the last measurement used [ns]
    impact_time: int  # first touch, from the force sensor if there is one [ns]
    velocity_before: np.ndarray  # shape (n,) [rad/s]
    velocity_after: np.ndarray  # vibration included, shape (n,) [rad/s]
    gross_velocity: np.ndarray  # vibration taken out, shape (n,) [rad/s]
    impulse: np.ndarray  # on the robot, shape (3,) [N.s]
    normal_impulse: float  # along the outward normal [N.s]
    peak_force: float  # largest normal force [N]
    duration: float  # from touch to first release [s]
    fit_rms: float  # over all joints [rad]
    fit_samples: int
    fit_window: float  # [s]
    method: str
    quality: int  # bits as above

    @property
    def velocity_jump(self) -> np.ndarray:
        """Gross velocity minus velocity before, shape (n,) [rad/s]."""
        return self.gross_velocity - self.velocity_before


class ImpactEstimator:
    """Collects measurements around a detection and estimates what the impact did.

    Feed every joint and force sample; after :meth:`start` one of the updates returns the estimate.
    It is complete when joint samples cover the window after the detection and so does each force
    source that was ever seen: the result does not depend on the order in which the two arrive. A
    force source that has stopped is given up after ``patience``.
    """

    def __init__(
        self,
        window: float = 0.1,
        *,
        degree: int = 3,
        normal: Sequence[float] | None = None,
        patience: float = 0.5,
    ) -> None:
        """Set up.

        Args:
            window: of the fit after the touch [s].
            degree: of the fitted polynomial.
            normal: outward normal of the surface in the force sensor's axes, shape (3,); None or
                NaN: unknown, then normal impulse and peak force are NaN.
            patience: how long to wait for force samples after the window, in measured time [s].

        Raises:
            DetectorError: window or degree out of range, or a normal that is none.
        """
        if not window > 0 or degree < 1:
            raise DetectorError(f"window: expected > 0 s and degree >= 1, got {window}, {degree}")
        self.window, self.degree = window, degree
        self._normal = _unit(normal)
        self._window, self._patience = from_seconds(window), from_seconds(patience)
        self._joints = RecentJoints(self._window + self._patience + _QUIET)
        self._forces: dict[str, RecentForce] = {}
        self._detection: Detection | None = None
        self._second = False

    def reset(self) -> None:
        """Forget all measurements, and the impact under way."""
        self._joints.clear()
        self._forces.clear()
        self._detection = None

    def start(self, detection: Detection) -> None:
        """Begin an estimate; while one is under way, note in it that there was another impact."""
        self._second = self._detection is not None
        self._detection = self._detection or detection

    def update(self, sample: JointSample) -> Estimate | None:
        """Add a joint sample; NaN and repeated ones are ignored, backward time resets."""
        if self._joints.is_backward(sample.time):
            self.reset()
        self._joints.add(sample)
        return self._finish()

    def update_force(self, sample: ForceSample, source: str = "wrench") -> Estimate | None:
        """Add samples of one of several force sources; of these the fastest one is used."""
        keep = self._window + self._patience + _QUIET
        self._forces.setdefault(source, RecentForce(keep)).add(sample)
        return self._finish()

    def _finish(self) -> Estimate | None:
        """Return the estimate if all its measurements are there."""
        if self._detection is None or not self._is_complete(self._detection):
            return None
        detection, self._detection = self._detection, None
        return self._estimate(detection)

    def _is_complete(self, detection: Detection) -> bool:
        end = detection.detection_time + self._window
        newest = self._joints.newest
        if newest is None or newest < end:
            return False
        waited = newest >= end + self._patience
        return waited or all(force.end >= end for force in self._forces.values())

    def _estimate(self, detection: Detection) -> Estimate:
        contact = self._contact(detection)
        impact_time = detection.impact_time
        if contact is not None:
            impact_time = detection.detection_time + from_seconds(contact.t_contact)
        t, q, dq = self._joints.since(impact_time)
        fit, quality = self._fit(t, q)
        unknown = np.full(dq.shape[1], np.nan)
        quality |= SECOND_IMPACT if self._second else 0
        return Estimate(
            detection=detection,
            time=detection.detection_time + self._window,
            impact_time=impact_time,
            velocity_before=_mean(dq, (t >= -_BEFORE) & (t < 0)),
            velocity_after=_mean(dq, (t >= _AFTER[0]) & (t <= _AFTER[1])),
            gross_velocity=unknown if fit is None else fit.velocity,
            impulse=_impulse(contact),
            normal_impulse=float(self._normal @ _impulse(contact)),
            peak_force=float("nan") if contact is None else (contact.force @ self._normal).max(),
            duration=float("nan") if contact is None else contact.t_release - contact.t_contact,
            fit_rms=float("nan") if fit is None else float(np.sqrt(np.mean(fit.fit_rms**2))),
            fit_samples=0 if fit is None else fit.samples,
            fit_window=float("nan") if fit is None else fit.window,
            method=f"polynomial_{self.degree}",
            quality=quality or GOOD,
        )

    def _fit(self, t: np.ndarray, q: np.ndarray) -> tuple[GrossVelocity | None, int]:
        """Return the fit and its quality bits."""
        try:
            fit = gross_velocity(t, q, 0.0, self.window, self.degree)
        except EstimateError:
            return None, MISSING_SAMPLES
        quality = POOR_FIT if fit.fit_rms.max() > _LARGEST_RESIDUAL else 0
        return fit, quality | (SHORT_WINDOW if fit.window < 0.98 * self.window else 0)

    def _contact(self, detection: Detection) -> Impulse | None:
        """Return the contact seen by the fastest force source; times relative to the detection."""
        origin = detection.detection_time
        records = [force.since(origin, origin - _QUIET) for force in self._forces.values()]
        if not records:
            return None
        t, force = max(records, key=lambda record: len(record[0]))
        search = t >= -_SEARCH * 1e-9
        quiet = force[~search]
        noise = float(quiet.std(axis=0).max()) if len(quiet) > 3 else 0.0
        inside = search & (t <= self.window)
        try:
            contact = integrate_impulse(t[inside], force[inside], noise=noise)
        except EstimateError:
            return None
        return contact if contact.t_contact <= 0 else None


def _impulse(contact: Impulse | None) -> np.ndarray:
    """Return the impulse of a contact that has ended, else NaN, shape (3,) [N.s]."""
    return _NAN3 if contact is None or np.isnan(contact.t_release) else contact.impulse


def _mean(values: np.ndarray, chosen: np.ndarray) -> np.ndarray:
    """Return the mean of the chosen rows, NaN if there are none."""
    return values[chosen].mean(axis=0) if chosen.any() else np.full(values.shape[1], np.nan)


def _unit(normal: Sequence[float] | None) -> np.ndarray:
    """Return the normal at length one, or NaN if it is unknown."""
    if normal is None or np.isnan(normal).all():
        return _NAN3
    vector = np.asarray(normal, dtype=float)
    if vector.shape != (3,) or not np.isfinite(vector).all() or not np.any(vector):
        raise DetectorError(f"normal: expected three finite numbers, not all zero, got {normal}")
    return vector / np.linalg.norm(vector)
