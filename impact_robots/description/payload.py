# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""A mass that a robot carries at its contact point, beside its tool, known within a range.

The robot's model contains the middle of the range, which holding and predictions use; limits use
both ends.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pinocchio as pin

from impact_robots.robot import Robot
from impact_robots.surface import middle
from impact_robots.validation import payload_range

AT_CONTACT = (0.0, 0.0, 0.0)  # of the contact frame [m]


def carrying(
    robot: Robot, payload: float | Sequence[float], centre: Sequence[float] = AT_CONTACT
) -> Robot:
    """Return a robot with another payload, its middle in the model.

    Args:
        robot: with any payload.
        payload: one mass, or low, high [kg].
        centre: of it, in the contact frame, shape (3,) [m]; what was carried is at the contact
            point, and so is what a range adds or takes.

    Raises:
        OutOfRangeError: not 0 <= low <= high <= 100 kg.
    """
    bounds = payload_range(payload)
    if any(centre):
        bare = carrying(robot, 0.0)
        return replace(bare, model=_with_more(bare, middle(bounds), centre), payload=bounds)
    more = middle(bounds) - middle(robot.payload)
    model = robot.model if more == 0.0 else _with_more(robot, more, centre)
    return replace(robot, model=model, payload=bounds)


def at_the_ends(robot: Robot) -> tuple[Robot, ...]:
    """Return the robot with the lowest and the highest payload; itself if both are equal."""
    low, high = robot.payload
    return (robot,) if low == high else (carrying(robot, low), carrying(robot, high))


def _with_more(robot: Robot, mass: float, centre: Sequence[float]) -> pin.Model:
    """Return the model with a mass, may be negative, [kg] at a centre in the contact frame [m]."""
    model = robot.model.copy()
    frame = model.frames[model.getFrameId(robot.contact_frame)]
    link, place = model.inertias[frame.parentJoint], frame.placement.act(np.array(centre))
    total = link.mass + mass
    com = (link.mass * link.lever + mass * place) / total
    inertia = link.inertia + link.mass * _about(link.lever - com) + mass * _about(place - com)
    model.inertias[frame.parentJoint] = pin.Inertia(total, com, inertia)
    return model


def _about(way: np.ndarray) -> np.ndarray:
    """Return the inertia of 1 kg at a distance (3,) [m], shape (3, 3) [m^2]."""
    return way.dot(way) * np.eye(3) - np.outer(way, way)
