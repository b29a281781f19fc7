# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""The impulses that a flexible-joint arm can get: those of the joint-load model over all ranges.

The sets of a rigid body rest on one inverse inertia and miss the impulses of an arm that is heavier
than that. Here they come out of the motion of links, springs and motors.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

import numpy as np

from impact_predictor.exceptions import NotApproachingError, PredictionError, UnknownJointsError
from impact_predictor.joint_load.drive import drive_of
from impact_predictor.joint_load.elastic_arm import elastic_arm
from impact_predictor.joint_load.load import LoadContact, joint_load, load_contact
from impact_predictor.joint_load.load_case import (
    joint_ends,
    normal_law,
    normal_mobility,
    stiffness_grid,
)
from impact_predictor.sets.feasible_sets import AXES
from impact_predictor.sets.hull import half_spaces
from impact_predictor.sets.polytope import Polytope
from impact_robots import PointState, Robot, Surface
from impact_robots.description.joint_ranges import ANNOUNCED

MODEL_ERROR = 0.03  # fraction of an impulse by which it may differ, see doc/models/feasible_sets.md
SLIP = 0.05  # fraction of the approach speed by which the tangential velocity may differ
DIRECTIONS = 8  # of that slip
_CUBE = np.array(list(product((-1.0, 1.0), repeat=3)))


def load_set(state: PointState, surface: Surface, robot: Robot) -> Polytope:
    """Return the convex hull of the impulses of all cases, widened by the model's error, in p.

    Cases are no friction and the highest, the ends of restitution, every decade of stiffness, the
    ends of the robot's ranges that make loads high and low, and small slips around the state's
    velocity, which decide where friction points. Impulses are those of the first 30 ms, contacts
    that follow the first one included; that of the first alone lies in the hull of the set and
    zero.

    Args:
        state: dynamics of the arm right before the impact.
        surface: that the contact point hits.
        robot: the arm, commanded by torques.

    Raises:
        NotApproachingError: the contact point does not approach.
        UnknownJointsError: the robot does not give stiffness, damping or motor inertia.
    """
    speed = surface.approach_speed(state.velocity)
    if not speed > 0.0:
        raise NotApproachingError(-speed)
    try:
        arm = elastic_arm(robot, state.robot_state, drive_of(robot, "torque"))
    except PredictionError as error:
        raise UnknownJointsError(str(error)) from None
    arms = [arm.scaled(scale) for scale in joint_ends(robot, ANNOUNCED)]
    impulses = [
        joint_load(arm, [contact]).impulse[0]
        for arm, contact in product(arms, _contacts(state, surface, speed))
    ]
    return _widened_hull(np.array(impulses))


def _contacts(state: PointState, surface: Surface, speed: float) -> Iterator[LoadContact]:
    """Yield the contacts at the ends of the surface's ranges."""
    velocity = surface.rotation.T @ state.velocity
    slips = [velocity, *(velocity + SLIP * speed * each for each in _directions())]
    ends = sorted(set(surface.restitution)), sorted({0.0, surface.friction[1]})
    mobility = normal_mobility(state, surface.normal)
    for k, e, mu in product(stiffness_grid(*surface.stiffness), *ends):
        law = normal_law(k, e, speed, mobility)
        for slip in slips if mu > 0.0 else slips[:1]:
            yield load_contact(state, surface.rotation, law, mu, slip)


def _directions() -> np.ndarray:
    """Return unit vectors along the surface, shape (DIRECTIONS, 3)."""
    angles = 2.0 * np.pi * np.arange(DIRECTIONS) / DIRECTIONS
    return np.stack([np.cos(angles), np.sin(angles), np.zeros(DIRECTIONS)], axis=1)


def _widened_hull(impulses: np.ndarray) -> Polytope:
    """Return the hull of impulses (k, 3) with a cube of the model's error around each [N.s]."""
    from scipy.spatial import ConvexHull  # loads slowly

    error = MODEL_ERROR * np.linalg.norm(impulses, axis=1)
    points = (impulses[:, None] + error[:, None, None] * _CUBE).reshape(-1, 3)
    vertices = points[ConvexHull(points / np.abs(points).max()).vertices]
    return Polytope(*half_spaces(vertices), vertices, "load", "N.s", AXES)
