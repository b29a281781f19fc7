# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Builds a humanoid, its floor, boxes, a pedestal and a ramp in MuJoCo.

Contacts of faces: :mod:`impact_sim.plant.face_contacts`. Only the pairs defined here make contact:
soles and floor, palms and boxes, boxes and their supports.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from impact_robots.mujoco_links import add_shape
from impact_sim.cell.layout import Support
from impact_sim.humanoid.body_tree import add_humanoid
from impact_sim.humanoid.layout import HumanoidLayout, Ramp, SpringFace, WeightedBox
from impact_sim.plant.face_contacts import (
    CORNERS,
    add_face,
    add_force_sensor,
    add_pair,
    contact_spec,
    corner_name,
    set_spring,
)
from impact_sim.plant.mujoco_model import compiled

if TYPE_CHECKING:
    import mujoco

FLOOR, PEDESTAL, RAMP = "floor", "pedestal", "ramp"
_PEDESTAL_HALF = (0.1, 0.1)  # half edges of an infinite one, as drawn [m]


def box_name(number: int) -> str:
    """Return the MuJoCo name of a box."""
    return f"box{number}"


def build_humanoid_model(layout: HumanoidLayout) -> mujoco.MjModel:
    """Return the MuJoCo model; the robot's base and joints come first, then the boxes.

    Raises:
        SimulationError: MuJoCo cannot compile it.
    """
    spec = contact_spec(layout.robot.model.gravity.linear)
    add_humanoid(spec, layout)
    _add_plane(spec, FLOOR)
    for number, box in enumerate(layout.boxes):
        _add_box(spec, box, number)
    if layout.support is not None:
        _add_pedestal(spec, layout.support)
    if layout.ramp is not None:
        _add_ramp(spec, layout.ramp)
    contacts = _add_pairs(spec, layout)
    _add_sensors(spec, layout)
    model = compiled(spec, f"humanoid {layout.robot.name}")
    _set_springs(model, contacts)
    return model


def _add_plane(spec: Any, name: str) -> None:
    """Add the floor."""
    import mujoco  # loads slowly

    add_shape(spec.worldbody, name, mujoco.mjtGeom.mjGEOM_PLANE, [3.0, 3.0, 0.1])


def _add_box(spec: Any, box: WeightedBox, number: int) -> None:
    """Add a free box, homogeneous except for its centre of mass."""
    import mujoco  # loads slowly

    turned = [np.cos(box.yaw / 2.0), 0.0, 0.0, np.sin(box.yaw / 2.0)]
    body = spec.worldbody.add_body(name=box_name(number), pos=box.position, quat=turned)
    body.add_freejoint(name=box_name(number))
    body.mass, body.ipos, body.explicitinertial = box.mass, box.com, True
    x, y, z = (edge**2 for edge in box.size)
    body.inertia = np.array([y + z, x + z, x + y]) * box.mass / 12.0
    half = [edge / 2.0 for edge in box.size]
    add_shape(body, box_name(number), mujoco.mjtGeom.mjGEOM_BOX, half)


def _add_pedestal(spec: Any, support: Support) -> None:
    """Add the four corners of a pedestal's top."""
    top = np.array([*support.centre, support.height])
    half = np.array(support.half or _PEDESTAL_HALF)
    add_face(spec.worldbody, PEDESTAL, top, np.eye(3), half)


def _add_ramp(spec: Any, ramp: Ramp) -> None:
    """Add a board."""
    import mujoco  # loads slowly

    turn, lean = ramp.heading / 2.0, ramp.slope / 2.0
    about_z = np.array([np.cos(turn), 0.0, 0.0, np.sin(turn)])
    about_y = np.array([np.cos(lean), 0.0, np.sin(lean), 0.0])
    quaternion = np.empty(4)
    mujoco.mju_mulQuat(quaternion, about_z, about_y)
    normal = np.empty(3)
    mujoco.mju_rotVecQuat(normal, np.array([0.0, 0.0, 1.0]), quaternion)
    middle = np.array(ramp.centre) - 0.01 * normal
    add_shape(
        spec.worldbody,
        RAMP,
        mujoco.mjtGeom.mjGEOM_BOX,
        [*ramp.half, 0.01],
        pos=middle,
        quat=quaternion,
    )


def _add_pairs(spec: Any, layout: HumanoidLayout) -> dict[str, SpringFace]:
    """Enable the allowed contacts; return them by the pair's name."""
    pairs: list[tuple[str, str, SpringFace]] = []
    for sole in layout.soles:
        pairs += _corners(sole, FLOOR, layout.floor_contact)
    own = layout.box_contact
    for number in range(len(layout.boxes)):
        box = box_name(number)
        for palm in layout.palms:
            pairs += _corners(palm, box, layout.palm_contact)
        pairs += _corners(PEDESTAL, box, own) if layout.support is not None else []
        pairs.append((FLOOR, box, own))
        if layout.ramp is not None:
            slide = SpringFace(layout.ramp.friction, own.stiffness, own.damping)
            pairs.append((RAMP, box, slide))
        pairs += [(box_name(other), box, own) for other in range(number)]
    for one, other, contact in pairs:
        add_pair(spec, _pair_name(one, other), (one, other), contact.friction)
    return {_pair_name(one, other): contact for one, other, contact in pairs}


def _pair_name(one: str, other: str) -> str:
    return f"{one} {other}"


def _corners(face: str, other: str, contact: SpringFace) -> list[tuple[str, str, SpringFace]]:
    """Return the pairs of a face's corners with a shape."""
    return [(corner_name(face, corner), other, contact) for corner in range(CORNERS)]


def _add_sensors(spec: Any, layout: HumanoidLayout) -> None:
    """Add sensors of the net force on each palm by each box, and on each corner of the soles."""
    import mujoco  # loads slowly

    for contact, others in (
        *((palm, [box_name(k) for k in range(len(layout.boxes))]) for palm in layout.palms),
        *((sole, [FLOOR]) for sole in layout.soles),
    ):
        for corner in range(CORNERS):
            shape = corner_name(contact, corner)
            for other in others:
                on = (mujoco.mjtObj.mjOBJ_GEOM, shape)
                add_force_sensor(spec, _pair_name(shape, other), other, on)


def _set_springs(model: mujoco.MjModel, contacts: dict[str, SpringFace]) -> None:
    """Give each corner its spring and damper."""
    for pair in range(model.npair):
        contact = contacts[model.pair(pair).name]
        set_spring(model, pair, contact.stiffness, contact.damping)
