# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""What the sample period of a force sensor does to the impulse of a single impact."""

from __future__ import annotations

import numpy as np

from impact_detector.estimators.impulse import Impulse

UNDERSAMPLED = 0.05  # share of the impulse from which a sensor is too slow
_OF_WIDTH = 0.25
_OF_TAIL = 2.0  # a damped contact lets go more slowly than the line that continues it
_PHASES = 100


def sampling_share(period: float, duration: float, width: float) -> float:
    """Return the standard deviation of an impulse from samples, as a share of it [-].

    max((T/D)^2, (T/w)^2/4) for the period T, at most 1: an error of the trapezoidal rule is of
    second order, and peaked forces are worse than flat ones. Within a factor of 3 of
    :func:`resampled_share` on simulated forces, mostly above it (doc/estimation.md).

    Args:
        period: between samples [s].
        duration: D, from touch to release [s].
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
        offset: standard deviation of what is left of it [N].
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
