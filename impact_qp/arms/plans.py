# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Plans of the arms of a task with an object: references by an impact map, and forces."""

from __future__ import annotations

from dataclasses import replace
from math import inf
from typing import NamedTuple

import numpy as np

from impact_predictor.exceptions import UnknownNameError
from impact_predictor.multicontact.bodies import box
from impact_predictor.multicontact.object_impact import ObjectVelocities
from impact_predictor.multicontact.reference_maps import REFERENCE_MAPS, reference_impact
from impact_qp.arms.guards import spread_guards
from impact_qp.arms.object_hits import box_footing, box_plates
from impact_qp.arms.own_references import own_reference, through_impact
from impact_qp.references import AfterImpact, impact_motion, smooth_motion
from impact_qp.references.spread import TASK
from impact_qp.spreading import (
    FrictionFeedforward,
    GrabForce,
    PushForce,
    SpreadGains,
    SpreadingController,
    SpreadPlan,
    Variant,
    check_speeds,
    held_back,
    join,
)
from impact_qp.spreading.force import ForceLaw
from impact_qp.spreading.guarded_spreading import GuardedSpreading
from impact_qp.spreading.stopping import HOLD_DISTANCE
from impact_robots import ArmDynamics
from impact_robots.task.box_task import BoxTask

Frictions = tuple[FrictionFeedforward, FrictionFeedforward]  # of ante- and post-impact motions
PUSHED, GRABBED = AfterImpact(0.1, 0.7), AfterImpact(0.0, 0.8)
INTO = 0.056  # how far inside the object a grab's smooth reference ends [m]
USUAL_MAPS = {"push": "points", "grab": "locked"}
USUAL_MAP = "usual"  # that of the task's kind
OBJECT_MAP_CHOICES = (USUAL_MAP, *REFERENCE_MAPS)
GRAB_GAINS = SpreadGains(orientation_after=50.0)


class SpreadChoice(NamedTuple):
    """Options of a plan."""

    variant: Variant = Variant.RS
    inertia: str = "M+B_theta"  # of the impact map, one of ``robot.motor_inertias``
    object_map: str = USUAL_MAP  # of OBJECT_MAP_CHOICES; usual: that of USUAL_MAPS
    level: float = 1.0  # of the velocities after the impact, over those of the map
    then: AfterImpact | None = None  # motion after the impact; None: see `spread_plans`
    friction: tuple[Frictions, ...] | None = None  # feed-forward of each arm; none: none
    gains: SpreadGains | None = None  # none: the usual ones, a grab's with a softer orientation
    cap: float = inf  # highest speed of a contact point, planned and measured [m/s]
    hold_distance: float = HOLD_DISTANCE  # a pushed arm holds its new position beyond it [m]


USUAL = SpreadChoice()


def guarded_arms(task: BoxTask, choice: SpreadChoice = USUAL) -> tuple[GuardedSpreading, ...]:
    """Return all arms' guarded controllers, which stop together; raises as :func:`spread_plans`."""
    controllers = [
        SpreadingController(robot, plan, hold_distance=choice.hold_distance)
        for robot, plan in zip(task.robots, spread_plans(task, choice), strict=True)
    ]
    join(controllers)
    starts = [np.array(start) for start in task.q_start]
    return tuple(map(GuardedSpreading, controllers, starts))


def spread_plans(task: BoxTask, choice: SpreadChoice = USUAL) -> tuple[SpreadPlan, ...]:
    """Return one plan an arm; each from its arm's base on, in world axes.

    A push holds the velocity after the impact for 0.1 s and then stops within 0.7 s; a grab stops
    within 0.8 s. The task's own ``references`` replace that, velocities after the impact included.
    By the task's impact limits all are slowed, if need be.

    Raises:
        ControlError: no speed is safe by these limits, or there is a cap and a plan is faster, or
            faster than the joints may be.
        EngineError: MuJoCo is wanted, and not installed.
        ImpactError: the task's arms are not where they can hit the object, or its own references
            do not begin at rest where the arm does, or do not lead to the object.
        UnknownNameError: no such inertia or map.
    """
    guards, expected = spread_guards(task), expected_impact(task, choice)
    then = choice.then or (PUSHED if task.kind == "push" else GRABBED)
    plans = []
    for arm, (robot, name) in enumerate(zip(task.robots, expected.plates, strict=True)):
        dynamics = ArmDynamics(robot)
        contact = dynamics(task.q_impact[arm], task.dq_impact[arm])
        start = dynamics(task.q_start[arm], np.zeros(robot.dof))
        into = task.direction(arm)
        pressed = np.append(INTO * into, 0.0) if task.kind == "grab" else np.zeros(TASK)
        if task.references:
            reference = own_reference(task, arm, start, contact)
            smooth = through_impact(reference, pressed)
        else:
            after = np.append(expected.plates[name][:3], expected.joints[name][0])
            reference = impact_motion(start, contact, choice.level * after, task.run_up, then)
            through = then
            if task.kind == "grab":
                less = reference.jump[1] - reference.jump[0]  # to rest where the other one does
                through = then._replace(offset=pressed + less * then.stop / 2)
            smooth = smooth_motion(start, contact, task.run_up, through)
        friction = (None, None) if choice.friction is None else choice.friction[arm]
        plans.append(
            SpreadPlan(
                reference,
                choice.variant,
                choice.gains or usual_gains(task),
                force=force_law(task, into),
                smooth=smooth,
                ante_friction=friction[0],
                post_friction=friction[1],
                guard=replace(guards[arm], cap=choice.cap),
            )
        )
    slowed = held_back(plans)
    if choice.cap < inf:
        for robot, plan, q in zip(task.robots, slowed, task.q_start, strict=True):
            check_speeds(task.name, robot, plan, np.array(q))
    return slowed


def expected_impact(task: BoxTask, choice: SpreadChoice) -> ObjectVelocities:
    """Return the nominal impact by the chosen map, by the arms' namespaces.

    Raises:
        ImpactError: as of :func:`spread_plans`.
    """
    if choice.object_map not in OBJECT_MAP_CHOICES:
        raise UnknownNameError("object map", choice.object_map, OBJECT_MAP_CHOICES)
    kind = USUAL_MAPS[task.kind] if choice.object_map == USUAL_MAP else choice.object_map
    plates = box_plates(task, choice.inertia)
    body = box(task.box_mass, task.box_size, task.box_position, rotation=task.box_rotation)
    return reference_impact(plates, body, box_footing(task), kind=kind)


def usual_gains(task: BoxTask) -> SpreadGains:
    """Return the gains of a push or a grab."""
    return SpreadGains() if task.kind == "push" else GRAB_GAINS


def force_law(task: BoxTask, into: np.ndarray) -> ForceLaw:
    """Return the force that an arm shall exert along ``into`` the object, shape (3,)."""
    if task.kind == "push":
        return PushForce(task.box_mass, task.support_friction, into)
    return GrabForce(task.box_mass, task.clamp_force, into)
