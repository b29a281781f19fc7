# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Impulse of a contact, by integrating its measured force from contact to first release."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from impact_detector.exceptions import EstimateError

UNDERSAMPLED = 0.05  # fraction of the impulse from which a sensor is too slow
_OF_WIDTH = 0.25
_OF_TAIL = 2.0  # a damped contact lets go more slowly than the line that continues it
_PHASES = 100


def sampling_share(period: float, duration: float, width: float) -> float:
    """Return the standard deviation of an impulse from samples, as a fraction of it [-].

    max((T/D)^2, (T/w)^2/4) for the period T, at most 1: an error of the trapezoidal rule is of
    second order, and peaked forces are worse than flat ones. Within a factor of 3 of
    :func:`resampled_share` on simulated forces, mostly above it (doc/estimation.md).

    Args:
        period: between samples [s].
        duration: D, from contact to release [s].
        width: w, impulse over peak force [s].
    """
    return float(min(max((period / duration) ** 2, _OF_WIDTH * (period / width) ** 2), 1.0))


def contact_share(contact: Impulse) -> float:
    """Return :func:`sampling_share` of a measured contact that has ended [-]."""
    size, period = float(np.linalg.norm(contact.impulse)), contact.period
    duration = max(contact.t_release - contact.t_contact, period)
    return sampling_share(period, duration, size / float(np.linalg.norm(contact.peak)))


def force_impulse_std(contact: Impulse, noise: float, offset: float = 0.0) -> float:
    """Return the standard deviation of the norm of an integrated impulse [N.s].

    From sampling, noise, the tail below the threshold, of which only the size is known, and the
    sensor's offset.

    Args:
        contact: that has ended.
        noise: of one force component [N].
        offset: standard deviation of the remaining offset [N].
    """
    size, duration = float(np.linalg.norm(contact.impulse)), contact.t_release - contact.t_contact
    by_noise = noise * np.sqrt(contact.period * max(duration, contact.period))
    parts = (contact_share(contact) * size, by_noise, _OF_TAIL * contact.tail, offset * duration)
    return float(np.linalg.norm(parts))


def resampled_share(t: np.ndarray, force: np.ndarray, period: float) -> float:
    """Return the same from a force that is known much better, by sampling it at many phases [-].

    Args:
        t: times, increasing, of a whole contact, shape (N,) [s].
        force: norm or one component, zero outside of the record, shape (N,) [N].
        period: between the samples to be judged [s].
    """
    exact = float(0.5 * np.diff(t) @ (force[1:] + force[:-1]))
    count = int(np.ceil((t[-1] - t[0]) / period)) + 2
    grid = t[0] + period * np.arange(-1, count)
    phases = np.arange(_PHASES) / _PHASES * period
    sampled = np.interp(grid + phases[:, None], t, force, left=0.0, right=0.0)
    return float(np.sqrt(np.mean((sampled.sum(axis=1) * period / exact - 1.0) ** 2)))


_SURE = 3.0  # a contact's peak is this many thresholds high at least; noise is not
_NOISE_SIGMAS = 5.0


@dataclass(frozen=True)
class Impulse:
    """Result of :func:`integrate_impulse`."""

    impulse: np.ndarray  # on the robot, in the sensor's axes, shape (3,) [N.s]
    t_contact: float  # start of contact [s]
    t_release: float  # first release; NaN if the record ends before [s]
    peak: np.ndarray  # force of largest norm during the contact, shape (3,) [N]
    force: np.ndarray  # samples from contact to release, shape (k, 3) [N]
    times: np.ndarray  # of these samples, shape (k,) [s]
    period: float  # between the samples around the contact [s]
    tail: float  # norm of the part that comes after the release, extrapolated [N.s]


