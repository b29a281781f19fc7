# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""The announced impulse set as a solid in space, and the scales of quantities without a length."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.spatial import ConvexHull, QhullError

from impact_detector.attribution.expectation import Announcement
from impact_predictor.exceptions import PredictionError
from impact_predictor.inertia.inverse_inertia import crb
from impact_predictor.sets.feasible_sets import impulse_set
from impact_robots.dynamics import ArmDynamics
from impact_robots.state.contact_frame import contact_rotation

FACETS = 16
SLOWEST = 1e-3  # lowest approach speed with visible impulses [m/s]
LONGEST_SET, LONGEST_FORCE = 0.5, 0.5  # of drawn quantities [m]
STEPS = (1.0, 2.0, 5.0)


@dataclass(frozen=True)
class ImpulseSolid:
    """The convex hull of the announced impulses and zero."""

    vertices: np.ndarray  # base axes, shape (k, 3) [N.s]
    faces: np.ndarray  # indices of vertices, shape (m, 3)


def impulse_solid(
    announced: Announcement, dynamics: ArmDynamics, q: np.ndarray, dq: np.ndarray
) -> ImpulseSolid | None:
    """Return the impulses that an announced surface may return if it is hit in this state.

    The set of Wang 2023 (12) with the inertia of the composite rigid body and the circumscribed
    pyramid, as the demo's table has it.

    Args:
        announced: the surface.
        dynamics: of the arm.
        q: joint positions, shape (n,) [rad].
        dq: joint velocities, shape (n,) [rad/s].

    Returns:
        None if the arm does not approach, or the set is flat or not bounded.
    """
    surface = announced.surface
    assert surface is not None
    rotation = contact_rotation(surface.normal)
    point = dynamics.state(q, dq).at(announced.frame or None, announced.offset)
    speed = float(rotation[:, 2] @ point.J[:3] @ dq)
    if speed > -SLOWEST:
        return None
    try:
        inverse = crb(point, rotation)
        friction, restitution = surface.friction[1], surface.restitution
        found = impulse_set(
            inverse, friction, restitution, speed, FACETS, circumscribed=True
        ).with_zero()
        faces = ConvexHull(found.vertices).simplices
    except (PredictionError, QhullError):
        return None
    return ImpulseSolid(found.vertices @ rotation.T, faces)


def round_scale(largest: float, length: float) -> float:
    """Return the length of one unit [m], 1, 2 or 5 times a power of ten.

    Args:
        largest: value that is drawn.
        length: which it shall not exceed [m].
    """
    if not largest > 0.0:
        return length
    wanted = length / largest
    power = 10.0 ** np.floor(np.log10(wanted))
    return float(max(step for step in STEPS if step * power <= wanted * (1 + 1e-9)) * power)
