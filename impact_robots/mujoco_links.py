# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""The links of a pinocchio model as bodies of MuJoCo; their joints are up to who asks for them."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np
import pinocchio as pin
from numpy.typing import ArrayLike

from impact_robots.state.axis_chain import joint_subspace
from impact_robots.state.quaternions import quaternion_wxyz

if TYPE_CHECKING:
    import mujoco

AddJoint = Callable[[Any, int], None]  # adds the joint of a number, from 1, to its body


def empty_spec(gravity: np.ndarray) -> Any:
    """Return a model without bodies, to be filled; gravity in world axes, shape (3,) [m/s^2]."""
    import mujoco  # loads slowly

    spec = mujoco.MjSpec()
    spec.compiler.degree = False
    spec.compiler.autolimits = False
    spec.option.gravity = gravity
    spec.option.integrator = mujoco.mjtIntegrator.mjINT_IMPLICITFAST
    return spec


def add_links(
    spec: Any,
    model: pin.Model,
    add_joint: AddJoint,
    prefix: str = "",
    position: ArrayLike = (0.0, 0.0, 0.0),
    rotation: ArrayLike | None = None,
) -> list[Any]:
    """Add the links of a robot to a model's specification.

    Args:
        spec: of MuJoCo.
        model: of pinocchio, whose joints each turn about, or slide along, one axis.
        add_joint: adds the joint to a body that has everything else.
        prefix: of the names of the bodies, which else are those of the joints.
        position: of the base in the world, shape (3,) [m].
        rotation: from base axes to those of the world, shape (3, 3); none: they are the same.

    Returns:
        Its bodies: the world, then one a joint.
    """
    base = pin.SE3(np.eye(3) if rotation is None else np.asarray(rotation), np.array(position))
    bodies = [spec.worldbody]
    for joint in range(1, model.njoints):
        place, inertia = model.jointPlacements[joint], model.inertias[joint]
        parent = model.parents[joint]
        place = place if parent else base * place
        turn = quaternion_wxyz(place.rotation)
        body = bodies[parent].add_body(
            name=prefix + model.names[joint], pos=place.translation, quat=turn
        )
        body.mass, body.ipos = inertia.mass, inertia.lever
        body.fullinertia = inertia.inertia[[0, 1, 2, 0, 0, 1], [0, 1, 2, 1, 2, 2]]
        body.explicitinertial = True
        add_joint(body, joint)
        bodies.append(body)
    return bodies


def joint_axis(model: pin.Model, joint: int) -> tuple[mujoco.mjtJoint, np.ndarray]:
    """Return type and axis, in joint axes, of a revolute or prismatic joint."""
    import mujoco  # loads slowly

    subspace = joint_subspace(model, joint)
    if np.linalg.norm(subspace[3:]) > 0.5:
        return mujoco.mjtJoint.mjJNT_HINGE, subspace[3:]
    return mujoco.mjtJoint.mjJNT_SLIDE, subspace[:3]


def add_shape(body: Any, name: str, kind: Any, size: Any, **where: Any) -> None:
    """Add a shape without mass, with contacts only to its explicit pairs.

    Args:
        body: of MuJoCo's specification.
        name: of the shape.
        kind: of the shape, a ``mjtGeom``.
        size: in MuJoCo's format for that kind, three numbers [m].
        **where: ``pos`` and ``quat`` in the body's axes; left out: at its origin.
    """
    body.add_geom(name=name, type=kind, size=size, contype=0, conaffinity=0, mass=0.0, **where)
