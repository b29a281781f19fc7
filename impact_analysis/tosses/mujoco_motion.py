# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""How a body falls on a plane in MuJoCo, from the same state, in the same axes as ``body_motion``.

Without rounding the body is a box, or its corners' hull; with rounding a sphere at each corner.
"""

from __future__ import annotations

from typing import NamedTuple

import mujoco
import numpy as np

from impact_analysis.tosses.body_motion import Start
from impact_analysis.tosses.corner_laws import BodyShape

STEP = 5e-4  # [s]


class SoftContact(NamedTuple):
    """What a contact of MuJoCo is made of."""

    friction: float  # [-]
    stiffness: float  # of solref, for mass 1 [1/s^2]
    damping: float  # of solref, for mass 1 [1/s]


def mujoco_model(shape: BodyShape, contact: SoftContact, period: float) -> mujoco.MjModel:
    """Return the body above a plane, as a model of MuJoCo.

    Args:
        shape: of the body.
        contact: of the body with the plane.
        period: of the frames, a whole number of steps [s].
    """
    mesh, geoms = _geoms(shape)
    step = period / round(period / STEP)
    return mujoco.MjModel.from_xml_string(f"""<mujoco>
  <option timestep="{step!r}" cone="elliptic" integrator="implicitfast"/>
  <default><geom condim="3" mass="0" friction="{contact.friction!r} 0 0"
    solref="{-contact.stiffness!r} {-contact.damping!r}" solimp="0.95 0.99 0.001"/></default>
  <asset>{mesh}</asset>
  <worldbody>
    <geom type="plane" size="9 9 1"/>
    <body><freejoint/>
      <inertial pos="{_text(shape.centre)}" mass="1" diaginertia="{_text(shape.inertia)}"/>
      {geoms}
    </body>
  </worldbody>
</mujoco>""")


def mujoco_motion(
    model: mujoco.MjModel, shape: BodyShape, start: Start, frames: int, period: float
) -> tuple[np.ndarray, np.ndarray]:
    """Return positions of the tracked origin (k, 3) [m] and rotations (k, 3, 3) at k frames.

    Args:
        model: of the body; its gravity is written.
        shape: of the body.
        start: the state at the first frame.
        frames: k.
        period: of the frames [s].
    """
    data, to_centre = mujoco.MjData(model), start.rotation @ shape.centre
    model.opt.gravity[:] = start.gravity
    data.qpos[:3] = start.position - to_centre
    mujoco.mju_mat2Quat(data.qpos[3:], start.rotation.ravel())
    data.qvel[:3] = start.velocity - np.cross(start.angular, to_centre)
    data.qvel[3:] = start.rotation.T @ start.angular
    positions, rotations, matrix = np.empty((frames, 3)), np.empty((frames, 3, 3)), np.empty(9)
    steps = round(period / model.opt.timestep)
    for k in range(frames):
        mujoco.mju_quat2Mat(matrix, data.qpos[3:] / np.linalg.norm(data.qpos[3:]))
        positions[k], rotations[k] = data.qpos[:3], matrix.reshape(3, 3)
        mujoco.mj_step(model, data, nstep=steps)
    return positions, rotations


def _geoms(shape: BodyShape) -> tuple[str, str]:
    """Return the assets and the geoms of a body."""
    if shape.rounding > 0.0:
        radius, centres = shape.rounding, shape.corners + shape.rounding * shape.insets
        spheres = (f'<geom type="sphere" size="{radius!r}" pos="{_text(x)}"/>' for x in centres)
        return "", "".join(spheres)
    middle = (shape.corners.max(axis=0) + shape.corners.min(axis=0)) / 2
    half = np.abs(shape.corners - middle)
    if len(half) == 8 and np.allclose(half, half[0]):
        return "", f'<geom type="box" pos="{_text(middle)}" size="{_text(half[0])}"/>'
    hull = f'<mesh name="hull" vertex="{_text(shape.corners.ravel())}"/>'
    return hull, '<geom type="mesh" mesh="hull"/>'


def _text(values: np.ndarray) -> str:
    return " ".join(repr(float(value)) for value in values)
