# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Faces that touch at their corners in MuJoCo: springs, dampers and Coulomb's cone.

A face touches at its four corners. Each is a spring and a damper along the normal, and Coulomb's
cone, not a pyramid, across. MuJoCo's contacts become such springs when their impedance is close to
zero: its contact force is then ``-(stiffness r + damping v) / w`` with the constant w of the two
bodies that it calls ``invweight0``, whatever else acts on them. Friction keeps a high impedance, so
that a grasp does not creep, and a slow reference, so that sliding does not lift.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from impact_robots.mujoco_links import add_shape, empty_spec

if TYPE_CHECKING:
    import mujoco

CORNERS = 4  # of a face
SLIP_DECAY = 2000.0  # of slip that friction can stop [1/s]
_SIGNS = ((1, 1), (-1, 1), (-1, -1), (1, -1))  # of the corners
TIP = 0.005  # radius of the corners, behind the face [m]
_IMPEDANCE = 1e-4  # of contacts along the normal: MuJoCo's smallest [-]
_FRICTION_RATIO = 1e5  # of the impedance across to that along the normal [-]
_NET = 3  # one row: the net force, in world axes


def contact_spec(gravity: np.ndarray) -> Any:
    """Return a model without bodies whose contacts can be such springs.

    Args:
        gravity: in world axes, shape (3,) [m/s^2].
    """
    import mujoco  # loads slowly

    spec = empty_spec(gravity)
    spec.option.cone = mujoco.mjtCone.mjCONE_ELLIPTIC
    spec.option.impratio = _FRICTION_RATIO
    return spec


def corner_name(face: str, corner: int) -> str:
    """Return the MuJoCo name of a face's corner."""
    return f"{face}/{corner}"


def add_face(
    body: Any, name: str, centre: np.ndarray, rotation: np.ndarray, half: np.ndarray
) -> None:
    """Add the corners of a rectangle that faces along its z.

    Args:
        body: of MuJoCo's specification.
        name: of the face.
        centre: in the body's axes, shape (3,) [m].
        rotation: the face's axes in the body's, shape (3, 3).
        half: half edges, shape (2,) [m].
    """
    import mujoco  # loads slowly

    for corner, signs in enumerate(_SIGNS):
        at = centre + rotation @ np.array([*(signs * half), -TIP])
        size = [TIP, 0.0, 0.0]
        add_shape(body, corner_name(name, corner), mujoco.mjtGeom.mjGEOM_SPHERE, size, pos=at)


def add_pair(spec: Any, name: str, shapes: tuple[str, str], friction: float) -> None:
    """Enable contact of two shapes, Coulomb friction [-]; :func:`set_spring` sets the spring."""
    spec.add_pair(
        name=name,
        geomname1=shapes[0],
        geomname2=shapes[1],
        condim=3 if friction > 0.0 else 1,
        friction=[friction, friction, 0.0, 0.0, 0.0],
        solimp=[_IMPEDANCE, _IMPEDANCE, 0.001, 0.5, 2.0],
        solreffriction=[-1e-9, -SLIP_DECAY * _IMPEDANCE],
    )


def add_force_sensor(spec: Any, name: str, shape: str, on: tuple[Any, str]) -> None:
    """Add a sensor of the net force that a shape exerts on another thing, world axes.

    Args:
        spec: MuJoCo's specification.
        name: of the sensor.
        shape: name of the shape that exerts it.
        on: type, a ``mjtObj`` (shape or body), and name of the other.
    """
    import mujoco  # loads slowly

    spec.add_sensor(
        name=name,
        type=mujoco.mjtSensor.mjSENS_CONTACT,
        objtype=mujoco.mjtObj.mjOBJ_GEOM,
        objname=shape,
        reftype=on[0],
        refname=on[1],
        intprm=[1 << int(mujoco.mjtConDataField.mjCONDATA_FORCE), _NET, 1],
    )


def set_spring(model: mujoco.MjModel, pair: int, stiffness: float, damping: float) -> None:
    """Set one corner to a quarter of its face's spring [N/m] and damper [N.s/m]."""
    weight = model.body_invweight0[model.geom_bodyid, 0]
    share = (1.0 - _IMPEDANCE) / CORNERS
    share *= weight[model.pair_geom1[pair]] + weight[model.pair_geom2[pair]]
    model.pair_solref[pair, 0] = -share * stiffness
    model.pair_solref[pair, 1] = -share * damping
