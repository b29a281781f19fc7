# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Builds a robot cell in MuJoCo: flexible-joint arms with plates, a free box, its support.

Contacts of faces are as :mod:`impact_sim.plant.face_contacts` says.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from impact_robots.mujoco_links import add_shape
from impact_robots.robot import Robot
from impact_robots.state.frames import frame_index
from impact_sim.cell.layout import BoxObject, CellLayout, PairContact, Support
from impact_sim.plant.face_contacts import (
    CORNERS,
    SLIP_DECAY,
    add_face,
    add_force_sensor,
    add_pair,
    contact_spec,
    corner_name,
    set_spring,
)
from impact_sim.plant.mujoco_model import add_arm, compiled, motor_joint

if TYPE_CHECKING:
    import mujoco

BOX, SUPPORT = "box", "support"
STICTION = 0.999  # impedance of friction in motors [-]


def plate_name(arm: str) -> str:
    """Return the MuJoCo name of an arm's plate."""
    return f"{arm}/plate"


def arm_prefix(arm: str) -> str:
    """Return the prefix of MuJoCo names of an arm's bodies and joints."""
    return f"{arm}/" if arm else ""


def build_cell_model(layout: CellLayout) -> mujoco.MjModel:
    """Return the MuJoCo model of a cell; the arms' joints come first.

    Raises:
        SimulationError: MuJoCo cannot compile it.
    """
    robots = layout.cell.load()
    spec = contact_spec(robots[0].model.gravity.linear)
    for arm, robot in zip(layout.cell.robots, robots, strict=True):
        bodies = add_arm(spec, robot, arm_prefix(arm.name), arm.base)
        _add_plate(bodies, robot, layout, arm.name)
        _add_friction(bodies, robot, layout, arm.name)
    if layout.box is not None:
        _add_box(spec, layout.box)
        _add_contacts(spec, layout)
    model = compiled(spec, f"cell of {', '.join(layout.cell.kinds)}")
    if layout.box is not None:
        _set_springs(model, layout, layout.box.mass)
    return model


def _add_plate(bodies: list[Any], robot: Robot, layout: CellLayout, arm: str) -> None:
    """Add the corners of the plate; its inertia is the tool's."""
    model = robot.model
    frame = model.frames[frame_index(model, robot.contact_frame)]
    add_face(
        bodies[frame.parentJoint],
        plate_name(arm),
        frame.placement.translation,
        frame.placement.rotation,
        np.array(layout.plate) / 2.0,
    )


def _add_friction(bodies: list[Any], robot: Robot, layout: CellLayout, arm: str) -> None:
    """Give the motors their friction, if they have any."""
    friction = layout.motor_friction
    if friction is None:
        return
    for index, name in enumerate(robot.joint_names):
        joint = next(
            each
            for each in bodies[index + 1].joints
            if each.name == motor_joint(arm_prefix(arm) + name)
        )
        joint.frictionloss = friction.coulomb[index]
        joint.damping = [friction.viscous[index], 0.0, 0.0]
        joint.solimp_friction = [STICTION, STICTION, 0.001, 0.5, 2.0]
        joint.solref_friction = [-1e-9, -SLIP_DECAY * STICTION]


def _add_box(spec: Any, box: BoxObject) -> None:
    """Add the free box."""
    import mujoco  # loads slowly

    turned = [np.cos(box.yaw / 2.0), 0.0, 0.0, np.sin(box.yaw / 2.0)]
    body = spec.worldbody.add_body(name=BOX, pos=box.position, quat=turned)
    body.add_freejoint(name=BOX)
    body.add_geom(
        name=BOX,
        type=mujoco.mjtGeom.mjGEOM_BOX,
        size=np.array(box.size) / 2.0,
        mass=box.mass,
        contype=0,
        conaffinity=0,
    )


def _add_contacts(spec: Any, layout: CellLayout) -> None:
    """Add the contacts of the box, each with a sensor of the net force."""
    if layout.support is not None:
        _add_support(spec, layout.support, layout.support_contact)
    for arm, robot in zip(layout.cell.names, layout.cell.load(), strict=True):
        _add_pairs(spec, plate_name(arm), layout.plate_contact)
        _add_sensor(spec, plate_name(arm), arm_prefix(arm) + robot.joint_names[-1])


def _add_support(spec: Any, support: Support, contact: PairContact) -> None:
    """Add a table as a plane, on which the box has its corners, or a pedestal with its own."""
    import mujoco  # loads slowly

    if support.half is None:
        plane = mujoco.mjtGeom.mjGEOM_PLANE
        drawn = [1.0, 1.0, 0.1]  # infinite plane
        add_shape(spec.worldbody, SUPPORT, plane, drawn, pos=[0.0, 0.0, support.height])
        add_pair(spec, SUPPORT, (SUPPORT, BOX), contact.friction)
    else:
        top = np.array([*support.centre, support.height])
        add_face(spec.worldbody, SUPPORT, top, np.eye(3), np.array(support.half))
        _add_pairs(spec, SUPPORT, contact)
    _add_sensor(spec, SUPPORT, "world")


def _add_pairs(spec: Any, face: str, contact: PairContact) -> None:
    """Enable contact of the corners of a face with the box."""
    for corner in range(CORNERS):
        name = corner_name(face, corner)
        add_pair(spec, name, (name, BOX), contact.friction)


def _add_sensor(spec: Any, name: str, body: str) -> None:
    """Add a sensor of the force that the box exerts on a body, world axes."""
    import mujoco  # loads slowly

    add_force_sensor(spec, name, BOX, (mujoco.mjtObj.mjOBJ_BODY, body))


def _set_springs(model: mujoco.MjModel, layout: CellLayout, mass: float) -> None:
    """Set spring and damper of each corner for the given frequency and damping of the box alone."""
    of_support = {SUPPORT, *(corner_name(SUPPORT, corner) for corner in range(CORNERS))}
    for pair in range(model.npair):
        supports = model.pair(pair).name in of_support
        contact = layout.support_contact if supports else layout.plate_contact
        damping = 2.0 * contact.damping_ratio * contact.frequency
        set_spring(model, pair, mass * contact.frequency**2, mass * damping)
