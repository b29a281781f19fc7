# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Adds a robot with a floating base to a MuJoCo model: links, joints, servos, faces."""

from __future__ import annotations

from typing import Any

import numpy as np
import pinocchio as pin

from impact_robots.description.named_contact import NamedContact
from impact_robots.mujoco_links import joint_axis
from impact_robots.state.frames import frame_index
from impact_robots.state.quaternions import quaternion_wxyz
from impact_sim.humanoid.layout import HumanoidLayout
from impact_sim.plant.face_contacts import add_face
from impact_sim.plant.mujoco_model import add_flexible_joint, motor_joint

BASE = "base"


def add_humanoid(spec: Any, layout: HumanoidLayout) -> None:
    """Add the robot: its base first, then a body a joint, then servos in the joints' order."""
    robot = layout.robot
    base = spec.worldbody.add_body(name=BASE)
    base.add_freejoint(name=BASE)
    _set_inertia(base, robot.model.inertias[1])
    bodies = {1: base}
    for index, name in enumerate(robot.joint_names):
        bodies[index + 2] = _add_link(bodies, layout, index, name)
    _add_servos(spec, layout)
    for contact in robot.contacts:
        _add_face(bodies, layout, contact)


def _set_inertia(body: Any, inertia: pin.Inertia) -> None:
    """Set the mass of a body."""
    body.mass, body.ipos = inertia.mass, inertia.lever
    body.fullinertia = inertia.inertia[[0, 1, 2, 0, 0, 1], [0, 1, 2, 1, 2, 2]]
    body.explicitinertial = True


def _add_link(bodies: dict[int, Any], layout: HumanoidLayout, index: int, name: str) -> Any:
    """Add one link with its joint, whose motor is rigid with it unless joints are flexible."""
    robot, joint = layout.robot, index + 2  # after the universe and the free-flyer
    model = robot.model
    at = model.jointPlacements[joint]
    body = bodies[int(model.parents[joint])].add_body(
        name=name, pos=at.translation, quat=quaternion_wxyz(at.rotation)
    )
    _set_inertia(body, model.inertias[joint])
    kind, axis = joint_axis(model, joint)
    place = {"type": kind, "axis": axis}
    if layout.flexible:
        add_flexible_joint(body, robot, index, name, place)
    else:
        armature = float(robot.reflected_motor_inertia[index])
        body.add_joint(name=motor_joint(name), armature=armature, **place)
    return body


def _add_servos(spec: Any, layout: HumanoidLayout) -> None:
    """Add an actuator a joint: torque = control - kp q - kd dq, within what the motor can."""
    import mujoco  # loads slowly

    servos, limit = layout.servos, layout.robot.limits.torque
    for index, name in enumerate(layout.robot.joint_names):
        spec.add_actuator(
            name=name,
            target=motor_joint(name),
            trntype=mujoco.mjtTrn.mjTRN_JOINT,
            gainprm=[1.0] + 9 * [0.0],
            biastype=mujoco.mjtBias.mjBIAS_AFFINE,
            biasprm=[0.0, -servos.stiffness[index], -servos.damping[index]] + 7 * [0.0],
            forcelimited=True,
            forcerange=[-limit[index], limit[index]],
        )


def _add_face(bodies: dict[int, Any], layout: HumanoidLayout, contact: NamedContact) -> None:
    """Add the corners of a sole, or of the face that a palm's point is the middle of."""
    model = layout.robot.model
    frame = model.frames[frame_index(model, contact.name)]
    rotation = frame.placement.rotation @ face_axes(model, contact)
    half = np.array(contact.half_extents or layout.palm_half)
    body, centre = bodies[frame.parentJoint], frame.placement.translation
    add_face(body, contact.name, centre, rotation, half)


def face_axes(model: pin.Model, contact: NamedContact) -> np.ndarray:
    """Return the axes of a face in those of its frame, shape (3, 3); z is out of the robot.

    A sole looks down its frame's z axis. A palm looks along y, to the side on which it is of its
    link's origin: that of the wrist's roll, so towards the other hand.
    """
    if contact.half_extents is not None:
        return np.diag([1.0, -1.0, -1.0])
    link = model.frames[frame_index(model, contact.link)].placement
    frame = model.frames[frame_index(model, contact.name)].placement
    side = -float(np.sign(frame.actInv(link).translation[1]))
    return np.array([[1.0, 0.0, 0.0], [0.0, 0.0, side], [0.0, -side, 0.0]])
