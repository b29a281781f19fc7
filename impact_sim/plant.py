# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""The flexible-joint arm in MuJoCo, in contact with one plane."""

from __future__ import annotations

import mujoco
import numpy as np

from impact_robots.contact_point import OWN, ContactPoint
from impact_robots.robot import Robot
from impact_sim.compliant_wall import CompliantWall
from impact_sim.flexible_arm import FlexibleArm
from impact_sim.mujoco_model import CONTACT_SITE, build_mujoco_model

FREE_STEP = 50e-6  # integration step away from the surface [s]
CONTACT_STEP = 10e-6  # and close to it [s]


class FlexibleJointPlant(FlexibleArm):
    """State and integration of one flexible-joint arm."""

    def __init__(
        self,
        robot: Robot,
        wall: CompliantWall | None = None,
        *,
        contact_step: float = CONTACT_STEP,
        contact: ContactPoint = OWN,
    ) -> None:
        """Build the model; ``reset`` puts it somewhere.

        Args:
            robot: the arm.
            wall: what it may hit.
            contact_step: integration step close to the surface [s].
            contact: point that may hit it.

        Raises:
            RobotError: there is no such point.
        """
        model = build_mujoco_model(robot, contact)
        super().__init__(robot, model, mujoco.MjData(model))
        self.wall = wall
        self.contact_step = contact_step
        self.contact = contact
        self._site = self.model.site(CONTACT_SITE).id
        self._jacobian = np.zeros((3, self.model.nv))
        # views, as each look into MuJoCo's data makes another
        self._position = self.data.site_xpos[self._site]
        self._velocity = self.data.qvel
        self._motor_torque = np.zeros(self.model.nv)
        self.contact_force = np.zeros(3)  # on the robot, base axes [N]

    def reset(self, q: np.ndarray, dq: np.ndarray | None = None) -> None:
        """Put the arm at ``q`` [rad] with ``dq`` [rad/s], springs loaded by gravity."""
        self.check(q)  # before anything moves
        mujoco.mj_resetData(self.model, self.data)
        self.place(q, dq)
        mujoco.mj_forward(self.model, self.data)
        self.contact_force = np.zeros(3)

    @property
    def time(self) -> float:
        """Simulated time since ``reset`` [s]."""
        return float(self.data.time)

    @property
    def contact_position(self) -> np.ndarray:
        """Contact point in base axes, shape (3,) [m]."""
        return self._position.copy()

    @property
    def contact_velocity(self) -> np.ndarray:
        """Velocity of the contact point in base axes, shape (3,) [m/s]."""
        mujoco.mj_jacSite(self.model, self.data, self._jacobian, None, self._site)
        return self._jacobian @ self._velocity

    @property
    def gap(self) -> float:
        """Distance from the contact point to the wall [m], infinite without a wall."""
        if self.wall is None:
            return float("inf")
        return self.wall.surface.gap(self._position)

    def apply_motor_torque(self, torque: np.ndarray) -> None:
        """Hold the actuators' torque tau_act, shape (n,) [N.m], until the next call."""
        self._motor_torque[self._motor] = torque
        self._applied[:] = self._motor_torque

    def advance_free(self, duration: float) -> None:
        """Integrate ``duration`` [s] without looking at the surface."""
        self.model.opt.timestep = FREE_STEP
        mujoco.mj_step(self.model, self.data, nstep=round(duration / FREE_STEP))
        self.contact_force = np.zeros(3)

    def advance_contact(self) -> None:
        """Integrate one ``contact_step`` with the wall's force; leaves ``contact_force``."""
        self.model.opt.timestep = self.contact_step
        mujoco.mj_step1(self.model, self.data)
        self.contact_force = self._force()
        self._applied[:] = self._motor_torque
        if np.count_nonzero(self.contact_force):
            self._applied += self._jacobian.T @ self.contact_force
        mujoco.mj_step2(self.model, self.data)

    def _force(self) -> np.ndarray:
        """Return the force of the wall now, base axes, (3,) [N]; with one, a new Jacobian."""
        penetration = -self.gap
        if self.wall is None or penetration <= 0.0:
            return np.zeros(3)
        return self.wall.force_within(penetration, self.contact_velocity)
