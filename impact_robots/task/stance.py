# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Inverse kinematics of a standing humanoid: soles stay, palms and centre of mass go."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pinocchio as pin

from impact_robots.exceptions import RobotError
from impact_robots.kinematics import pose_error
from impact_robots.robot import Robot
from impact_robots.state.frames import frame_index

_DAMPING = 1e-8
_TOLERANCE = 1e-8
_BACK = 0.1  # of the way to the wanted posture that a step goes, as far as tasks leave it free


class Stance(NamedTuple):
    """Where contacts and the centre of mass are wanted; world axes."""

    contacts: dict[str, pin.SE3]  # poses by the contact's name
    com: np.ndarray  # level coordinates, shape (2,) [m]


class StanceSolver:
    """Steps of inverse kinematics; owns the work memory, so one per thread."""

    def __init__(self, robot: Robot, posture: np.ndarray) -> None:
        """Prepare.

        Args:
            robot: with a floating base.
            posture: to which joints return that no task moves, shape (7 + n,).
        """
        self.robot, self.posture = robot, np.array(posture, dtype=float)
        self._data = robot.model.createData()
        self._frames = {each.name: frame_index(robot.model, each.name) for each in robot.contacts}

    def stance(self, q: np.ndarray) -> Stance:
        """Return where contacts and the centre of mass are at a position, shape (7 + n,)."""
        model, data = self.robot.model, self._data
        pin.framesForwardKinematics(model, data, q)
        places = {name: pin.SE3(data.oMf[index]) for name, index in self._frames.items()}
        return Stance(places, np.array(pin.centerOfMass(model, data, q)[:2]))

    def step(self, q: np.ndarray, stance: Stance) -> tuple[np.ndarray, float]:
        """Return q one Gauss-Newton step nearer to a stance, and how far off it was.

        Joints stay within their limits.

        Args:
            q: shape (7 + n,).
            stance: to go to.
        """
        error, J = self._tasks(q, stance)
        away = pin.difference(self.robot.model, q, self.posture)
        away[:6] = 0.0
        inverse = J.T @ np.linalg.inv(J @ J.T + _DAMPING * np.eye(len(J)))
        step = inverse @ (error - J @ (_BACK * away)) + _BACK * away
        moved = pin.integrate(self.robot.model, q, step)
        limits = self.robot.limits
        moved[7:] = np.clip(moved[7:], limits.position_lower, limits.position_upper)
        return moved, float(np.abs(error).max())

    def solve(self, q: np.ndarray, stance: Stance, *, iterations: int = 200) -> np.ndarray:
        """Return a position in a stance, shape (7 + n,).

        Args:
            q: where to start, shape (7 + n,).
            stance: to take.
            iterations: how many steps to try.

        Raises:
            RobotError: not reachable within the joints' limits.
        """
        for _ in range(iterations):
            q, error = self.step(q, stance)
            if error < _TOLERANCE:
                return q
        raise RobotError(f"stance: expected one in reach, got {error:.2g} off after all steps")

    def _tasks(self, q: np.ndarray, stance: Stance) -> tuple[np.ndarray, np.ndarray]:
        """Return errors, shape (m,), and Jacobian, shape (m, 6 + n), of all tasks."""
        model, data = self.robot.model, self._data
        pin.computeJointJacobians(model, data, q)
        pairs = [
            pose_error(model, data, q, self._frames[name], place)
            for name, place in stance.contacts.items()
        ]
        com = pin.centerOfMass(model, data, q)[:2]
        pairs.append((stance.com - com, pin.jacobianCenterOfMass(model, data, q)[:2]))
        return np.concatenate([e for e, _ in pairs]), np.concatenate([J for _, J in pairs])
