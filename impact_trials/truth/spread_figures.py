# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Feedback of a reference-spreading controller about first contact."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from impact_robots.exceptions import OutOfRangeError

BEFORE, AFTER = 0.002, 0.5  # window about first contact [s]


class FeedbackFigures(NamedTuple):
    """Feedback of one trial's arms along an axis, about first contact."""

    peak: float  # largest, of all arms [m/s^2]
    integral: float  # of its size, the mean of the arms [m/s]
    net: float  # of itself, the mean of the arms [m/s]
    norm_integral: float  # of the size of all three parts, the mean of the arms [m/s]


def feedback_figures(
    time: np.ndarray, feedback: np.ndarray, contact: float, axis: int
) -> FeedbackFigures:
    """Return the figures of a_fb from 2 ms before first contact to 0.5 s after it.

    Args:
        time: of the cycles, evenly apart, shape (k,) [s].
        feedback: a_fb of each arm, shape (k, arms, 3) [m/s^2].
        contact: first one of any arm [s].
        axis: 0 to 2, of peak, integral and net.

    Raises:
        OutOfRangeError: fewer than two cycles within the window.
    """
    within = (time >= contact - BEFORE) & (time <= contact + AFTER)
    if within.sum() < 2:
        raise OutOfRangeError("time", f"cycles about contact at {contact:g} s", time)
    along = feedback[within, :, axis]
    step = float(time[1] - time[0])
    return FeedbackFigures(
        float(np.abs(along).max()),
        float(np.abs(along).sum(axis=0).mean() * step),
        float(along.sum(axis=0).mean() * step),
        float(np.linalg.norm(feedback[within], axis=2).sum(axis=0).mean() * step),
    )


def figures_along(time: np.ndarray, feedback: np.ndarray, axis: np.ndarray) -> FeedbackFigures:
    """Return the figures of one arm's recorded a_fb, all of it.

    A recorded value holds until the next instant; the last one for the mean period.

    Args:
        time: increasing, shape (k,) [s].
        feedback: a_fb, shape (k, 3) [m/s^2].
        axis: of peak, integral and net, a unit vector, shape (3,).

    Raises:
        OutOfRangeError: fewer than two instants.
    """
    if len(time) < 2:
        raise OutOfRangeError("time", "two instants or more", time)
    steps = np.diff(time)
    steps, along = np.append(steps, np.median(steps)), feedback @ axis
    return FeedbackFigures(
        float(np.abs(along).max()),
        float(np.abs(along) @ steps),
        float(along @ steps),
        float(np.linalg.norm(feedback, axis=1) @ steps),
    )
