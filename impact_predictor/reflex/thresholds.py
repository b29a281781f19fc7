# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Collision thresholds that a planned hit needs, by recorded gentle hits or by prediction."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from impact_predictor.exceptions import PredictionError
from impact_robots.exceptions import OutOfRangeError

RESERVE = 1.1  # thresholds over the expected peaks of external torque [-]
FARTHEST = 4.0  # planned over recorded speed; beyond it nothing is known [-]
_TWICE = 2.0
_LEAST = 1e-9  # range that gravity leaves, as it is compared [N.m]
GROWTHS = (1.15, 1.3)  # of the peak over the speed, up to twice and to four times the speed
STIFFEST = 1e6  # ceiling of the stiffness up to which a prediction is possible [N/m]


class Thresholds(NamedTuple):
    """Of external loads as the arm's collision detection observes them."""

    torque: np.ndarray  # of the joints, shape (n,) [N.m]
    force: np.ndarray  # and moment, in the axes that the arm uses, shape (6,) [N], [N.m]


class ObservedHit(NamedTuple):
    """What the arm's collision detection observed in one recorded hit."""

    speed: float  # of the contact [m/s]
    torque: np.ndarray  # largest external torques, shape (n,) [N.m]
    force: np.ndarray  # likewise, in the axes that the arm uses, shape (6,) [N], [N.m]


def thresholds_by_hits(hits: Sequence[ObservedHit], speed: float, vendor: Thresholds) -> Thresholds:
    r"""Return the thresholds for a hit, :math:`\max(v_i, 1.1\,\gamma\,\tau_i(v_0)\,v/v_0)`.

    Args:
        hits: recorded ones: same pose, surface, controller and load; the worst counts.
        speed: of the planned hit [m/s].
        vendor: thresholds that the result is never below.

    Raises:
        OutOfRangeError: no hits, or speeds not above 0.
        PredictionError: every hit was slower than a quarter of the planned speed.
    """
    speeds = [each.speed for each in hits]
    torque, force = (
        needed_thresholds(least, scaled_peaks(peaks, speeds, speed))
        for least, peaks in (
            (vendor.torque, [each.torque for each in hits]),
            (vendor.force, [each.force for each in hits]),
        )
    )
    return Thresholds(torque, force)


def growth(ratio: float) -> float:
    """Return by how much a peak may grow faster than the speed (spec of list B), gamma [-].

    Args:
        ratio: planned over recorded speed [-].

    Raises:
        PredictionError: planned for more than four times the recorded speed.
    """
    if not 0.0 < ratio <= FARTHEST:
        raise PredictionError(
            f"collision thresholds: expected a speed of at most {FARTHEST:g} times the recorded"
            f" one, got {ratio:.2f} times; record a faster hit first"
        )
    return GROWTHS[0] if ratio <= _TWICE else GROWTHS[1]


def scaled_peaks(recorded: ArrayLike, speeds: ArrayLike, speed: float) -> np.ndarray:
    r"""Return the expected peaks of a hit, the largest :math:`\gamma\,\tau_i(v_0)\,v/v_0`.

    Args:
        recorded: peaks of the observed external torque in k hits, shape (k, n) [N.m].
        speeds: of these hits, shape (k,) [m/s].
        speed: of the planned one [m/s].

    Returns:
        shape (n,) [N.m].

    Raises:
        OutOfRangeError: no hits, or speeds not above 0.
        PredictionError: every hit was slower than a quarter of the planned speed.
    """
    peaks, each = np.abs(np.asarray(recorded, dtype=float)), np.asarray(speeds, dtype=float)
    if len(each) == 0 or len(peaks) != len(each) or not (each > 0.0).all():
        raise OutOfRangeError("recorded speeds", "one above 0 m/s for each hit", each.tolist())
    ratios = speed / each
    near = ratios <= max(FARTHEST, float(ratios.min()))  # slower hits say nothing of this one
    factors = [r * growth(float(r)) for r in ratios[near]]
    expected: np.ndarray = (peaks[near] * np.array(factors)[:, None]).max(axis=0)
    return expected


def needed_thresholds(vendor: ArrayLike, peaks: ArrayLike) -> np.ndarray:
    """Return the thresholds for expected peaks: never below the vendor's, shape (n,) each [N.m]."""
    return np.maximum(np.asarray(vendor, dtype=float), RESERVE * np.asarray(peaks, dtype=float))


def check_range(thresholds: np.ndarray, vendor: ArrayLike, room: np.ndarray) -> None:
    """Check that raised thresholds still stop the arm before a joint leaves its range.

    Args:
        thresholds: that a hit needs, shape (n,) [N.m].
        vendor: the low ones, which count as safe, shape (n,) [N.m].
        room: range of the measured torque less gravity, shape (n,) [N.m]; NaN: not limited.

    Raises:
        PredictionError: one is raised beyond it; the text says which.
    """
    beyond = (thresholds > np.asarray(vendor, dtype=float)) & (thresholds > room)
    if beyond.any():
        i = int(np.argmax(np.where(beyond, thresholds / np.maximum(room, _LEAST), 0.0)))
        expected = "a slower hit" if room[i] > 0.0 else "another pose"
        raise PredictionError(
            f"collision thresholds: joint {i + 1} would need {thresholds[i]:.1f} N.m, its range"
            f" leaves {room[i]:.1f}: expected {expected}"
        )


def check_stiffness(highest: float) -> None:
    """Check that a surface is soft enough for a prediction without recorded hits.

    Args:
        highest: stiffness that it may have [N/m].

    Raises:
        PredictionError: it is not known to be at most 1e6 N/m.
    """
    if not highest <= STIFFEST:
        raise PredictionError(
            f"collision thresholds: expected recorded hits, or a stiffness of at most {STIFFEST:g}"
            f" N/m, got {highest:g}: a harder contact asks for more than the joints' range"
        )
