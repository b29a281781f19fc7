# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
r"""Smooths the sides of an impact: a least-squares spline of degree 5, whose pieces are quintics.

Positions and velocities are fitted together, :math:`\min_c \sum_k |s(t_k) - p_k|^2
+ w^2 |\dot s(t_k) - \dot p_k|^2`. Breakpoints ``spacing`` apart pass motions below
1/(2 spacing): at 0.1 s a hand's movements, and not its tremor of 8 to 12 Hz.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from impact_analysis.demonstration.recorded_motion import ShownMotion
from impact_qp.references import Knot, Quintics

DEGREE = 5
AT_REST = 3  # equal coefficients at an end where velocity and acceleration vanish
SPACING = 0.1  # of the breakpoints [s]
WEIGHT = 0.03  # w: a velocity that is 1 m/s off weighs as much as a position 30 mm off [s]


class FitResiduals(NamedTuple):
    """Differences of a recorded motion to a reference; of the contact point."""

    position_rms: float  # [m]
    position_largest: float  # [m]
    velocity_rms: float  # [m/s]
    velocity_largest: float  # [m/s]


def before_impact(motion: ShownMotion, spacing: float) -> list[Knot]:
    """Return the knots of [p; xi] of a motion from rest to an impact.

    Args:
        motion: at least two rows.
        spacing: of the breakpoints, about [s].
    """
    first, last = float(motion.time[0]), float(motion.time[-1])
    breaks = np.linspace(first, last, max(1, round((last - first) / spacing)) + 1)
    return _smoothed(motion, breaks, from_rest=True)


def after_impact(motion: ShownMotion, spacing: float, *, to_rest: bool) -> list[Knot]:
    """Return the knots of [p; xi] of a motion that begins with an impact.

    The first piece is twice as long as the others: what is left of the impact's oscillation would
    else be taken for the velocity after it.

    Args:
        motion: without the velocity transient, at least two rows.
        spacing: of the breakpoints, about [s].
        to_rest: it ends at rest.
    """
    first, last = float(motion.time[0]), float(motion.time[-1])
    count = max(2, round((last - first) / spacing))
    breaks = np.delete(np.linspace(first, last, count + 1), 1)
    return _smoothed(motion, breaks, to_rest=to_rest)


def _smoothed(
    motion: ShownMotion, breaks: np.ndarray, *, from_rest: bool = False, to_rest: bool = False
) -> list[Knot]:
    """Return the knots whose quintics are the spline with these breakpoints [s].

    At rest the first or the last one has neither velocity nor acceleration.
    """
    from scipy.interpolate import BSpline  # loads slowly

    time, first, last = motion.time, breaks[0], breaks[-1]
    ends = np.full(DEGREE, first), np.full(DEGREE, last)
    knots = np.concatenate([ends[0], breaks, ends[1]])
    free = _free(len(knots) - DEGREE - 1, from_rest, to_rest)
    basis = BSpline(knots, np.eye(len(free)), DEGREE)
    places, velocities = basis(time) @ free, basis.derivative()(time) @ free
    rows = np.vstack([places, WEIGHT * velocities])
    wanted = np.vstack([motion.place, WEIGHT * motion.velocity])
    spline = BSpline(knots, free @ np.linalg.lstsq(rows, wanted, rcond=None)[0], DEGREE)
    states = [spline.derivative(order)(breaks) if order else spline(breaks) for order in range(3)]
    return [Knot(float(t), *each) for t, *each in zip(breaks, *states, strict=True)]


def _free(count: int, from_rest: bool, to_rest: bool) -> np.ndarray:
    """Return the matrix from free coefficients to all ``count`` of them: equal ones at rest."""
    number = np.arange(count)
    if from_rest:
        number = np.maximum(number - (AT_REST - 1), 0)
    if to_rest:
        number = np.minimum(number, number[-1] - (AT_REST - 1))
    return (number[:, None] == np.arange(number[-1] + 1)).astype(float)


def residuals(motion: ShownMotion, reference: Quintics, origin: float = 0.0) -> FitResiduals:
    """Return the differences of a motion to a reference.

    Args:
        motion: at least one row.
        reference: of [p; xi].
        origin: time of the reference at the motion's time 0 [s].
    """
    wanted = [reference(float(t) + origin) for t in motion.time]
    parts = (
        motion.place[:, :3] - [each.position[:3] for each in wanted],
        motion.velocity[:, :3] - [each.velocity[:3] for each in wanted],
    )
    found = []
    for part in parts:
        sizes = np.linalg.norm(part, axis=1)
        found += [float(np.sqrt(np.mean(sizes**2))), float(sizes.max())]
    return FitResiduals(*found)
