# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""One flexible-joint arm within a MuJoCo model that may contain other bodies."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pinocchio as pin

from impact_robots.compiling.direct_call import direct
from impact_robots.robot import Robot
from impact_sim.exceptions import SimulationError
from impact_sim.plant.mujoco_model import deflection_joint, motor_joint

if TYPE_CHECKING:
    import mujoco


class FlexibleArm:
    """State of one arm: ``q`` are link positions, ``theta`` motor positions after the gear.

    Arrays have shape (n,), in the robot's joint order.
    """

    def __init__(
        self, robot: Robot, model: mujoco.MjModel, data: mujoco.MjData, prefix: str = ""
    ) -> None:
        """Find the arm's joints.

        Args:
            robot: the arm.
            model: that it is in.
            data: of the model.
            prefix: of the names of its bodies and joints there.
        """
        from impact_sim.plant.sensed import add_sensed  # loads slowly

        self.robot, self.model, self.data = robot, model, data
        names = [prefix + name for name in robot.joint_names]
        self._motor = np.array([model.joint(motor_joint(name)).dofadr[0] for name in names])
        self._spring = np.array([model.joint(deflection_joint(name)).dofadr[0] for name in names])
        self._of_motors, self._of_springs = _picked(self._motor), _picked(self._spring)
        # views, because each access to MuJoCo's data creates a new one
        self._qpos, self._qvel, self._applied = data.qpos, data.qvel, data.qfrc_applied
        self._add_sensed = direct(add_sensed)
        places = self._motor.astype(np.int64), self._spring.astype(np.int64)
        self._state = self._qpos, self._qvel, *places, robot.joint_stiffness

    def check(self, q: np.ndarray) -> None:
        """Refuse invalid positions.

        Raises:
            SimulationError: not that many finite numbers.
        """
        if not np.all(np.isfinite(q)) or np.shape(q) != (self.robot.dof,):
            raise SimulationError(f"q: expected {self.robot.dof} finite numbers, got {q}")

    def place(self, q: np.ndarray, dq: np.ndarray | None = None) -> None:
        """Put the arm at ``q`` [rad] with ``dq`` [rad/s], springs loaded by gravity.

        Raises:
            SimulationError: not that many finite numbers; nothing has moved.
        """
        self.check(q)
        pin_data = self.robot.model.createData()
        gravity = pin.computeGeneralizedGravity(self.robot.model, pin_data, np.asarray(q))
        deflection = -gravity / self.robot.joint_stiffness
        self.data.qpos[self._motor] = q - deflection
        self.data.qpos[self._spring] = deflection
        self.data.qvel[self._motor] = 0.0 if dq is None else dq
        self.data.qvel[self._spring] = 0.0

    def links(self, coordinates: np.ndarray) -> np.ndarray:
        """Return the links' part, (n,), of positions or velocities as MuJoCo has them."""
        both: np.ndarray = coordinates[self._of_motors] + coordinates[self._of_springs]
        return both

    @property
    def q(self) -> np.ndarray:
        """Link positions, shape (n,) [rad]."""
        return self.links(self._qpos)

    @property
    def dq(self) -> np.ndarray:
        """Link velocities, shape (n,) [rad/s]."""
        return self.links(self._qvel)

    @property
    def theta(self) -> np.ndarray:
        """Motor positions after the gear, shape (n,) [rad]."""
        return self._qpos[self._motor]

    @property
    def dtheta(self) -> np.ndarray:
        """Motor velocities after the gear, shape (n,) [rad/s]."""
        return self._qvel[self._motor]

    @property
    def joint_torque(self) -> np.ndarray:
        """Torque in the springs, K (theta - q), as a joint torque sensor measures, (n,) [N.m]."""
        return -self.robot.joint_stiffness * self._qpos[self._of_springs]

    def sense(self, forces: np.ndarray, readings: np.ndarray) -> None:
        """Add what sensors would read now to their noise.

        Args:
            forces: shape (m, 3) [N].
            readings: of ``q``, ``dq``, ``joint_torque`` and the forces, one after the other, shape
                (3 n + 3 m,).
        """
        self._add_sensed(*self._state, forces, readings)

    def apply_motor_torque(self, torque: np.ndarray) -> None:
        """Hold the actuators' torque tau_act, shape (n,) [N.m], until the next call."""
        self._applied[self._motor] = torque


def _picked(places: np.ndarray) -> slice | np.ndarray:
    """Return an index of these coordinates: a slice if evenly spaced, which is faster."""
    step = int(places[1] - places[0]) if len(places) > 1 else 1
    if step < 1 or np.any(np.diff(places) != step):
        return places
    return slice(int(places[0]), int(places[-1]) + 1, step)
