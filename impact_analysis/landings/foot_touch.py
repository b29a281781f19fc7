# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""When each foot of a recorded landing hits the ground, and how high that is."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from impact_analysis.landings.landing import Landing
from impact_robots import ArmDynamics, NamedContact, Robot

BEFORE, AFTER = 6, 8  # samples from contact to the velocities before and after it
LATEST_PART = 0.88  # of a record in which a touch may lie, so that the samples after it are there


@dataclass(frozen=True)
class FootTouch:
    """The impact of one foot."""

    foot: str  # link
    contacts: tuple[NamedContact, ...]  # on it
    sample: int  # of the largest upward acceleration of its lower point
    height: float  # of its lowest point then [m]


def foot_touches(landing: Landing, robot: Robot) -> tuple[FootTouch, ...]:
    """Return the impact of each link that has contacts.

    A foot's lower point is the one whose height is the least on average.

    Args:
        landing: at least 15 samples long.
        robot: with its contacts.

    Raises:
        RobotError: the landing is another robot's.
    """
    dynamics, feet = ArmDynamics(robot), _feet(robot)
    heights = {foot: [] for foot in feet}  # type: dict[str, list[list[float]]]
    rises = {foot: [] for foot in feet}  # type: dict[str, list[list[float]]]
    for q, v in zip(landing.q, landing.v_differentiated, strict=True):
        state = dynamics.state(q, v)
        for foot, contacts in feet.items():
            points = [state.at(each.name, at) for each in contacts for at in each.points]
            heights[foot].append([point.position[2] for point in points])
            rises[foot].append([point.velocity[2] for point in points])
    return tuple(
        _touch(foot, feet[foot], np.array(heights[foot]), np.array(rises[foot]), landing.period)
        for foot in feet
    )


def floor_height(touches: tuple[FootTouch, ...]) -> float:
    """Return how high the level floor is that the feet hit, the lowest that one of them did [m]."""
    return min(touch.height for touch in touches)


def _feet(robot: Robot) -> dict[str, tuple[NamedContact, ...]]:
    """Return the contacts of each link that has some."""
    links = dict.fromkeys(contact.link for contact in robot.contacts)
    return {link: tuple(c for c in robot.contacts if c.link == link) for link in links}


def _touch(
    foot: str,
    contacts: tuple[NamedContact, ...],
    heights: np.ndarray,
    rises: np.ndarray,
    period: float,
) -> FootTouch:
    """Return contact of one foot; heights and their rates have shape (k, points)."""
    lower = int(np.argmin(heights.mean(axis=0)))
    acceleration = np.gradient(rises[:, lower], period)
    latest = min(int(LATEST_PART * len(heights)), len(heights) - AFTER)
    sample = BEFORE + int(np.argmax(acceleration[BEFORE:latest]))
    return FootTouch(foot, contacts, sample, float(heights[sample].min()))
