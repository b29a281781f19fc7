# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""An arm with rigid joints, stepped by Moreau's midpoint rule."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pinocchio as pin

from impact_robots import Robot
from impact_robots.description.actuation import JointFriction
from studies.foreign.contact import PlasticWall, friction_impulse
from studies.foreign.disturbances import UNDISTURBED, WAVES, Disturbance


@dataclass(frozen=True)
class Step:
    """What happened in one step."""

    joint_torque: np.ndarray  # between motors and links, as a torque sensor sees it, (n,) [N.m]
    force: np.ndarray  # on the arm, mean over the step, base axes, shape (3,) [N]
    slides: bool  # false where it sticks or does not touch


class ForeignArm:
    r"""State of an arm; the motors' inertia B sits rigidly on the joints.

    .. math:: (M + B)\ddot q + h + \tau_f = \tau_m - \tau_r + J^T f

    Behind the torque sensors joints rub with tau_f, in the motors with tau_r.

    Attributes:
        q: joint positions, shape (n,) [rad].
        dq: joint velocities, shape (n,) [rad/s].
        time: since the start [s].
    """

    def __init__(
        self,
        robot: Robot,
        friction: JointFriction,
        wall: PlasticWall,
        disturbance: Disturbance = UNDISTURBED,
    ) -> None:
        """Put together an arm and what it will hit.

        Args:
            robot: with the true inertias of its links and motors (``apparent_motor_inertia``).
            friction: in its joints, behind the torque sensors.
            wall: that its contact point may hit.
            disturbance: of motors and contact; payload and motors' inertia are the robot's.
        """
        self._model, self._data = robot.model, robot.model.createData()
        self._frame = robot.model.getFrameId(robot.contact_frame)
        self._motors = np.diag(robot.apparent_motor_inertia)
        self._friction, self.wall, self._off = friction, wall, disturbance
        self.reset(np.zeros(robot.dof))

    def reset(self, q: np.ndarray) -> None:
        """Rest at ``q``, shape (n,) [rad], in front of a wall without a dent."""
        self.q, self.dq = np.array(q, dtype=float), np.zeros(len(q))
        self.time, self._deepest = 0.0, 0.0
        self._given: np.ndarray | None = None  # by motors that lag, shape (n,) [N.m]
        self._rubbed, self._bent = np.zeros(len(q)), np.zeros(2)  # bristles

    def depth(self, q: np.ndarray) -> float:
        """Return how deep the contact point is in the wall at ``q``, negative outside of it [m]."""
        pin.forwardKinematics(self._model, self._data, q)
        place = pin.updateFramePlacement(self._model, self._data, self._frame)
        return -self.wall.surface.gap(place.translation)

    def contact_velocity(self) -> np.ndarray:
        """Return the velocity of the contact point in contact axes, shape (3,) [m/s]."""
        J = pin.computeFrameJacobian(
            self._model, self._data, self.q, self._frame, pin.LOCAL_WORLD_ALIGNED
        )[:3]
        return np.asarray(self.wall.surface.rotation.T @ J @ self.dq)

    def step(self, motor_torque: np.ndarray, h: float) -> Step:
        """Go on by ``h`` [s] with constant motor torques, shape (n,) [N.m]."""
        model, data = self._model, self._data
        motor_torque = self._motor_torque(motor_torque, h)
        middle = self.q + 0.5 * h * self.dq
        pin.computeAllTerms(model, data, middle, self.dq)
        place = pin.updateFramePlacement(model, data, self._frame)
        links = np.array(data.M)
        A = links + self._motors
        against = data.nle + self._friction(self.dq)
        change = h * np.linalg.solve(A, motor_torque - against)
        depth = -self.wall.surface.gap(place.translation)
        impulse, slides = np.zeros(3), False
        if depth > 0.0:
            frame = pin.getFrameJacobian(model, data, self._frame, pin.LOCAL_WORLD_ALIGNED)
            J = self.wall.surface.rotation.T @ frame[:3]
            impulse, slides = self._contact(J, np.linalg.solve(A, J.T), self.dq + change, depth, h)
            change += np.linalg.solve(A, J.T @ impulse)
        else:
            self._bent = np.zeros(2)
        self.dq = self.dq + change
        self.q = middle + 0.5 * h * self.dq
        self.time += h
        sensed = motor_torque - self._motors @ change / h
        return Step(sensed, self.wall.surface.rotation @ impulse / h, slides)

    def _motor_torque(self, wanted: np.ndarray, h: float) -> np.ndarray:
        """Return what the motors do to the joints after their lag, ripple and friction, (n,)."""
        off, given = self._off, wanted
        if off.lag > 0.0:
            before = wanted if self._given is None else self._given
            given = self._given = wanted + (before - wanted) * np.exp(-h / off.lag)
        given = off.torque_gain * given + off.ripple * np.cos(WAVES * self.q)
        if off.rub is not None:
            self._rubbed, against = off.rub(self._rubbed, self.dq, h)
            given = given - against
        return np.asarray(given)

    def _contact(
        self, J: np.ndarray, effect: np.ndarray, dq: np.ndarray, depth: float, h: float
    ) -> tuple[np.ndarray, bool]:
        """Return the impulse of a step in contact axes, shape (3,) [N.s], and whether it slides."""
        self._deepest = max(self._deepest, depth)
        normal = h * self.wall.force(depth, self._deepest)
        if normal == 0.0:
            return np.zeros(3), False
        if self._off.bristles is not None:
            slip, rub = J[:2] @ self.dq, self._off.bristles
            self._bent, tangential, slides = rub(self._bent, slip, normal, self.wall.friction, h)
        else:
            tangential, slides = friction_impulse(J @ effect, J @ dq, normal, self.wall.friction)
        return np.append(tangential, normal), slides
