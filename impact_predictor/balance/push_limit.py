# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""The largest push that a robot on level ground bears without a step."""

from __future__ import annotations

from math import inf, sqrt
from typing import NamedTuple

import numpy as np

from impact_predictor.balance.rocking import largest_impulse, largest_moment
from impact_predictor.multicontact.contacts import face_points
from impact_robots import Robot, RobotState

GRAVITY = 9.81  # [m/s^2]
GIVE = (0.07, 0.10)  # forward and sideways: soles and servos of HRP-4, identified in simulation [-]
FRICTION = 0.7  # of soles, as the whole-body controller assumes [-]
SLIDE = 0.05  # distance beyond which soles that slide count as a fall [m]
CORNER = 8.0  # power by which limits of several edges add: near a corner both give, identified [-]
LEVEL = 0.01  # most difference in height of corners of soles that stand [m]


class StandingBody(NamedTuple):
    """A robot that stands, as a rigid body on its soles; world axes, z up."""

    mass: float  # [kg]
    com: np.ndarray  # shape (3,) [m]
    inertia: np.ndarray  # about com, shape (3, 3) [kg.m^2]
    corners: np.ndarray  # of the soles, in a level plane, shape (k, 3) [m]
    give: tuple[float, float] = GIVE  # along x and y, see :mod:`.rocking`
    friction: float = FRICTION  # of the soles


class StanceMargin(NamedTuple):
    """The largest level push at the height of the centre of mass, whatever its direction."""

    sustained: float  # [N]
    short: float  # [N.s]
    height: float  # at others, inversely proportional to it [m]


class _Edge(NamedTuple):
    """An edge of the support about which the robot may tip."""

    normal: np.ndarray  # level, outwards, shape (2,)
    offset: float  # of the edge along it [m]
    distance: float  # of the centre of mass from it, positive within [m]
    holds: float  # m g d [N.m]
    rate: float  # lambda, of tipping about it [1/s]
    give: float


def footing_of(robot: Robot, state: RobotState) -> StandingBody | None:
    """Return the footing on all contacts that are faces; None: it has none, or they are not level.

    Args:
        robot: with a floating base.
        state: of its dynamics with composite body "all".
    """
    soles = [each for each in robot.contacts if each.half_extents is not None]
    corners = [
        face_points(point.position, point.rotation, each.half_extents)
        for each in soles
        for point in (state.at(each.name),)
        if each.half_extents is not None
    ]
    if not corners or np.ptp(found := np.vstack(corners), axis=0)[2] > LEVEL:
        return None
    mass, com, inertia = state.body(soles[0].name, "all")
    return StandingBody(mass, com, inertia, found)


def carrying(footing: StandingBody, mass: float, at: np.ndarray) -> StandingBody:
    """Return the footing with a point mass [kg] held at a place, world axes, shape (3,) [m]."""
    total = footing.mass + mass
    com = (footing.mass * footing.com + mass * at) / total
    inertia = footing.inertia
    for each, place in ((footing.mass, footing.com), (mass, at)):
        inertia = inertia + each * _about(place - com)
    return footing._replace(mass=total, com=com, inertia=inertia)


def push_limit(
    footing: StandingBody, point: np.ndarray, direction: np.ndarray, duration: float = inf
) -> float:
    """Return the largest constant sudden force [N]: beyond, the robot tips, or its soles slide.

    Sliding counts beyond :data:`SLIDE`.

    Args:
        footing: of the robot at rest.
        point: where it is pushed, world axes, shape (3,) [m].
        direction: of the force, world axes, unit, shape (3,).
        duration: above 0 [s]; ``inf``: sustained.
    """
    forces = [
        edge.holds / moment * largest_moment(edge.rate * duration, edge.give)
        for edge, moment in _tipping(footing, point, direction)
    ]
    return min(_together(forces), _sliding(footing, direction, duration))


def impulse_limit(footing: StandingBody, point: np.ndarray, direction: np.ndarray) -> float:
    """Return the largest very short push [N.s]; arguments as of :func:`push_limit`."""
    impulses = [
        edge.holds / (moment * edge.rate) * largest_impulse(edge.give)
        for edge, moment in _tipping(footing, point, direction)
    ]
    level = float(np.hypot(*direction[:2]))
    slides = footing.mass * sqrt(2.0 * footing.friction * GRAVITY * SLIDE)
    return min(_together(impulses), slides / level if level > 0.0 else inf)


def stance_margin(footing: StandingBody) -> StanceMargin:
    """Return the margin towards the edge that is reached first."""
    ways = [np.append(edge.normal, 0.0) for edge in _edges(footing)]
    height = footing.com[2] - footing.corners[:, 2].mean()
    return StanceMargin(
        min(push_limit(footing, footing.com, way) for way in ways),
        min(impulse_limit(footing, footing.com, way) for way in ways),
        float(height),
    )


def _tipping(
    footing: StandingBody, point: np.ndarray, direction: np.ndarray
) -> list[tuple[_Edge, float]]:
    """Return the edges over which a push tips, and its moment about each per newton [m]."""
    height, found = point[2] - footing.corners[:, 2].mean(), []
    for edge in _edges(footing):
        within = edge.offset - float(edge.normal @ point[:2])
        moment = float(edge.normal @ direction[:2]) * height + direction[2] * within
        if moment > 0.0:
            found.append((edge, float(moment)))
    return found


def _together(limits: list[float]) -> float:
    """Return the limit of a push towards several edges, a little below the lowest of them."""
    lowest = min(limits, default=inf)
    if lowest in (0.0, inf):
        return lowest
    return lowest / sum((lowest / each) ** CORNER for each in limits) ** (1.0 / CORNER)


def _edges(footing: StandingBody) -> list[_Edge]:
    """Return the edges of the support polygon; with the centre of mass beyond one, holds is 0."""
    from scipy.spatial import ConvexHull  # loads slowly

    mass, com = footing.mass, footing.com
    height, found = com[2] - footing.corners[:, 2].mean(), []
    hull = ConvexHull(footing.corners[:, :2]).equations  # rows n, d with n.x + d <= 0 within
    for x, y, negative in np.unique(hull.round(9), axis=0):
        normal, axis = np.array([x, y]), np.array([-y, x, 0.0])
        distance = max(-float(negative + normal @ com[:2]), 0.0)
        about = mass * (height**2 + distance**2) + axis @ footing.inertia @ axis
        give = float(normal**2 @ footing.give)
        holds, rate = mass * GRAVITY * distance, sqrt(mass * GRAVITY * height / about)
        found.append(_Edge(normal, -float(negative), distance, holds, rate, give))
    return found


def _sliding(footing: StandingBody, direction: np.ndarray, duration: float) -> float:
    """Return the force at which the soles slide by :data:`SLIDE`; for ever: at all [N]."""
    mu = footing.friction
    grip = float(np.hypot(*direction[:2])) + mu * float(direction[2])
    if grip <= 0.0:  # it presses the soles down
        return inf
    # a = (F - mu m g)/m for the duration, then -mu g, together a way of SLIDE
    times = 0.5 * (1.0 + sqrt(1.0 + 8.0 * SLIDE / (mu * GRAVITY * duration**2)))
    return times * mu * footing.mass * GRAVITY / grip


def _about(lever: np.ndarray) -> np.ndarray:
    """Return the inertia of a unit mass at a lever, shape (3,) [m], about the origin, (3, 3)."""
    return np.asarray(lever @ lever * np.eye(3) - np.outer(lever, lever))
