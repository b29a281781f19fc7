# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Cuts the first impact out of tosses: free flight before and after, and where the two meet.

The choice depends on the outcome: only clean rebounds are taken.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from impact_analysis.tosses.convex_body import ConvexBody
from impact_analysis.tosses.flight import Flight, Line, turn_between
from impact_analysis.tosses.toss_impacts import EDGE, Toss, TossImpacts
from impact_bags.exceptions import RecordingError

BEFORE, AFTER = 12, 8  # frames of free flight that are fitted, at most
LONGEST, FEWEST = 4, 3  # frames in contact at most, and free after it at least
MISS, TURN = 0.8e-3, np.radians(2.0)  # by which the two flights may miss each other [m], [rad]
LEVEL, CLEAR = 3e-3, 6e-3  # height between two corners of an edge, and to the next [m]


def first_impacts(tosses: Sequence[Toss], body: ConvexBody, centre: np.ndarray) -> TossImpacts:
    """Return the first impacts that are clean.

    Args:
        tosses: of the body.
        body: as declared.
        centre: of its mass from the tracked origin, shape (3,) [m].

    Raises:
        RecordingError: no toss has a clean impact.
    """
    found = [row for toss in tosses if (row := _first_impact(Flight(toss, body, centre)))]
    if not found:
        raise RecordingError.at("tosses", "expected a rebound with free flight on both sides")
    return TossImpacts(*map(np.array, zip(*found, strict=True)))


def _first_impact(
    flight: Flight,
) -> tuple[int, np.ndarray, np.ndarray, np.ndarray, int] | None:
    """Return number, rotation, velocities before and after, and corners; none if not clean."""
    start, count = flight.touch, len(flight.centres)
    if start < FEWEST or start == count:
        return None
    free = np.flatnonzero(~flight.in_contact[start:])
    end = start + int(free[0]) if len(free) else count
    again = np.flatnonzero(flight.in_contact[end:])
    stop = min(end + AFTER, end + int(again[0]) if len(again) else count - 1)
    if end - start > LONGEST or stop - end < FEWEST:
        return None
    g = np.array([0.0, 0.0, -flight.body.gravity])
    before = flight.line(max(start - BEFORE, 0), start, g, start)
    after = flight.line(end, stop, g, start)
    apart, parting = after.position - before.position, after.velocity - before.velocity
    t = -float(apart @ parting) / float(parting @ parting)
    before, after = before.at(t), after.at(t)
    turn = np.linalg.norm(turn_between(after.rotation, before.rotation))
    if np.linalg.norm(after.position - before.position) > MISS or turn > TURN:
        return None
    axes = flight.axes
    rotation = axes @ before.rotation
    return (
        flight.toss.number,
        rotation,
        _velocities(before, axes, flight.centre),
        _velocities(after, axes, flight.centre),
        _corners(rotation, flight.body),
    )


def _velocities(line: Line, axes: np.ndarray, centre: np.ndarray) -> np.ndarray:
    """Return velocities of the tracked origin, and angular ones, in contact axes, shape (6,)."""
    linear = line.velocity - np.cross(line.angular, line.rotation @ centre)
    return np.append(axes @ linear, axes @ line.angular)


def _corners(rotation: np.ndarray, body: ConvexBody) -> int:
    """Return 1 or 2 corners that touch, 0 for what is between."""
    height = np.sort(rotation[2] @ (body.length_scale * body.corners).T)
    second, third = height[1] - height[0], height[2] - height[0]
    if second > CLEAR:
        return 1
    return EDGE if second < LEVEL and third > CLEAR else 0
