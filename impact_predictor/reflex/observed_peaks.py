# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Peaks of the contact force in a hit, unfiltered and as a first-order observer sees it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from impact_predictor.contact_force.laws import HuntCrossley
from impact_predictor.joint_load.drive import drive_of
from impact_predictor.joint_load.elastic_arm import elastic_arm
from impact_predictor.joint_load.load import LoadHistory, joint_load, load_contact
from impact_predictor.joint_load.motion_records import TICK
from impact_robots.exceptions import OutOfRangeError
from impact_robots.robot import Robot
from impact_robots.state.state import PointState
from impact_robots.surface import Surface

DURATION = 0.1  # followed after contact; a Panda's softest hit in use, 1e5 N/m, takes .02 s [s]


class HitPeaks(NamedTuple):
    """Of a hit along the surface's normal, the highest of several contacts."""

    force: float  # [N]
    impulse: float  # [N.s]
    observed: np.ndarray  # force behind each filter, shape (f,) [N]

    def worse(self, other: HitPeaks) -> HitPeaks:
        """Return the higher ones of two hits."""
        return HitPeaks(
            max(self.force, other.force),
            max(self.impulse, other.impulse),
            np.maximum(self.observed, other.observed),
        )


def hit_peaks(
    robot: Robot,
    point: PointState,
    normal: ArrayLike,
    speed: float,
    laws: Iterable[HuntCrossley],
    cutoffs: ArrayLike = (),
    friction: float = 0.0,
) -> HitPeaks:
    """Return the peaks of a hit along the normal of a torque-controlled arm, commands constant.

    Args:
        robot: the arm.
        point: that hits, at the configuration of the hit.
        normal: of the surface, towards the arm, base axes, shape (3,).
        speed: of the point against the normal [m/s].
        laws: of the contact; the highest peaks of all count.
        cutoffs: of the filters, shape (f,) [Hz].
        friction: of the surface [-].

    Raises:
        PredictionError: stiffness, damping or motor inertia of the joints are not known.
        OutOfRangeError: the speed is not above 0.
    """
    if not 0.0 < speed < np.inf:
        raise OutOfRangeError("speed", "above 0 m/s", speed)
    arm = elastic_arm(robot, point.robot_state, drive_of(robot, "torque"))
    rotation = Surface(point.position, normal).rotation
    velocity, filters = np.array([0.0, 0.0, -speed]), np.asarray(cutoffs, dtype=float)
    peaks = HitPeaks(0.0, 0.0, np.zeros(len(filters)))
    for law in laws:
        contact = load_contact(point, rotation, law, friction, velocity)
        load = joint_load(arm, [contact], duration=DURATION, with_history=True)
        assert load.history is not None
        observed = observed_peaks(load.history, filters)
        hit = HitPeaks(float(load.peak_force[0]), float(load.impulse[0, 2]), observed)
        peaks = peaks.worse(hit)
    return peaks


def observed_peaks(history: LoadHistory, cutoffs: np.ndarray) -> np.ndarray:
    """Return the peaks behind first-order filters of ``cutoffs``, shapes (f,) [Hz], (f,) [N]."""
    peaks = [observed_force(history.force[:, 0], 2.0 * np.pi * each).max() for each in cutoffs]
    return np.array(peaks)


def observed_force(force: np.ndarray, rate: float) -> np.ndarray:
    """Return a force behind a first-order filter, at every tick of 250 us, shape (t,) [N].

    Args:
        force: at every tick since contact, zero before, shape (t,) [N].
        rate: of the filter [1/s]; infinite: none.
    """
    from scipy.signal import lfilter  # loads slowly

    fraction = 1.0 - np.exp(-rate * TICK)
    return np.asarray(lfilter([fraction], [1.0, fraction - 1.0], force))
