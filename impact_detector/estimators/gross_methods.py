# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Ways to a gross joint velocity, by name."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from impact_detector.estimators.damped_oscillation import oscillation_fit
from impact_detector.estimators.gross_velocity import GrossVelocity, gross_velocity
from impact_detector.estimators.velocity_window import window_jump
from impact_detector.exceptions import unknown_name
from impact_robots.registry import Registry

POLYNOMIAL, RELEASE, OSCILLATION, WINDOW = "polynomial", "release", "oscillation", "window"
FROM_TOUCH, FROM_RELEASE, UNFITTED = "touch", "release", ""  # what a method fits
RELEASE_DEGREE = 2
LARGEST_RESIDUAL = 2e-3  # rms of a good fit; vibration of the transmissions stays below [rad]


@dataclass(frozen=True)
class Motion:
    """Measured joint motion around an impact; times since contact."""

    t: np.ndarray  # shape (N,) [s]
    q: np.ndarray  # shape (N, n) [rad]
    dq: np.ndarray  # shape (N, n) [rad/s]
    before: np.ndarray  # velocity just before contact, shape (n,) [rad/s]
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
    """Return velocity before plus jump; without a fit there is no residual."""
    found = window_jump(motion.t, motion.dq, 0.0)
    unknown = np.full_like(found.jump, np.nan)
    return GrossVelocity(motion.before + found.jump, unknown, found.samples, 0.02), True


class GrossMethod(NamedTuple):
    """A method of estimating the gross velocity, selected by name."""

    name: str
    # returns the velocity and whether its fit is good; raises EstimateError
    find: Callable[[Motion], tuple[GrossVelocity, bool]]
    description: str  # one line
    fits: str = FROM_RELEASE  # samples that must cover the window: one of the three above


GROSS_METHODS: Registry[GrossMethod] = Registry("method", unknown_name)
for _method in (
    GrossMethod(POLYNOMIAL, polynomial, "polynomial from contact on, as published", FROM_TOUCH),
    GrossMethod(RELEASE, from_release, "parabola from the release on"),
    GrossMethod(OSCILLATION, _oscillation, "trend and damped oscillation from the release on"),
    GrossMethod(WINDOW, _window, "difference of two velocities", UNFITTED),
):
    GROSS_METHODS.register(_method)


def label(method: str, degree: int) -> str:
    """Return how a message names the method."""
    return f"{POLYNOMIAL}_{degree}" if method == POLYNOMIAL else method
