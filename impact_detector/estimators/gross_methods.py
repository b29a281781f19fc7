# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Ways to a gross joint velocity, by name."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from impact_detector.estimators.damped_oscillation import oscillation_fit
from impact_detector.estimators.gross_velocity import GrossVelocity, gross_velocity
from impact_detector.estimators.velocity_window import window_jump

POLYNOMIAL = "polynomial"  # from the touch on, as published
RELEASE = "release"  # parabola from the release on
OSCILLATION = "oscillation"  # trend and damped oscillation from the release on
WINDOW = "window"  # difference of two velocities
RELEASE_DEGREE = 2
LARGEST_RESIDUAL = 2e-3  # rms of a good fit; vibration of the transmissions stays below [rad]


@dataclass(frozen=True)
class Motion:
    """Measured joint motion around an impact; times since the touch."""

    t: np.ndarray  # shape (N,) [s]
    q: np.ndarray  # shape (N, n) [rad]
    dq: np.ndarray  # shape (N, n) [rad/s]
    before: np.ndarray  # velocity just before the touch, shape (n,) [rad/s]
    release: float  # when the contact was over [s]
    window: float  # until when the arm coasts [s]
    degree: int  # of the published polynomial


def polynomial(motion: Motion) -> tuple[GrossVelocity, bool]:
    """Return the published fit, and whether it is good."""
    fit = gross_velocity(motion.t, motion.q, 0.0, motion.window, motion.degree)
    return fit, bool(fit.fit_rms.max() <= LARGEST_RESIDUAL)


def from_release(motion: Motion) -> tuple[GrossVelocity, bool]:
    """Return the slope at the release of a parabola from there on, and whether it is good."""
    length = motion.window - motion.release
    fit = gross_velocity(motion.t, motion.q, motion.release, length, RELEASE_DEGREE)
    return fit, bool(fit.fit_rms.max() <= LARGEST_RESIDUAL)


def _oscillation(motion: Motion) -> tuple[GrossVelocity, bool]:
    fit = oscillation_fit(motion.t, motion.q, motion.release, motion.window - motion.release)
    return fit, not fit.problems


def _window(motion: Motion) -> tuple[GrossVelocity, bool]:
    """Return velocity before plus jump; it fits nothing, so it has no residual."""
    found = window_jump(motion.t, motion.dq, 0.0)
    unknown = np.full_like(found.jump, np.nan)
    return GrossVelocity(motion.before + found.jump, unknown, found.samples, 0.02), True


# Each returns a velocity and whether its fit is good, and raises EstimateError.
METHODS: dict[str, Callable[[Motion], tuple[GrossVelocity, bool]]] = {
    POLYNOMIAL: polynomial,
    RELEASE: from_release,
    OSCILLATION: _oscillation,
    WINDOW: _window,
}


def label(method: str, degree: int) -> str:
    """Return how a message names the method."""
    return f"{POLYNOMIAL}_{degree}" if method == POLYNOMIAL else method
