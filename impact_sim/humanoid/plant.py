# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""State and integration of a humanoid among boxes."""

from __future__ import annotations

import mujoco
import numpy as np

from impact_robots.description.floating_base import base_turned
from impact_robots.state.frames import frame_index
from impact_sim.cell.cell_plant import BoxState
from impact_sim.exceptions import SimulationError
from impact_sim.humanoid.balance import Balance, balance_of
from impact_sim.humanoid.body_tree import BASE
from impact_sim.humanoid.layout import HumanoidLayout
from impact_sim.humanoid.model import FLOOR, box_name, build_humanoid_model
from impact_sim.plant.face_contacts import CORNERS, corner_name
from impact_sim.plant.mujoco_model import motor_joint

STEP = 2.5e-4  # of the integration, of which flexible joints take several [s]
FLEXIBLE_STEPS = 10  # for one of those
WXYZ = [6, 3, 4, 5]  # of a quaternion in q, which is x, y, z, w


class HumanoidPlant:
    """A robot with a free base; q (7 + n,) and v (6 + n,) are pinocchio's, in the robot's order.

    The base's velocity is in its own axes, all other quantities in world axes. Of flexible joints
    positions and velocities are those of the links; the servos act on those of the motors.
    """

    def __init__(self, layout: HumanoidLayout) -> None:
        """Build the model; ``reset`` puts everything somewhere.

        Raises:
            SimulationError: MuJoCo cannot build it.
        """
        self.layout, self.model = layout, build_humanoid_model(layout)
        self.data = mujoco.MjData(self.model)
        self._substeps = FLEXIBLE_STEPS if layout.flexible else 1
        self.model.opt.timestep = STEP / self._substeps
        names = layout.robot.joint_names
        motors = [self.model.joint(motor_joint(name)) for name in names]
        self._q = np.array([joint.qposadr[0] for joint in motors])
        self._v = np.array([joint.dofadr[0] for joint in motors])
        self._bias = self.model.actuator_biasprm.copy()
        boxes = [box_name(number) for number in range(len(layout.boxes))]
        pairs = {
            palm: [f"{corner_name(palm, k)} {box}" for k in range(CORNERS) for box in boxes]
            for palm in layout.palms
        }
        self._palms = [self._sensors(each) for each in pairs.values()]
        grounds = [corner_name(sole, k) for sole in layout.soles for k in range(CORNERS)]
        self._soles = self._sensors([f"{corner} {FLOOR}" for corner in grounds])
        self._corners = np.array([self.model.geom(corner).id for corner in grounds])
        self._faces = [
            np.array([self.model.geom(corner_name(palm, k)).id for k in range(CORNERS)])
            for palm in layout.palms
        ]

    def _sensors(self, names: list[str]) -> np.ndarray:
        """Return the indices of force sensors, shape (k, 3)."""
        first = [self.model.sensor(name).adr[0] for name in names]
        return np.array(first, dtype=int).reshape(-1, 1) + np.arange(3)

    def reset(self, q: np.ndarray) -> None:
        """Put the robot at ``q``, shape (7 + n,), at rest, and the boxes in their places.

        Raises:
            SimulationError: not that many finite numbers; nothing has moved.
        """
        if np.shape(q) != (self.layout.robot.model.nq,) or not np.isfinite(q).all():
            raise SimulationError(
                f"q: expected {self.layout.robot.model.nq} finite numbers, got shape {np.shape(q)}"
            )
        mujoco.mj_resetData(self.model, self.data)
        self.data.qpos[:3], self.data.qpos[3:7] = q[:3], q[WXYZ]
        self.data.qpos[self._q] = q[7:]
        self.command(q[7:])
        mujoco.mj_forward(self.model, self.data)

    @property
    def time(self) -> float:
        """Simulated time since ``reset`` [s]."""
        return float(self.data.time)

    @property
    def q(self) -> np.ndarray:
        """Position, shape (7 + n,)."""
        at, turn = self.data.qpos[:3], self.data.qpos[3:7]
        joints = self.data.qpos[self._q] + self.deflection
        return np.concatenate([at, np.roll(turn, -1), joints])

    @property
    def v(self) -> np.ndarray:
        """Velocity, shape (6 + n,)."""
        linear = base_turned(self.q).T @ self.data.qvel[:3]
        joints = self.data.qvel[self._v]
        if self.layout.flexible:
            joints = joints + self.data.qvel[self._v + 1]
        return np.concatenate([linear, self.data.qvel[3:6], joints])

    @property
    def deflection(self) -> np.ndarray:
        """Position of each link beyond its motor's, shape (n,) [rad]; of rigid joints 0."""
        if not self.layout.flexible:
            return np.zeros(len(self._q))
        return np.array(self.data.qpos[self._q + 1])

    @property
    def load(self) -> np.ndarray:
        """Torque of each joint's spring on its link, K (theta - q), shape (n,) [N.m]."""
        if not self.layout.flexible:
            raise SimulationError("load: expected flexible joints, got rigid ones")
        return -self.layout.robot.joint_stiffness * self.deflection

    @property
    def motor_torque(self) -> np.ndarray:
        """Torque of the motors in the last step, shape (n,) [N.m]."""
        return np.array(self.data.actuator_force)

    @property
    def control(self) -> np.ndarray:
        """What the motors are commanded: a servo's kp q_d + kd dq_d, or torques, (n,) [N.m]."""
        return np.array(self.data.ctrl)

    @property
    def palm_forces(self) -> np.ndarray:
        """Net force of boxes on each palm in the last step, shape (palms, 3) [N]."""
        read = self.data.sensordata
        return np.array([read[sensors].sum(axis=0) for sensors in self._palms])

    @property
    def sole_forces(self) -> np.ndarray:
        """Force of the floor on each corner of the soles, shape (4 soles, 3) [N]."""
        return np.array(self.data.sensordata[self._soles])

    @property
    def sole_corners(self) -> np.ndarray:
        """Positions of those corners, shape (4 soles, 3) [m]."""
        return np.array(self.data.geom_xpos[self._corners])

    @property
    def palm_positions(self) -> np.ndarray:
        """Middles of the palms' corners, just behind the faces, shape (palms, 3) [m]."""
        return np.array([self.data.geom_xpos[corners].mean(axis=0) for corners in self._faces])

    @property
    def balance(self) -> Balance:
        """Zero-moment point, and its distance from the edge of the support polygon."""
        soles = len(self.layout.soles)
        corners = self.sole_corners.reshape(soles, CORNERS, 3)
        return balance_of(corners, self.sole_forces[:, 2].reshape(soles, CORNERS))

    @property
    def com(self) -> np.ndarray:
        """Centre of mass of the robot, shape (3,) [m]."""
        return np.array(self.data.subtree_com[self.model.body(BASE).id])

    def box(self, number: int = 0) -> BoxState:
        """Return the state of a box.

        Raises:
            SimulationError: there is none of that number.
        """
        at, rate = self._box_addresses(number)
        position, turned = self.data.qpos[at : at + 3], np.empty(9)
        mujoco.mju_quat2Mat(turned, self.data.qpos[at + 3 : at + 7])
        rotation, velocity = turned.reshape(3, 3), self.data.qvel[rate : rate + 6]
        return BoxState(position.copy(), rotation, velocity[:3].copy(), rotation @ velocity[3:])

    def put_box(self, number: int, position: np.ndarray, yaw: float = 0.0) -> None:
        """Put a box at a place, at rest; (3,) [m] and [rad].

        Raises:
            SimulationError: there is none of that number.
        """
        at, rate = self._box_addresses(number)
        self.data.qpos[at : at + 3] = position
        self.data.qpos[at + 3 : at + 7] = [np.cos(yaw / 2.0), 0.0, 0.0, np.sin(yaw / 2.0)]
        self.data.qvel[rate : rate + 6] = 0.0

    def _box_addresses(self, number: int) -> tuple[int, int]:
        if not 0 <= number < len(self.layout.boxes):
            raise SimulationError(f"box: expected one below {len(self.layout.boxes)}, got {number}")
        joint = self.model.joint(box_name(number))
        return int(joint.qposadr[0]), int(joint.dofadr[0])

    def command(self, positions: np.ndarray, velocities: np.ndarray | None = None) -> None:
        """Set positions, (n,) [rad], and velocities, (n,) [rad/s], of the servos; None: at rest."""
        servos = self.layout.servos
        self.model.actuator_biasprm[:] = self._bias
        control = servos.stiffness * positions
        self.data.ctrl[:] = control if velocities is None else control + servos.damping * velocities

    def command_torque(self, torque: np.ndarray) -> None:
        """Switch the servos off: the motors give torques, shape (n,) [N.m]."""
        self.model.actuator_biasprm[:] = 0.0
        self.data.ctrl[:] = torque

    def push(self, force: np.ndarray, contact: str = "") -> None:
        """Push the base, or the link of a contact, at its centre of mass until the next call.

        Args:
            force: world axes, shape (3,) [N].
            contact: of the robot; empty: the base.

        Raises:
            RobotError: the robot has no such frame.
        """
        body = 1  # of the base, after the world
        if contact:
            model = self.layout.robot.model
            joint = model.frames[frame_index(model, contact)].parentJoint
            body = self.model.body(model.names[joint]).id
        self.data.xfrc_applied[:, :3] = 0.0
        self.data.xfrc_applied[body, :3] = force

    def advance(self, steps: int = 1) -> None:
        """Integrate steps of :data:`STEP`."""
        mujoco.mj_step(self.model, self.data, nstep=steps * self._substeps)
