# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""What a trial by reference spreading is judged by: feedback, and what became of the object."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from impact_robots.exceptions import OutOfRangeError

BEFORE, AFTER = 0.002, 0.5  # window about the first touch [s]
LOADED = 0.15  # after the first touch, how long joint torques count [s]


class FeedbackFigures(NamedTuple):
    """Feedback of one trial's arms along an axis, about the first touch."""

    peak: float  # largest, of all arms [m/s^2]
    integral: float  # of its size, the mean of the arms [m/s]
    net: float  # of itself, the mean of the arms [m/s]


class HoldFigures(NamedTuple):
    """What became of an object that two arms grab."""

    tilt: float  # largest rotation of the object [rad]
    slip: float  # of the object along the plates, downwards positive [m]
    lift: float  # of the object at the end [m]
    joint_torque: np.ndarray  # largest that is sensed after the touch, of all arms, (n,) [N.m]


def feedback_figures(
    time: np.ndarray, feedback: np.ndarray, touch: float, axis: int
) -> FeedbackFigures:
    """Return the figures of a_fb from 2 ms before the first touch to 0.5 s after it.

    Args:
        time: of the cycles, evenly apart, shape (k,) [s].
        feedback: a_fb of each arm, shape (k, arms, 3) [m/s^2].
        touch: first one of any arm [s].
        axis: 0 to 2, of peak, integral and net.

    Raises:
        OutOfRangeError: fewer than two cycles within the window.
    """
    within = (time >= touch - BEFORE) & (time <= touch + AFTER)
    if within.sum() < 2:
        raise OutOfRangeError("time", f"cycles about the touch at {touch:g} s", time)
    along = feedback[within, :, axis]
    step = float(time[1] - time[0])
    return FeedbackFigures(
        float(np.abs(along).max()),
        float(np.abs(along).sum(axis=0).mean() * step),
        float(along.sum(axis=0).mean() * step),
    )


def hold_figures(
    time: np.ndarray,
    touch: float,
    plates: np.ndarray,
    position: np.ndarray,
    rotation: np.ndarray,
    torque: np.ndarray,
) -> HoldFigures:
    """Return what became of the object from the first touch to the end.

    Args:
        time: of the cycles, shape (k,) [s].
        touch: first one of any arm [s].
        plates: their centres in the world, shape (k, arms, 3) [m].
        position: of the object's centre, shape (k, 3) [m].
        rotation: of the object, shape (k, 3, 3).
        torque: sensed in the joints, shape (k, arms, n) [N.m].
    """
    first = int(np.searchsorted(time, touch))
    turned = rotation[first].T @ rotation[first:]
    cosine = (np.trace(turned, axis1=1, axis2=2) - 1.0) / 2.0
    above = plates[:, :, 2].mean(axis=1) - position[:, 2]
    loaded = (time >= touch) & (time <= touch + LOADED)
    return HoldFigures(
        tilt=float(np.arccos(np.clip(cosine, -1.0, 1.0)).max()),
        slip=float(above[-1] - above[first]),
        lift=float(position[-1, 2] - position[first, 2]),
        joint_torque=np.abs(torque[loaded]).max(axis=(0, 1)),
    )
