# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Friction as impulses show it: how much they push along the surface for how much out of it.

No friction is less than that ratio, whatever the contact does. Where the contact point slides all
through the contact it is the coefficient. Whether it does, velocities before and after tell.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from impact_analysis.analyze.comparing.impacts import Impacts
from impact_analysis.analyze.reading.collected import AnalyzedImpact
from impact_predictor.prediction.model_error import MODEL_ERROR, QUANTILE
from impact_robots import ArmDynamics, Robot, Surface

LEAST_SLIP = 0.02  # along the surface, before and after, of a contact that slides all through [m/s]


class Ratios(NamedTuple):
    """Tangential over normal impulse of k impacts."""

    value: np.ndarray  # NaN where no impulse is known, shape (k,) [-]
    half: np.ndarray  # of 95 %, the normal not counted, shape (k,) [-]
    slides: np.ndarray  # whether the contact slides all through for sure, shape (k,)
    groups: np.ndarray  # names, shape (k,)


def ratios(impacts: Impacts) -> Ratios:
    """Return what the impulse of each impact shows."""
    found = [_ratio(item) for item in impacts.items]
    value, half = np.array(found).reshape(-1, 2).T
    sliding = np.array([slides(impacts.robot, item) for item in impacts.items], dtype=bool)
    return Ratios(value, half, sliding, np.array([item.group for item in impacts.items]))


def _ratio(item: AnalyzedImpact) -> tuple[float, float]:
    return item.impulse_ratio if item.normal_impulse > 0.0 else (np.nan, np.nan)


def slides(robot: Robot, item: AnalyzedImpact) -> bool:
    """Tell whether a contact point slides all through, as far as velocities around it show.

    A surface that is tilted by some degrees makes slip of approach; what is left must be more.

    Args:
        robot: the arm.
        item: an impact with velocities before and after, and a normal.
    """
    if item.mixed:
        return False
    J = Surface(None, item.normal).rotation.T @ ArmDynamics(robot)(item.q, item.dq_before).J[:3]
    before, after = J @ item.dq_before, J @ item.dq_after
    size = float(np.hypot(*before[:2]))
    sure = LEAST_SLIP + MODEL_ERROR.normal * float(abs(after[2] - before[2]))
    return size > sure and float(after[:2] @ before[:2]) > sure * size


def sliding_friction(found: Ratios) -> tuple[float, float, float, int] | None:
    """Return the friction of contacts that slide, low and high of 95 %, and how many there are.

    Errors of links, point and sensors do not average out over hits of one motion, so half the
    interval is the mean one; the surface's tilt is each motion's own. The upper end is not below
    any ratio that was measured, of contacts that stick either.

    Args:
        found: of all impacts.
    """
    used = found.slides & np.isfinite(found.value)
    if not used.any():
        return None
    groups = [used & (found.groups == name) for name in dict.fromkeys(found.groups[used])]
    means = np.array([found.value[each].mean() for each in groups])
    value = float(means.mean())
    tilt = MODEL_ERROR.normal * (1.0 + value**2) / np.sqrt(len(groups))
    scatter = QUANTILE * max(_std_of_mean(means), _std_of_mean(found.value[used]))
    half = float(np.linalg.norm([found.half[used].mean(), tilt, scatter]))
    high = max(value + half, float(np.nanmax(found.value)))
    return value, max(0.0, value - half), high, int(used.sum())


def least_friction(found: Ratios) -> float:
    """Return what friction is at least, whether contacts slide or stick; 0: unknown [-]."""
    known = np.isfinite(found.value)
    tilt = MODEL_ERROR.normal * (1.0 + found.value[known] ** 2)
    return float(max(0.0, *(found.value[known] - np.hypot(found.half[known], tilt)), 0.0))


def _std_of_mean(values: Sequence[float] | np.ndarray) -> float:
    return float(np.std(values, ddof=1) / np.sqrt(len(values))) if len(values) > 1 else 0.0
