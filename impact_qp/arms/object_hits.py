# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""A task with a box as input of the impact limits: arms at the impact, box in ranges."""

from __future__ import annotations

import numpy as np

from impact_predictor.multicontact.bodies import ArmBody
from impact_predictor.multicontact.contacts import face_points
from impact_predictor.multicontact.object_impact import Footing, Plate
from impact_predictor.prediction.predict import motor_inertia
from impact_qp.object_speed import ObjectHit
from impact_qp.references import impact_motion
from impact_qp.references.joint_path import fastest_joints
from impact_qp.references.spread import TASK
from impact_qp.spreading.force import GRAVITY
from impact_robots import ArmDynamics
from impact_robots.task.box_task import BoxRanges, BoxTask

HEAVIER = 1.3  # largest mass of the box over its nominal mass
RESTITUTION = (0.0, 0.3)  # of plates on the box [-]
SPREAD = 4.0  # range of the contact stiffness, as a factor on the nominal one
USUAL_BOX = BoxRanges()


def box_plates(task: BoxTask, inertia: str = "M+B_theta") -> dict[str, Plate]:
    """Return the arms' plates right before the nominal impact, by the arms' namespaces.

    Args:
        task: what hits what.
        inertia: of the impact maps, one of ``robot.motor_inertias``.

    Raises:
        UnknownNameError: no such inertia.
    """
    half, plates = np.array(task.plate) / 2, {}
    for arm, (name, robot) in enumerate(zip(task.arm_names, task.robots, strict=True)):
        state = ArmDynamics(robot)(np.array(task.q_impact[arm]), np.array(task.dq_impact[arm]))
        body = ArmBody(state, motor_inertia(robot, inertia), task.bases[arm])
        plates[name] = Plate(body, half, task.plate_friction)
    return plates


def box_footing(task: BoxTask) -> Footing | None:
    """Return the support of a pushed box; a grab lifts the box."""
    if task.kind != "push":
        return None
    size, centre = np.array(task.box_size), task.box_position
    feet = face_points(centre - [0.0, 0.0, size[2] / 2], task.box_rotation, size[:2] / 2)
    return Footing(feet, friction=task.support_friction)


def box_hit(task: BoxTask, box: BoxRanges = USUAL_BOX) -> ObjectHit:
    """Return the hit that a task describes.

    Args:
        task: arms, box and motion; the true position of the box is not used.
        box: ranges that replace those of the task.

    Raises:
        OutOfRangeError: invalid range.
        ScenarioError: the plates do not lie flat on the box.
    """
    box = box.over(task.ranges)
    mass = box.mass or (task.box_mass, HEAVIER * task.box_mass)
    expected = task.box_mass * task.contact_frequency**2
    forces = {
        name: np.append(_force(task, arm, mass[1]), np.zeros(3))
        for arm, name in enumerate(task.arm_names)
    }
    return ObjectHit(
        dict(zip(task.arm_names, task.robots, strict=True)),
        box_plates(task),
        task.box_size,
        task.box_position,
        mass,
        box.friction or (0.5 * task.plate_friction, task.plate_friction),
        box.restitution or RESTITUTION,
        box.stiffness or (expected / SPREAD, expected * SPREAD),
        box.velocity,
        forces,
        {name: _run_up_speeds(task, arm) for arm, name in enumerate(task.arm_names)},
        box_footing(task),
        task.box_rotation,
    )


def _run_up_speeds(task: BoxTask, arm: int) -> np.ndarray:
    """Return the highest speeds of an arm's joints in its run-up, shape (n,) [rad/s]."""
    robot = task.robots[arm]
    dynamics, q = ArmDynamics(robot), np.array(task.q_start[arm])
    contact = dynamics(np.array(task.q_impact[arm]), np.array(task.dq_impact[arm]))
    start = dynamics(q, np.zeros(robot.dof))
    reference = impact_motion(start, contact, np.zeros(TASK), task.run_up)
    return fastest_joints(robot, reference.ante, reference.rotation, q, task.run_up)


def _force(task: BoxTask, arm: int, mass: float) -> np.ndarray:
    """Return the force on a box that then rests, or slides: of the heaviest, shape (3,) [N]."""
    into, weight = task.direction(arm), mass * GRAVITY
    if task.kind == "push":
        return into * task.support_friction * weight
    return into * task.clamp_force + [0.0, 0.0, weight / len(task.bases)]
