# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
r"""How much more than its own impulse a palm gets because the other one presses through the box.

The published impulses take the palms as independent. :math:`\beta_a` is the bound on the impulse
of palm a's face, whatever the delay between both (``impact_predictor.sets.coupled_bounds``), over
the published one :math:`(1 + c_{hi}) s_a/(z^T W_a z)`. It is at least 1: a palm that arrives alone
is covered.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from impact_predictor.inertia.inverse_inertia import held_inverse
from impact_predictor.multicontact.bodies import box
from impact_predictor.multicontact.contacts import face_points
from impact_predictor.sets.coupled_bounds import face_bounds
from impact_qp.whole_body import Arrival, arriving_impulses
from impact_robots import ArmDynamics, Robot, RobotState, contact_rotation
from impact_robots.task.palm_task import PALM_HALF, SOLES, PalmTask

SPREAD = 0.05  # of the palms' speeds about their mean: either may be the faster one [-]
_CORNERS = 4  # of a palm


def coupled(robot: Robot, task: PalmTask, arrivals: Sequence[Arrival]) -> tuple[Arrival, ...]:
    """Return arrivals at both sides of the task's boxes with their ``coupling``.

    The robot has its palms at the box and holds its soles, the box is homogeneous and free; the
    largest of all the task's boxes and of both orders of speed counts.

    Args:
        robot: of the task.
        task: object and grasp.
        arrivals: of the left and the right palm.

    Raises:
        RobotError: the robot cannot reach the box.
    """
    q = task.grabbing(robot)
    state = ArmDynamics(robot, "all").state(q, np.zeros(robot.nv))
    single = arriving_impulses(robot, state, arrivals, along_normal=True)
    alone = np.array([float(each.unit[2, 0]) for each in single])
    G = [_mobility(robot, state, task, arrivals, mass) for mass in task.box_masses]
    restitution = max(each.contact.restitution[1] for each in arrivals)
    faces = [range(_CORNERS * k, _CORNERS * (k + 1)) for k in range(len(arrivals))]
    ratios = [
        face_bounds(each, np.repeat(speeds, _CORNERS), faces, restitution) / (alone * speeds)
        for each in G
        for speeds in (
            np.array([1.0 - SPREAD, 1.0 + SPREAD]),
            np.array([1.0 + SPREAD, 1.0 - SPREAD]),
        )
    ]
    largest = np.maximum(np.max(ratios, axis=0), 1.0)
    return tuple(
        replace(each, coupling=float(beta)) for each, beta in zip(arrivals, largest, strict=True)
    )


def _mobility(
    robot: Robot, state: RobotState, task: PalmTask, arrivals: Sequence[Arrival], mass: float
) -> np.ndarray:
    """Return G of all corners of the palms, shape (8, 8) [1/kg]."""
    body = box(mass, task.box_size, task.box_position)
    of_robot, of_box = [], []
    for arrival in arrivals:
        point, normal = state.at(arrival.frame), np.asarray(arrival.contact.normal)
        for corner in face_points(point.position, contact_rotation(normal), PALM_HALF):
            beside = point.beside(point.rotation.T @ (corner - point.position))
            of_robot.append(-normal @ beside.J[:3])
            of_box.append(normal @ body.jacobian(corner)[:3])
    J, R = np.array(of_robot), np.array(of_box)
    effect = R @ np.linalg.solve(body.inertia(), R.T)
    return np.asarray(J @ standing_inverse(robot, state) @ J.T + effect)


def standing_inverse(robot: Robot, state: RobotState) -> np.ndarray:
    """Return M^-1 of the robot with motors, whose soles stay, shape (nv, nv)."""
    motors = robot.motor_inertias
    M = state.inertia(motors.get("M+B_theta", motors.get("M+B_rho", motors["M"])))
    return held_inverse(M, [state.at(sole).J for sole in SOLES])
