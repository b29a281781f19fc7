# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Predicted observation of the arm's collision detection in a planned hit, for thresholds."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from impact_drivers.franka.arm.collision_behavior import OBSERVER_GAIN, CollisionBehavior
from impact_predictor.exceptions import PredictionError
from impact_predictor.joint_load.drive import drive_of
from impact_predictor.joint_load.load_limits import load_limits
from impact_predictor.joint_load.worst_load import LoadSearch
from impact_predictor.reflex.predicted import lever
from impact_qp.control.plan import Plan
from impact_qp.limits.impact_limits.worst_case import RobustImpactLimit
from impact_qp.limits.straight_path import contact_state
from impact_robots.dynamics import ArmDynamics
from impact_robots.robot import Robot
from impact_robots.state.state import PointState

PERIOD = 1e-3  # of control [s]


def hit_need(robot: Robot, plan: Plan, q: np.ndarray) -> CollisionBehavior:
    r"""Return the peaks of the arm's observer in a planned hit.

    External torques are observed with a lag of 1/K, so the observed force of an impulse p with
    peak force F is at most :math:`\min(K p, F)`. The arm's K is assumed. Impulses and forces are
    those of all cases of ``joint_load``, with friction, restitution, stiffness and joints in their
    ranges, at the speed that the plan's limits allow at the surface. For a robot without joint
    parameters they are those of the robust limits.

    Args:
        robot: the arm.
        plan: of the hit.
        q: initial positions, shape (7,) [rad].

    Returns:
        torques of the joints, shape (7,) [N.m]; force, the same in all axes, as the axes of the
        arm's thresholds are not published, and its moment about the flange, shape (6,) [N; N.m].
    """
    dynamics = ArmDynamics(robot)
    point = contact_state(dynamics, plan.contact, dynamics(q, np.zeros(robot.dof)))
    forces = planned_speed(robot, plan, point) * np.array(list(_observed(robot, plan, point)))
    torque = np.abs(forces @ point.J[:3]).max(axis=0)
    force = float(np.linalg.norm(forces, axis=1).max())
    moment = force * lever(robot)
    return CollisionBehavior(torque, np.repeat([force, moment], 3))


def planned_speed(robot: Robot, plan: Plan, point: PointState) -> float:
    """Return the contact speed of a plan [m/s]: the requested one, or its limits' bound."""
    limit = plan.impact_limit(robot, PERIOD)
    asked = min(plan.speed, plan.highest_speed)
    return asked if limit is None else min(asked, max(0.0, limit.speed_bound(point).speed))


def _observed(robot: Robot, plan: Plan, point: PointState) -> Iterator[np.ndarray]:
    """Yield the observed force of every case at 1 m/s, base axes, shape (3,) [N]."""
    contact = plan.contact
    try:
        search = LoadSearch(
            robot, contact, joints=plan.joint_ranges, drive=drive_of(robot, plan.interface)
        )
        cases = search.worst(point, load_limits(robot, point.g))
    except PredictionError:
        limit = RobustImpactLimit(robot, contact, generators=plan.generators)
        highest = contact.peak_factor / contact.impact_duration  # force of an impulse [1/s]
        for impulse in limit.unit_impulses(point).T:
            yield min(OBSERVER_GAIN, highest) * impulse
        return
    for each in cases:
        impulse = contact.rotation @ each.load.impulse[0]
        size = float(np.linalg.norm(impulse))
        peak = float(each.load.peak_force.max()) * np.hypot(1.0, each.case.friction)
        if size > 0.0:
            yield min(OBSERVER_GAIN * size, peak) / size * impulse
