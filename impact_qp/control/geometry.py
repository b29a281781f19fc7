# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Whether an announced surface is where an arm can hit it: the same for parameters and goals."""

from __future__ import annotations

import numpy as np

from impact_qp.control.plan import Plan
from impact_robots.robot import Robot
from impact_robots.state import PointState

_TOUCHING = 1e-3  # an arm that is that little behind a surface touches it [m]
_THOUSAND = 1000.0  # millimetres in a metre
_AROUND = 2.0  # a point of the surface lies within so many times the reach of the base


def geometry_refusal(plan: Plan, robot: Robot, state: PointState) -> str:
    """Return why the surface of a plan cannot be approached from a state, "" if it can.

    The point that was given is near the arm; the surface is in front of the contact point, its
    normal towards it; and the place that an approach along the normal hits is within reach.

    Args:
        plan: what the arm is to do.
        robot: the arm.
        state: of the arm, now.
    """
    contact, reach = plan.contact, longest_reach(robot)
    distance = float(np.linalg.norm(contact.point / _THOUSAND)) * _THOUSAND  # 1e308 overflows less
    if not distance <= _AROUND * reach:
        wrong_unit = distance / _THOUSAND <= _AROUND * reach
        return (
            f"contact: expected a point of the surface within {_AROUND * reach:.2f} m of the base,"
            f" got one {distance:.4g} m away{', which looks like millimetres' * wrong_unit}"
        )
    gap = contact.gap(state.position)
    if gap <= -_TOUCHING:
        return (
            f"contact: expected a surface in front of the contact point, got one with the contact"
            f" point {-gap:.3f} m behind the surface; the normal points out of it, towards the arm"
        )
    place = float(np.linalg.norm(state.position - gap * contact.normal))
    if not place <= reach:
        return (
            f"contact: expected a surface within the arm's reach of {reach:.2f} m, got one that is"
            f" hit {place:.2f} m from the base, {gap:.3g} m away along its normal"
        )
    return ""


def longest_reach(robot: Robot) -> float:
    """Return an upper bound of the distance from the base to the contact point [m]."""
    model = robot.model
    frame = model.frames[model.getFrameId(robot.contact_frame)]
    offsets = [np.linalg.norm(placement.translation) for placement in model.jointPlacements]
    return float(sum(offsets) + np.linalg.norm(frame.placement.translation))
