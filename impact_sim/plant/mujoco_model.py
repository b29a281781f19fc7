# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Builds the flexible-joint robot in MuJoCo from the robot's pinocchio model.

Each joint is two hinges (or slides) in one body: the motor angle theta with armature B_rho and the
actuator, and the deflection delta = q - theta with stiffness K and damping D. Their sum is the link
position q, so the equations of motion are exactly the flexible-joint model of doc/theory.md.
"""

from __future__ import annotations

from collections import deque
from copy import copy
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from impact_robots.mujoco_links import add_links, empty_spec, joint_axis
from impact_robots.robot import Robot
from impact_robots.state.contact_frame import OWN, ContactPoint
from impact_robots.state.frames import frame_index
from impact_sim.exceptions import SimulationError

if TYPE_CHECKING:
    import mujoco

CONTACT_SITE = "contact"
# The last models, to be copied: two milliseconds less for each plant of the same robot.
_built: deque[tuple[Robot, ContactPoint, mujoco.MjModel]] = deque(maxlen=4)


def motor_joint(name: str) -> str:
    """Return the MuJoCo name of a joint's motor degree of freedom."""
    return f"{name}/motor"


def deflection_joint(name: str) -> str:
    """Return the MuJoCo name of a joint's deflection."""
    return f"{name}/deflection"


def build_mujoco_model(robot: Robot, contact: ContactPoint = OWN) -> mujoco.MjModel:
    """Return the flexible-joint model of ``robot``; contact forces come from outside.

    Args:
        robot: the arm.
        contact: point at which they act.

    Raises:
        RobotError: there is no such contact point.
        SimulationError: MuJoCo cannot compile the model, for example an unphysical inertia.
    """
    for known, point, model in _built:
        if known is robot and point == contact:
            return copy(model)
    spec = empty_spec(robot.model.gravity.linear)
    bodies = add_arm(spec, robot)
    _add_contact_site(bodies, robot, contact)
    model = compiled(spec, f"robot {robot.name}")
    _built.append((robot, contact, copy(model)))
    return model


def compiled(spec: Any, what: str) -> mujoco.MjModel:
    """Return the model of a specification.

    Raises:
        SimulationError: MuJoCo cannot compile it; ``what`` says what it is of.
    """
    try:
        return spec.compile()
    except ValueError as error:
        raise SimulationError(f"{what}: {' '.join(str(error).split())}") from None


def add_arm(
    spec: Any, robot: Robot, prefix: str = "", base: ArrayLike = (0.0, 0.0, 0.0)
) -> list[Any]:
    """Add an arm to a model's specification.

    Args:
        spec: of MuJoCo.
        robot: the arm.
        prefix: of the names of its bodies and joints.
        base: where it stands, with the axes of the world, shape (3,) [m].

    Returns:
        Its bodies: the world, then one a joint.
    """
    import mujoco  # loads slowly

    def add_joint(body: Any, number: int) -> None:
        kind, axis = joint_axis(robot.model, number)
        lever = robot.model.inertias[number].lever
        if kind is mujoco.mjtJoint.mjJNT_SLIDE and np.abs(lever).max() < 1e-6:
            # MuJoCo takes the slides of a body whose axes are those of its inertia for orthogonal
            # ones, but these two are parallel. Two micrometres make it look.
            body.ipos = np.full(3, 2e-6)
        name = prefix + robot.joint_names[number - 1]
        add_flexible_joint(body, robot, number - 1, name, {"type": kind, "axis": axis})

    return add_links(spec, robot.model, add_joint, prefix, base)


def add_flexible_joint(
    body: Any, robot: Robot, index: int, name: str, place: dict[str, Any]
) -> None:
    """Add the motor and the deflection of a joint to its body.

    Args:
        body: of MuJoCo's specification.
        robot: that the joint is of.
        index: of the joint.
        name: of the joint in MuJoCo.
        place: ``type`` and ``axis``, see :func:`~impact_robots.mujoco_links.joint_axis`.
    """
    armature = float(robot.reflected_motor_inertia[index])
    body.add_joint(name=motor_joint(name), armature=armature, **place)
    body.add_joint(
        name=deflection_joint(name),
        stiffness=[robot.joint_stiffness[index], 0.0, 0.0],
        damping=[robot.joint_damping[index], 0.0, 0.0],
        **place,
    )


def _add_contact_site(bodies: list, robot: Robot, contact: ContactPoint) -> None:
    """Add the contact point as a site."""
    frame = robot.model.frames[frame_index(robot.model, contact.frame or robot.contact_frame)]
    place = frame.placement.act(np.array(contact.offset or (0.0, 0.0, 0.0)))
    bodies[frame.parentJoint].add_site(name=CONTACT_SITE, pos=place)
