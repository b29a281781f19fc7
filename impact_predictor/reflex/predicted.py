# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Collision thresholds of a hit that was never recorded, on a surface of limited stiffness."""

from __future__ import annotations

from itertools import product

import numpy as np

from impact_predictor.inertia.resistance import resistance
from impact_predictor.joint_load.load_case import stiffness_grid, viscoelastic
from impact_predictor.reflex.observed_peaks import hit_peaks
from impact_predictor.reflex.thresholds import Thresholds, check_stiffness, needed_thresholds
from impact_robots.robot import Robot
from impact_robots.state.state import PointState
from impact_robots.surface import Surface


def thresholds_by_prediction(
    robot: Robot, point: PointState, surface: Surface, speed: float, vendor: Thresholds
) -> Thresholds:
    """Return thresholds above every load of a hit, however fast the arm's own filter is.

    The normal peak is the highest over stiffness and restitution, unfiltered, of two hits: one
    along the normal with the highest friction, and a frictionless one times what friction adds
    where the point slides: it gives way less sideways, which adds to the mass behind it, see
    :func:`.resistance` (of the links: motors hardly take part in the rise). Along the surface,
    friction adds its coefficient times the peak, in any direction.

    Args:
        robot: the arm, torque-controlled, its commands constant.
        point: that hits, at the configuration of the hit.
        surface: with its ranges.
        speed: of the hit [m/s].
        vendor: thresholds that the result is never below.

    Raises:
        PredictionError: the stiffness is not known to be at most 1e6 N/m, or the robot's YAML lacks
            the parameters of its joints.
        OutOfRangeError: the speed is not above 0.
    """
    low, high = surface.stiffness
    check_stiffness(high)
    cases = product(stiffness_grid(low, high), sorted(set(surface.restitution)))
    laws = [viscoelastic(k, restitution, speed) for k, restitution in cases]
    levers, friction = surface.rotation.T @ point.J[:3], surface.friction[1]
    peaks = {
        mu: hit_peaks(robot, point, surface.normal, speed, laws, friction=mu).force
        for mu in {0.0, friction}
    }
    W = point.J[:3] @ np.linalg.solve(point.M, point.J[:3].T)
    added = resistance(W, surface.normal, friction) / resistance(W, surface.normal, 0.0)
    peak = max(peaks[0.0] * np.sqrt(added), peaks[friction])
    torque = peak * (np.abs(levers[2]) + friction * np.linalg.norm(levers[:2], axis=0))
    force = peak * float(np.hypot(1.0, friction))
    moment = force * lever(robot)
    return Thresholds(
        needed_thresholds(vendor.torque, torque),
        needed_thresholds(vendor.force, np.repeat([force, moment], 3)),
    )


def lever(robot: Robot) -> float:
    """Return the distance of the contact point from the last joint [m]."""
    frame = robot.model.frames[robot.model.getFrameId(robot.contact_frame)]
    return float(np.linalg.norm(frame.placement.translation))
