# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Highest speed at which several contacts of a robot may arrive together in a configuration."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from impact_qp.exceptions import ControlError
from impact_qp.limits import SpeedBound
from impact_qp.whole_body.arrival import Arrival, arriving_impulses
from impact_qp.whole_body.impact_rows import CentroidalBounds, several_impact_rows
from impact_qp.whole_body.speed_bounds import existential_bound, worst_case_bound
from impact_robots import ArmDynamics, Robot

READINGS = ("robust", "nominal", "existential")
JOINT_LOAD = "joint_load"  # a reading for arrivals with known loads


def arrival_speed(
    robot: Robot,
    q: np.ndarray,
    arrivals: Sequence[Arrival],
    reading: str = "robust",
    *,
    generators: int = 8,
    circumscribed: bool = True,
    centroidal: CentroidalBounds | None = None,
) -> SpeedBound:
    """Return the highest speed at which all contacts may arrive, and the limit that sets it.

    The robot is at rest apart from the approach, as in the published bounds; there is no margin.

    Args:
        robot: with named contacts and any base.
        q: positions, shape (nq,).
        arrivals: at least one.
        reading: of :data:`READINGS`: every impulse of the friction cone and of the range of
            restitution, the one along the normal at the highest restitution, or at least one; or
            :data:`JOINT_LOAD`: the arrivals' ``load`` instead of torques by impulses.
        generators: number of facets of the friction pyramid.
        circumscribed: the pyramid contains the cone.
        centroidal: bounds on the whole robot's motion after the impact.

    Raises:
        ControlError: no such reading, no arrival, or one whose ``load`` is not known.
        RobotError: no such frame, or the robot's YAML lacks the impulsive torques.
        UnboundedSetError: friction so high that an impulse is unbounded.
    """
    if reading not in (*READINGS, JOINT_LOAD):
        choices = ", ".join((*READINGS, JOINT_LOAD))
        raise ControlError(f"reading: expected one of {choices}, got {reading!r}")
    if not arrivals:
        raise ControlError("arrivals: expected at least one, got none")
    by_load = reading == JOINT_LOAD
    loads = [each.load for each in arrivals if each.load is not None] if by_load else []
    if by_load and len(loads) < len(arrivals):
        raise ControlError(f"{JOINT_LOAD}: expected arrivals with known joint loads")
    state = ArmDynamics(robot, "all").state(q, np.zeros(robot.nv))
    impulses = arriving_impulses(
        robot,
        state,
        arrivals,
        along_normal=reading == "nominal",
        lowest_friction=reading == "existential",
        generators=generators,
        circumscribed=circumscribed,
    )
    rows = several_impact_rows(robot, state, impulses, centroidal, torques=not by_load)
    bound_of = existential_bound if reading == "existential" else worst_case_bound
    return min([bound_of(rows, impulses), *loads], key=lambda each: each.speed)
