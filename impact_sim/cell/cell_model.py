# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Builds a robot cell in MuJoCo: flexible-joint arms with plates, a free box, its support.

A face touches at its four corners. Each is a spring and a damper along the normal, and Coulomb's
cone, not a pyramid, across. MuJoCo's contacts become such springs when their impedance is next to
nothing: its contact force is then ``-(stiffness r + damping v) / w`` with the constant w of the two
bodies that it calls ``invweight0``, whatever else acts on them. Friction keeps a high impedance, so
that a grasp does not creep, and a slow reference, so that sliding does not lift.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from impact_robots.frames import frame_index
from impact_sim.cell.layout import BoxObject, CellLayout, PairContact, Support
from impact_sim.mujoco_model import add_arm, compiled, empty_spec, motor_joint

if TYPE_CHECKING:
    import mujoco

BOX, SUPPORT = "box", "support"
IMPEDANCE = 1e-4  # of contacts along the normal: MuJoCo's least, next to none [-]
FRICTION_RATIO = 1e5  # of the impedance across to that along the normal [-]
SLIP_DECAY = 2000.0  # of slip that friction can stop [1/s]
STICTION = 0.999  # impedance of friction in motors [-]
TIP = 0.005  # radius of the corners of faces, behind the face [m]
CORNERS = 4  # of a face
_NET = 3  # one row: the net force, in world axes


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
    import mujoco  # loads slowly

    spec = empty_spec(layout.robot.model.gravity.linear)
    spec.option.cone = mujoco.mjtCone.mjCONE_ELLIPTIC
    spec.option.impratio = FRICTION_RATIO
    for arm, base in zip(layout.arm_names, layout.bases, strict=True):
        bodies = add_arm(spec, layout.robot, arm_prefix(arm), base)
        _add_plate(bodies, layout, arm)
        _add_friction(bodies, layout, arm)
    if layout.box is not None:
        _add_box(spec, layout.box)
        _add_contacts(spec, layout)
    model = compiled(spec, f"cell of {layout.robot.name}")
    if layout.box is not None:
        _set_springs(model, layout, layout.box.mass)
    return model


def _add_plate(bodies: list[Any], layout: CellLayout, arm: str) -> None:
    """Add the corners of the plate; its inertia is the tool's."""
    model = layout.robot.model
    frame = model.frames[frame_index(model, layout.robot.contact_frame)]
    _add_face(
        bodies[frame.parentJoint],
        plate_name(arm),
        frame.placement.translation,
        frame.placement.rotation,
        np.array(layout.plate) / 2.0,
    )


def _add_face(
    body: Any, name: str, centre: np.ndarray, rotation: np.ndarray, half: np.ndarray
) -> None:
    """Add the corners of a rectangle that faces along its z, half edges (2,) [m]."""
    import mujoco  # loads slowly

    for corner, signs in enumerate(((1, 1), (-1, 1), (-1, -1), (1, -1))):
        body.add_geom(
            name=f"{name}/{corner}",
            type=mujoco.mjtGeom.mjGEOM_SPHERE,
            size=[TIP, 0.0, 0.0],
            pos=centre + rotation @ np.array([*(signs * half), -TIP]),
            contype=0,
            conaffinity=0,
            mass=0.0,
        )


def _add_friction(bodies: list[Any], layout: CellLayout, arm: str) -> None:
    """Give the motors their friction, if they have any."""
    friction = layout.motor_friction
    if friction is None:
        return
    for index, name in enumerate(layout.robot.joint_names):
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
    """Add what may touch the box, each with a sensor of the net force on it."""
    if layout.support is not None:
        _add_support(spec, layout.support, layout.support_contact)
    for arm in layout.arm_names:
        _add_pairs(spec, plate_name(arm), layout.plate_contact)
        _add_sensor(spec, plate_name(arm), arm_prefix(arm) + layout.robot.joint_names[-1])


def _add_support(spec: Any, support: Support, contact: PairContact) -> None:
    """Add a table as a plane, on which the box has its corners, or a pedestal with its own."""
    import mujoco  # loads slowly

    if support.half is None:
        spec.worldbody.add_geom(
            name=SUPPORT,
            type=mujoco.mjtGeom.mjGEOM_PLANE,
            size=[1.0, 1.0, 0.1],  # as drawn; it has no end
            pos=[0.0, 0.0, support.height],
            contype=0,
            conaffinity=0,
        )
        _add_pair(spec, SUPPORT, contact)
    else:
        top = np.array([*support.centre, support.height])
        _add_face(spec.worldbody, SUPPORT, top, np.eye(3), np.array(support.half))
        _add_pairs(spec, SUPPORT, contact)
    _add_sensor(spec, SUPPORT, "world")


def _add_pairs(spec: Any, face: str, contact: PairContact) -> None:
    """Let the corners of a face touch the box."""
    for corner in range(CORNERS):
        _add_pair(spec, f"{face}/{corner}", contact)


def _add_pair(spec: Any, geom: str, contact: PairContact) -> None:
    """Let a shape touch the box; its springs are set once the model is there."""
    spec.add_pair(
        name=geom,
        geomname1=geom,
        geomname2=BOX,
        condim=3 if contact.friction > 0.0 else 1,
        friction=[contact.friction, contact.friction, 0.0, 0.0, 0.0],
        solimp=[IMPEDANCE, IMPEDANCE, 0.001, 0.5, 2.0],
        solreffriction=[-1e-9, -SLIP_DECAY * IMPEDANCE],
    )


def _add_sensor(spec: Any, name: str, body: str) -> None:
    """Add a sensor of the force that the box exerts on a body, world axes."""
    import mujoco  # loads slowly

    spec.add_sensor(
        name=name,
        type=mujoco.mjtSensor.mjSENS_CONTACT,
        objtype=mujoco.mjtObj.mjOBJ_GEOM,
        objname=BOX,
        reftype=mujoco.mjtObj.mjOBJ_BODY,
        refname=body,
        intprm=[1 << int(mujoco.mjtConDataField.mjCONDATA_FORCE), _NET, 1],
    )


def _set_springs(model: mujoco.MjModel, layout: CellLayout, mass: float) -> None:
    """Give each corner its quarter of its pair's spring and damper."""
    weight = model.body_invweight0[model.geom_bodyid, 0]
    for pair in range(model.npair):
        name = model.pair(pair).name
        contact = layout.support_contact if name.startswith(SUPPORT) else layout.plate_contact
        share = mass / CORNERS * (1.0 - IMPEDANCE)
        share *= weight[model.pair_geom1[pair]] + weight[model.pair_geom2[pair]]
        model.pair_solref[pair, 0] = -share * contact.frequency**2
        model.pair_solref[pair, 1] = -share * 2.0 * contact.damping_ratio * contact.frequency
