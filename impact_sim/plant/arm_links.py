# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""An arm's links from MuJoCo's model, as plain numbers for the compiled steps."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from impact_robots.state.contact_frame import contact_rotation
from impact_sim.plant.step_records import (
    ACCELERATION,
    DAMPING,
    INERTIA,
    LEVER,
    LINK,
    MASS,
    MOTOR,
    MOVING,
    ORIGIN,
    PARENT,
    ROTATION,
    SLIDES,
    STIFFNESS,
)

if TYPE_CHECKING:
    import mujoco


def links_of(model: mujoco.MjModel, motor: np.ndarray, spring: np.ndarray, site: int) -> np.ndarray:
    """Return ``Touching.links`` of an arm whose bodies have a motor and a deflection each.

    Args:
        model: of :func:`~impact_sim.plant.mujoco_model.build_mujoco_model`.
        motor: numbers of the motors' joints, which are those of their coordinates, shape (n,).
        spring: and of the deflections, shape (n,).
        site: number of the point that may touch.
    """
    import mujoco  # loads slowly

    bodies = model.jnt_bodyid[motor]
    numbers = {int(body): i for i, body in enumerate(bodies, 1)}
    parent = np.array([numbers.get(int(body), 0) for body in model.body_parentid[bodies]])
    # axes of base and links, in the body's own
    every = np.array([np.eye(3), *[contact_rotation(axis) for axis in model.jnt_axis[motor]]])
    own, before = every[1:], every[parent]
    rotation = np.swapaxes(before, 1, 2) @ _rotations(model.body_quat[bodies]) @ own
    principal = np.swapaxes(own, 1, 2) @ _rotations(model.body_iquat[bodies])
    inertia = principal * model.body_inertia[bodies][:, None] @ np.swapaxes(principal, 1, 2)
    table = np.zeros((len(bodies) + 1, LINK))
    links, point = table[:-1], table[-1]
    links[:, ROTATION : ROTATION + 9] = rotation.reshape(-1, 9)
    links[:, ORIGIN : ORIGIN + 3] = _in_axes(before, model.body_pos[bodies])
    links[:, LEVER : LEVER + 3] = _in_axes(own, model.body_ipos[bodies])
    links[:, INERTIA : INERTIA + 9] = inertia.reshape(-1, 9)
    links[:, MASS] = model.body_mass[bodies]
    links[:, SLIDES] = model.jnt_type[motor] == int(mujoco.mjtJoint.mjJNT_SLIDE)
    links[:, MOTOR] = model.dof_armature[motor]
    links[:, STIFFNESS] = model.jnt_stiffness[spring]
    links[:, DAMPING] = model.dof_damping[spring]
    links[:, PARENT] = parent
    point[PARENT] = tip = numbers.get(int(model.site_bodyid[site]), 0)
    point[ORIGIN : ORIGIN + 3] = every[tip].T @ model.site_pos[site]
    return table.ravel()


def room_for_motion(dof: int, gravity: np.ndarray) -> np.ndarray:
    """Return ``Touching.motion`` of ``dof`` links on a base in gravity, (3,) [m/s^2]."""
    motion = np.zeros((dof + 2, MOVING))
    motion[0, ROTATION : ROTATION + 9] = np.eye(3).ravel()
    motion[0, ACCELERATION + 3 : ACCELERATION + 6] = -gravity  # as if the base rose
    return motion.ravel()


def _rotations(quaternions: np.ndarray) -> np.ndarray:
    """Return the rotation matrices (n, 3, 3) of unit quaternions w, x, y, z, (n, 4)."""
    w, (x, y, z) = quaternions[:, 0], quaternions[:, 1:].T
    rows = [
        [1.0 - 2.0 * (y * y + z * z), 2.0 * (x * y - w * z), 2.0 * (x * z + w * y)],
        [2.0 * (x * y + w * z), 1.0 - 2.0 * (x * x + z * z), 2.0 * (y * z - w * x)],
        [2.0 * (x * z - w * y), 2.0 * (y * z + w * x), 1.0 - 2.0 * (x * x + y * y)],
    ]
    return np.moveaxis(np.array(rows), 2, 0)


def _in_axes(axes: np.ndarray, vectors: np.ndarray) -> np.ndarray:
    """Return vectors (n, 3) in axes that are columns, (n, 3, 3)."""
    return np.squeeze(np.swapaxes(axes, 1, 2) @ vectors[:, :, None], 2)
