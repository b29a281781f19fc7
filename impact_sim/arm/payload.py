# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""A load that the plant takes up unknown to the controller."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pinocchio as pin

from impact_robots.state.quaternions import quaternion_wxyz
from impact_sim.plant.plant import FlexibleJointPlant


@dataclass(frozen=True)
class Payload:
    """A homogeneous sphere, rigidly held at the contact point."""

    mass: float  # [kg]
    position: np.ndarray  # of its centre in tool axes, from the contact point, shape (3,) [m]
    radius: float  # [m]
    time: float  # when the arm, at rest, begins to take it up [s]
    take_up: float  # how long that takes [s]

    def held(self, time: float) -> float:
        """Return the mass that the arm bears at a time [s], rising linearly [kg]."""
        share = np.clip((time - self.time) / self.take_up, 0.0, 1.0)
        return float(self.mass * share)

    def inertia(self, mass: float) -> pin.Inertia:
        """Return the inertia of the part of it that the arm bears, in tool axes."""
        sphere = pin.Inertia.FromSphere(mass, self.radius)
        return pin.Inertia(mass, self.position, sphere.inertia)


class Carrier:
    """Lets a plant bear a payload, more and more of it.

    Load that sets down slowly on an arm at rest changes neither position nor velocity at once: the
    state is kept, and gravity does the rest. At rest the momentum is zero before and after, so
    none is lost or made, which would not be true of an arm in motion.
    """

    def __init__(self, plant: FlexibleJointPlant, payload: Payload) -> None:
        """Prepare; the plant bears nothing yet."""
        import mujoco  # loads slowly

        self._plant, self._payload = plant, payload
        self._work = mujoco.MjData(plant.model)
        self._borne = 0.0
        model = plant.robot.model
        frame = model.frames[model.getFrameId(plant.robot.contact_frame)]
        self._placement, self._link = frame.placement, model.inertias[frame.parentJoint]
        name = plant.robot.joint_names[frame.parentJoint - 1]
        self._body = plant.model.body(name).id

    def update(self, time: float) -> None:
        """Bear what is to be borne at a time [s]."""
        import mujoco  # loads slowly

        mass = self._payload.held(time)
        if mass == self._borne:
            return
        self._borne = mass
        total = self._link + self._placement.act(self._payload.inertia(mass))
        principal, axes = np.linalg.eigh(total.inertia)
        axes[:, 2] *= np.linalg.det(axes)  # right-handed
        model, body = self._plant.model, self._body
        model.body_mass[body], model.body_ipos[body] = total.mass, total.lever
        model.body_inertia[body], model.body_iquat[body] = principal, quaternion_wxyz(axes)
        mujoco.mj_setConst(model, self._work)
        self._plant.weigh()