def integrate_impulse(
    t: np.ndarray, force: np.ndarray, threshold: float = 1.0, noise: float = 0.0
) -> Impulse:
    """Integrate a force over its first contact with the trapezoidal rule.

    The contact is where the line through the first sample above
    the level max(``threshold``, 5 ``noise``) and the first one above twice that level meets zero;
    the release is where the norm falls below the level again; what it still pushes after that is
    the triangle under the line through the last crossings of twice the level and the level.
    Excursions whose peak is less than three times the level are passed over.

    Args:
        t: times, increasing, shape (N,) [s].
        force: on the robot, shape (N, 3) [N].
        threshold: norm that is a contact, > 0 [N].
        noise: standard deviation of one component [N].

    Raises:
        EstimateError: no contact in the record, or values that are not finite.
    """
    t, force = np.asarray(t, dtype=float), np.asarray(force, dtype=float)
    norm = np.linalg.norm(force, axis=1)
    if not np.isfinite(norm).all():
        raise EstimateError("impulse: forces are not finite")
    level = max(threshold, _NOISE_SIGMAS * noise)
    first, end = _first_contact(norm, level)
    t_contact = _touch(t, norm, first, level)
    released = end < len(t)
    t_release = _crossing(t, norm, end, level) if released else float(t[-1])
    inner_force = force[first:end]
    last = inner_force[-1:]
    edge = last * (level / norm[end - 1]) if released else last  # force at the release
    times = np.concatenate([[t_contact], t[first:end], [t_release]])
    values = np.vstack([np.zeros((1, 3)), inner_force, edge])
    impulse = 0.5 * np.diff(times) @ (values[1:] + values[:-1])
    fall = t_release - _falling(t, norm, first, end, 2.0 * level) if released else 0.0
    tail = 0.5 * fall * edge[0]
    return Impulse(
        impulse=impulse + tail,
        t_contact=t_contact,
        t_release=t_release if released else float("nan"),
        peak=inner_force[np.argmax(norm[first:end])],
        force=inner_force,
        times=t[first:end],
        period=_period(t[max(first - 2, 0) : end + 2]),
        tail=float(np.linalg.norm(tail)),
    )


def _period(t: np.ndarray) -> float:
    """Return the median time between samples, NaN of a single one [s]."""
    return float(np.median(np.diff(t))) if len(t) > 1 else float("nan")


def runs(above: np.ndarray) -> list[tuple[int, int]]:
    """Return the runs [first, end) of samples that are true, of shape (N,)."""
    edges = np.flatnonzero(np.diff(np.concatenate([[False], above, [False]]).astype(int)))
    return list(zip(edges[::2].tolist(), edges[1::2].tolist(), strict=True))


def _first_contact(norm: np.ndarray, level: float) -> tuple[int, int]:
    """Return the first run of samples [first, end) above the level that is a contact."""
    for first, end in runs(norm > level):
        if norm[first:end].max() >= _SURE * level:
            return first, end
    raise EstimateError(
        f"impulse: no contact, largest force {norm.max(initial=0.0):.3g} N against a level of"
        f" {level:.3g} N"
    )


def _touch(t: np.ndarray, norm: np.ndarray, first: int, level: float) -> float:
    """Return where the rising force, extended backwards, is zero [s]."""
    second = first + int(np.argmax(norm[first:] > 2.0 * level))
    if first == 0:
        return float(t[0])
    if second == first:  # the rise lies between two samples
        return float(t[first - 1])
    slope = (norm[second] - norm[first]) / (t[second] - t[first])
    earliest = t[first - 1] - (t[second] - t[first])
    return float(max(t[first] - norm[first] / slope, earliest))


def _falling(t: np.ndarray, norm: np.ndarray, first: int, end: int, level: float) -> float:
    """Return when the norm fell below the level for the last time before sample end [s]."""
    above = first + np.flatnonzero(norm[first:end] > level)
    return _crossing(t, norm, int(above[-1]) + 1, level)


def _crossing(t: np.ndarray, norm: np.ndarray, end: int, level: float) -> float:
    """Return when the norm fell below the level, between samples end-1 and end [s]."""
    fraction = (norm[end - 1] - level) / (norm[end - 1] - norm[end])
    return float(t[end - 1] + fraction * (t[end] - t[end - 1]))
