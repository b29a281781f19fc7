# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""A payload that the plant picks up without information to the controller."""

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
    time: float  # when the arm, at rest, begins to pick it up [s]
    take_up: float  # duration of picking up [s]

    def held(self, time: float) -> float:
        """Return the carried mass at a time [s], which increases linearly [kg]."""
        share = np.clip((time - self.time) / self.take_up, 0.0, 1.0)
        return float(self.mass * share)

    def inertia(self, mass: float) -> pin.Inertia:
        """Return the inertia of its carried part, in tool axes."""
        sphere = pin.Inertia.FromSphere(mass, self.radius)
        return pin.Inertia(mass, self.position, sphere.inertia)


class Carrier:
    """Adds a payload to a plant gradually.

    A load added slowly to an arm at rest changes neither position nor velocity at once: the state
    is not changed, only the gravity torque. At rest the momentum is zero before and after; for an
    arm in motion it would not be conserved.
    """

    def __init__(self, plant: FlexibleJointPlant, payload: Payload) -> None:
        """Prepare; the plant carries nothing yet."""
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
        """Set the carried mass of a time [s]."""
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
