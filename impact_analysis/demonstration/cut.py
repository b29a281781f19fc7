# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Cuts a recorded motion into what is before an impact and what is after it."""

from __future__ import annotations

from math import inf
from typing import NamedTuple

import numpy as np

from impact_analysis.demonstration.recorded_motion import ShownMotion
from impact_analysis.demonstration.smooth_side import after_impact
from impact_bags.exceptions import AnalysisError
from impact_qp.references import Quintics

BEFORE = 5e-3  # left out before the first contact, whose time is an estimate [s]
SETTLED = np.arange(0.02, 0.0801, 0.01)  # tried ends of the velocity transient [s]
LOOK, QUIET = 0.03, 0.1  # spans in which residuals are compared [s]
FAINT = 0.02  # residual that is always accepted, of the order of a hand's tremor [m/s]
LOUD = 1.5  # ratio of these above which the transient is not over
RESTS = 0.02  # speed below which an arm rests [m/s]
SPAN = 0.1  # over which that speed is taken: a period of a hand's tremor [s]
GAP = 0.02  # longest between two joint states [s]
SHORTEST = 0.2  # motion on either side of the impact [s]
MOVES = 0.05  # least speed of the contact point at the impact [m/s]


class StillArmError(AnalysisError):
    """The arm hardly moves before what was detected: no impact of a demonstration."""


class Cut(NamedTuple):
    """Both sides of an impact at time 0; the transient between them is left out."""

    before: ShownMotion  # begins at rest
    after: ShownMotion
    to_rest: bool  # it ends at rest


def cut(motion: ShownMotion, spacing: float, until: float = inf) -> Cut:
    """Return both sides of the impact.

    Args:
        motion: about the impact, which is at time 0.
        spacing: of the breakpoints of splines [s].
        until: time of what ends the motion after the impact, such as another one [s].

    Raises:
        StillArmError: the arm hardly moves.
        AnalysisError: it does not begin at rest, a side is too short, or joint states are missing.
    """
    ways = _ways(motion)
    speeds = np.linalg.norm(ways, axis=1)
    start = _start(motion, speeds)
    end, to_rest = _end(motion, ways)
    if until - BEFORE < end:
        end, to_rest = until - BEFORE, False
    _check(motion, start, end)
    after = motion.within(float(SETTLED[0]), end)
    settled = _settled(after, spacing, to_rest)
    return Cut(motion.within(start, -BEFORE), after.within(settled, end), to_rest)


def _ways(motion: ShownMotion) -> np.ndarray:
    """Return the contact point's mean velocity over ``SPAN`` about each row, NaN at the ends.

    Shape (N, 3) [m/s].
    """
    early, late = motion.time - SPAN / 2, motion.time + SPAN / 2
    moved = [
        np.interp(late, motion.time, axis) - np.interp(early, motion.time, axis)
        for axis in motion.place[:, :3].T
    ]
    ways = np.stack(moved, axis=1) / SPAN
    ways[(early < motion.time[0]) | (late > motion.time[-1])] = np.nan
    return ways


def _end(motion: ShownMotion, ways: np.ndarray) -> tuple[float, bool]:
    """Return when the motion after the impact ends [s], and whether the arm then rests.

    It ends when the arm no longer goes on along its velocity after the impact: a hand that has
    pushed far enough stops, or takes the arm back.
    """
    first = motion.within(float(SETTLED[0]), float(SETTLED[0]) + LOOK).velocity[:, :3]
    if not len(first):
        return float(motion.time[-1]), False
    after = first.mean(axis=0)
    along = ways @ (after / max(float(np.linalg.norm(after)), RESTS))
    ended = np.flatnonzero((motion.time > SPAN) & (along < RESTS))
    if not ended.size:
        return float(motion.time[-1]), False
    at = ended[0]
    rests = float(np.linalg.norm(ways[at])) < 2.0 * RESTS
    return float(motion.time[at]) + (SPAN / 2 if rests else 0.0), rests


def _start(motion: ShownMotion, speeds: np.ndarray) -> float:
    """Return when the arm last rested before the impact [s]."""
    early = motion.time < -BEFORE
    if not early.any():
        raise AnalysisError("expected joint states before the impact, got none")
    arrives = motion.within(-BEFORE - LOOK, -BEFORE).velocity[:, :3]
    fast = float(np.linalg.norm(arrives.mean(axis=0))) if len(arrives) else 0.0
    if fast < MOVES:
        raise StillArmError(
            f"the arm hardly moves: expected at least {MOVES:g} m/s before the impact, got"
            f" {fast:.3g} m/s"
        )
    rests = motion.time[early & (speeds < RESTS)]
    if not rests.size:
        before = speeds[early & np.isfinite(speeds)]
        slowest = f"{before.min():.3g} m/s" if before.size else "too few joint states"
        raise AnalysisError(
            f"expected an arm that begins at rest (below {RESTS:g} m/s for {SPAN:g} s) within"
            f" {-motion.time[0]:.3g} s before the impact, got at the slowest {slowest}"
        )
    return float(rests[-1]) - SPAN / 2


def _check(motion: ShownMotion, start: float, end: float) -> None:
    """Refuse sides that are too short or have gaps."""
    for name, least, length in (
        ("before", SHORTEST, -BEFORE - start),
        ("after", SHORTEST, end - float(SETTLED[-1])),
    ):
        if length < least:
            raise AnalysisError(
                f"expected at least {least:g} s of motion {name} the impact, got"
                f" {max(length, 0.0):.3g} s"
            )
    times = np.concatenate([[start], motion.within(start, end).time, [end]])
    steps = np.diff(times)
    if steps[worst := int(np.argmax(steps))] > GAP:
        raise AnalysisError(
            f"joint states missing for {steps[worst] * 1e3:.3g} ms from {times[worst]:.3f} s of"
            f" the impact on, at most {GAP * 1e3:g} ms"
        )


def _settled(after: ShownMotion, spacing: float, to_rest: bool) -> float:
    """Return when the velocity transient of the impact is over [s].

    That is when a spline from then on fits the first ``LOOK`` about as well as what is later.
    """
    for start in SETTLED:
        side = after.within(float(start), inf)
        spline = Quintics(after_impact(side, spacing, to_rest=to_rest))
        off = side.velocity[:, :3] - [spline(float(t)).velocity[:3] for t in side.time]
        since = side.time - start
        first, rest = (_rms(off[part]) for part in (since < LOOK, since >= QUIET))
        if first <= max(LOUD * rest, FAINT):
            break
    return float(start)


def _rms(vectors: np.ndarray) -> float:
    """Return the root mean square of the lengths of vectors, shape (N, 3)."""
    return float(np.sqrt(np.mean(np.sum(vectors**2, axis=1))))
