# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""What impacts say of the surface and of the joints: ranges, torque changes, joints' figures."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from impact_analysis.analyze.comparing.identify import Coefficients, Identified
from impact_analysis.analyze.result import IdentifiedSurface, Judged, Range
from impact_predictor.identification.joint_estimate import JointIdentification
from impact_predictor.identification.joint_identification import identify_joints
from impact_predictor.identification.surface_identification import (
    SurfaceFigures,
    identify_surface,
)
from impact_predictor.joint_load.drive import can_load, drive_of
from impact_predictor.joint_load.load_interval import (
    compare_jumps,
    compare_torques,
    joint_intervals,
)
from impact_robots import ArmDynamics, Robot

MOST_FORCES = 24  # a tenth of a second each


def identified_surface(
    found: Coefficients, contacts: Sequence[SurfaceFigures]
) -> IdentifiedSurface:
    """Return what the impacts of an analysis say of their surface.

    The restitution of all joints' velocities is that of arm and surface together, as joints that
    give way throw the arm back, too; the surface's own lies below it.

    Args:
        found: friction and restitution of the inertia that explains the velocities best.
        contacts: what the force of each impact says, where a force sensor measured it.
    """
    friction, restitution = _range(found.friction, np.inf), _range(found.restitution, 1.0)
    own = [each.restitution for each in contacts]
    if restitution is not None and not found.restitution.assumed:
        restitution = _hull([(0.0, restitution[1])] if not own else [restitution, *own])
    stiffness = _hull([each.stiffness for each in contacts]) if contacts else None
    given = {"friction": found.friction.assumed, "restitution": found.restitution.assumed}
    assumed = tuple(name for name, is_assumed in given.items() if is_assumed)
    return IdentifiedSurface(friction, restitution, stiffness, assumed)


def _hull(ranges: Sequence[Range]) -> Range:
    low, high = zip(*ranges, strict=True)
    return min(low), max(high)


def _range(found: Identified, most: float) -> Range | None:
    """Return the interval of a coefficient that was identified, none where it was not."""
    known = np.isfinite([found.low, found.high]).all() and (found.assumed or found.is_known)
    if not known:
        return None
    return max(0.0, found.low), min(most, found.high)


def contacts_of(robot: Robot, impacts: Sequence[Judged], friction: float) -> list[SurfaceFigures]:
    """Return what the forces of the impacts say of the surface.

    Args:
        robot: the arm.
        impacts: of which the first ones with a measured force are used.
        friction: coefficient, NaN if unknown [-].
    """
    usable = [each for each in impacts if each.measured.touch_by_force and _comparable(each)]
    if not can_load(robot):
        return []
    found, dynamics = [], ArmDynamics(robot)
    for item in (each.measured for each in usable[:MOST_FORCES]):
        assert item.trace is not None
        point, force = dynamics(item.q, item.dq_before), item.trace.force @ item.normal
        mu = friction if np.isfinite(friction) else 0.0
        found.append(identify_surface(robot, point, item.normal, mu, item.trace.force_time, force))
    return [each for each in found if each is not None]


def _comparable(impact: Judged) -> bool:
    """Tell whether an impact has a trace, and a velocity towards the surface."""
    known = impact.measured.trace is not None and bool(impact.predicted)
    return known and impact.approach_speed > 0.0


def with_torques(
    robot: Robot, impacts: Sequence[Judged], surface: IdentifiedSurface
) -> list[Judged]:
    """Return the impacts with torques and jumps of the joints beside those of the model."""
    if not can_load(robot):
        return list(impacts)
    return [_compared(robot, each, surface) for each in impacts]


def _compared(robot: Robot, impact: Judged, surface: IdentifiedSurface) -> Judged:
    item = impact.measured
    if item.trace is None or not _comparable(impact) or not np.isfinite(item.trace.torque).any():
        return impact
    point = ArmDynamics(robot)(item.q, item.dq_before)
    hit = surface.surface(item.normal)
    loads, jumps = joint_intervals(robot, point, hit, drive_of(robot, "torque"))
    trace, noise = item.trace, robot.velocity_noise
    return replace(
        impact,
        torques=compare_torques(trace.time, trace.torque, loads, robot.torque_noise),
        jumps=compare_jumps(trace.time, trace.velocity, jumps, noise, item.time_std),
    )


def joints_of(robot: Robot, impacts: Sequence[Judged]) -> JointIdentification | None:
    """Return what the impacts tell of the joints; none if no model of them is known."""
    if not can_load(robot):
        return None
    hits = [
        item.trace
        for item in (each.measured for each in impacts)
        if item.trace is not None and item.complete and not item.driven
    ]
    return identify_joints(robot, hits)
