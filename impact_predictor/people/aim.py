# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
r"""A point of the arm that moves in a direction towards somebody, and the mass behind it.

.. math:: j = J_p^T u, \qquad 1/m(B) = j^T (M + B)^{-1} j
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from xml.etree import ElementTree

import numpy as np
from numpy.typing import ArrayLike

from impact_predictor.inertia.resistance import resistance
from impact_predictor.people.regions import PersonError
from impact_robots.dynamics import ArmDynamics
from impact_robots.robot import Robot
from impact_robots.state.state import RobotState

TOOL, ELBOW = "tool", "elbow"
POINTS = (TOOL, ELBOW)
_LEAST_LEVER = 1e-3  # of a point that can move in the direction [m]
_SAME = 1e-6  # speed in the direction against the one asked for [-]


@dataclass(frozen=True)
class Aim:
    """A point of an arm at one configuration, and the direction in which it moves."""

    robot: Robot
    state: RobotState
    frame: str  # whose origin the point is
    direction: np.ndarray  # u, base axes, shape (3,), unit
    j: np.ndarray  # joint torques of a force of 1 N along the direction, shape (n,) [m]

    def mass(self, motor_inertia: ArrayLike = 0.0, friction: float = 0.0) -> float:
        """Return the mass in the direction.

        Args:
            motor_inertia: shape (n,) [kg.m^2].
            friction: highest of a surface that the point hits, see :func:`.resistance` [-].
        """
        M = self.state.inertia(np.broadcast_to(motor_inertia, self.j.shape))
        if friction <= 0.0:  # as in each cycle of the limit `person`
            return float(1.0 / (self.j @ np.linalg.solve(M, self.j)))
        return self.resisting(np.linalg.inv(M), friction)

    def resisting(self, compliance: np.ndarray, friction: float = 0.0) -> float:
        """Return what resists a force on the point, see :func:`.resistance`.

        Args:
            compliance: C, of the joints, shape (n, n): an inverse inertia gives kg, one over a
                stiffness [rad/(N.m)] N/m.
            friction: coefficient of a surface that the point hits [-].
        """
        J = self.state.at(self.frame).J[:3]
        return resistance(J @ compliance @ J.T, self.direction, friction)

    @cached_property
    def way(self) -> np.ndarray:
        """Joint velocities of 1 m/s in the direction, the tool without turning, (n,) [1/m]."""
        J = self.state.at(self.frame).J
        if self.frame == self.robot.contact_frame:
            way: np.ndarray = np.linalg.pinv(J, rcond=1e-4) @ np.append(self.direction, np.zeros(3))
            if abs(self.j @ way - 1.0) <= _SAME:
                return way
        way = np.linalg.pinv(J[:3], rcond=1e-4) @ self.direction
        return np.asarray(way / (self.j @ way))

    @property
    def joint_speed_cap(self) -> float:
        """Speed at which the first joint is at its velocity limit [m/s]."""
        return float(np.min(self.robot.limits.velocity / np.maximum(np.abs(self.way), 1e-12)))


def frame_of(robot: Robot, point: str) -> str:
    """Return the frame of "tool" or "elbow" (the joint in the middle), or the name itself."""
    if point == TOOL:
        return robot.contact_frame
    return robot.joint_names[(robot.dof - 1) // 2] if point == ELBOW else point


def aim(robot: Robot, q: ArrayLike, direction: ArrayLike, point: str = TOOL) -> Aim:
    """Return a point of the arm that moves in a direction, the tool without turning if possible.

    Args:
        robot: the arm.
        q: joint positions, shape (n,) [rad].
        direction: of the point, base axes, any length but zero, shape (3,).
        point: "tool", "elbow" or a frame of the model.

    Raises:
        PersonError: the direction is zero, or the point cannot move in it.
        RobotError: there is no such frame, or a cover of the tool is over it.
    """
    state = ArmDynamics(robot).state(np.asarray(q, dtype=float), np.zeros(robot.nv))
    return aim_at(robot, state, direction, point)


def aim_at(robot: Robot, state: RobotState, direction: ArrayLike, point: str = TOOL) -> Aim:
    """Return the same in a state; arguments and errors as of :func:`aim`."""
    u = np.asarray(direction, dtype=float)
    if not np.linalg.norm(u) > 1e-9:
        raise PersonError("direction: expected a vector, got one without a length")
    u = u / np.linalg.norm(u)
    frame = frame_of(robot, point)
    if robot.cover_at(frame) is not None:
        robot.require_no_cover("a speed towards a person (its padding is an entry of the task)")
    j = state.at(frame).J[:3].T @ u
    if np.linalg.norm(j) < _LEAST_LEVER:
        raise PersonError(f"{point}: it cannot move in this direction at this configuration")
    return Aim(robot, state, frame, u, j)


def iso_mass(robot: Robot) -> float:
    """Return ISO/TS 15066's mass: half of the moving links and all of tool and payload [kg]."""
    model = robot.model
    links = (
        float(each.get("value", 0.0)) for each in ElementTree.fromstring(robot.urdf).iter("mass")
    )
    load = max(0.0, sum(each.mass for each in model.inertias) - sum(links))
    moving = sum(each.mass for each in list(model.inertias)[1:])
    return 0.5 * (moving - load) + load
