# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""The dynamics of a robot in one state, and those of any point of it."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from impact_robots.compiling.plain_numbers import ArmNumbers, PointNumbers
from impact_robots.exceptions import RobotError
from impact_robots.state.work_memory import PointMotion, WorkMemory

_new = tuple.__new__  # half the time of the constructor; points are asked for all the time


class RobotState(NamedTuple):
    """Dynamics at (q, qdot); O are base (or world) axes.

    Arrays are copies: a state stays what it is when the next one is computed. For a floating base,
    n counts its six velocities too and q has its own length.
    """

    q: np.ndarray  # joint positions, shape (n,) [rad]
    dq: np.ndarray  # joint velocities, shape (n,) [rad/s]
    M: np.ndarray  # mass matrix, shape (n, n) [kg.m^2]
    h: np.ndarray  # Coriolis, centrifugal and gravity torques, shape (n,) [N.m]
    g: np.ndarray  # gravity torques, shape (n,) [N.m]
    com: np.ndarray  # of the composite body, in O, shape (3,) [m]
    mass: float  # of the composite body [kg]
    rotational_inertia: np.ndarray  # of the composite body about com, in O, shape (3, 3) [kg.m^2]
    A_G: np.ndarray  # qdot to its [linear; angular] momentum about com, in O, shape (6, n)
    memory: WorkMemory  # what :meth:`at` asks for points that are not known yet
    known: dict[str | None, PointMotion]  # points by frame

    def at(self, frame: str | None = None, offset: ArrayLike | None = None) -> PointState:
        """Return the state at a point of the robot.

        No further dynamics are computed while this is the newest state of its dynamics; of an older
        one they are computed again.

        Args:
            frame: any frame of the model; none: the robot's contact frame.
            offset: of the point from the frame's origin, in the frame's axes, shape (3,) [m]; none:
                the origin.

        Raises:
            RobotError: there is no such frame (lists them), or no offset.
        """
        if offset is not None:
            beside = self.memory.point_beside(self.q, self.dq, frame, _lever(offset))
            return PointState(self, *beside)
        point = self.known.get(frame)
        if point is None:
            point = self.known[frame] = self.memory.point(self.q, self.dq, frame)
        return _new(PointState, (self, *point))

    def whole(self) -> tuple[float, np.ndarray]:
        """Return mass [kg] and centre of mass in O, shape (3,) [m], of all that moves.

        On a floating base that is the whole robot; a fixed base is not part of it.
        """
        return self.memory.whole(self.q, self.dq)

    def body(self, frame: str, which: str) -> tuple[float, np.ndarray, np.ndarray]:
        """Return another composite body: mass [kg], com in O (3,) [m], inertia about it (3, 3).

        Args:
            frame: that a "chain" leads to.
            which: of :data:`~impact_robots.COMPOSITES`.

        Raises:
            RobotError: no such frame or composite.
        """
        return self.memory.body(self.q, self.dq, frame, which)

    def momentum(self) -> tuple[np.ndarray, np.ndarray]:
        """Return what makes the momentum of all that moves, about its com in O, and its rate.

        Returns:
            A_G of shape (6, n), to [linear; angular] momentum; A_G_dot qdot of shape (6,), what of
            its rate no acceleration makes [N; N.m].
        """
        return self.memory.momentum(self.q, self.dq)

    def link_inertias(self) -> np.ndarray:
        """Return the part of M that is each joint's body's, shape (joints, n, n) [kg.m^2].

        Part i is J_i^T I_i J_i of the body that moves with joint i, and their sum is M: a body that
        weighs 1 % more, in the same shape, adds 1 % of it.
        """
        return self.memory.link_inertias(self.q, self.dq)

    @property
    def numbers(self) -> ArmNumbers:
        """What compiled functions take."""
        numbers: ArmNumbers = _new(ArmNumbers, self[:8])
        return numbers

    def inertia(self, motor_inertia: np.ndarray | None = None) -> np.ndarray:
        """Return M + diag(B), what an impulse meets, shape (n, n) [kg.m^2].

        Args:
            motor_inertia: diagonal of B, shape (n,) [kg.m^2]; none: zero.
        """
        return self.M.copy() if motor_inertia is None else with_motors(self.M, motor_inertia)


def with_motors(M: np.ndarray, motor_inertia: np.ndarray) -> np.ndarray:
    """Return M + diag(B), shape (n, n), of a mass matrix and motor inertias (n,) [kg.m^2]."""
    M_B = M.copy()
    M_B.ravel()[:: len(M_B) + 1] += motor_inertia
    return M_B


class PointState(NamedTuple):
    """A point p of a robot that is in one state; O are base (or world) axes."""

    robot_state: RobotState
    frame: str  # whose axes ``rotation`` has, and which the point moves with
    J: np.ndarray  # Jacobian at p, rows [linear; angular] in O, shape (6, n)
    twist: np.ndarray  # J qdot, of the frame at p, shape (6,) [m/s; rad/s]
    drift: np.ndarray  # Jdot qdot at p, [linear; angular] in O, shape (6,) [m/s^2; rad/s^2]
    rotation: np.ndarray  # of the frame, in O, shape (3, 3)
    position: np.ndarray  # of p in O, shape (3,) [m]

    @property
    def numbers(self) -> PointNumbers:
        """What compiled functions take."""
        numbers: PointNumbers = _new(PointNumbers, self[2:])
        return numbers

    @property
    def velocity(self) -> np.ndarray:
        """Linear velocity of the point in O, shape (3,) [m/s]."""
        return self.twist[:3]

    def beside(self, offset: ArrayLike) -> PointState:
        """Return the state at a point ``offset`` away, in the frame's axes, shape (3,) [m].

        Raises:
            RobotError: the offset is none.
        """
        origin = self.robot_state.at(self.frame).position
        own = self.rotation.T.dot(self.position - origin)
        return self.robot_state.at(self.frame, own + _lever(offset))

    @property
    def q(self) -> np.ndarray:
        """Joint positions, shape (n,) [rad]."""
        return self.robot_state.q

    @property
    def dq(self) -> np.ndarray:
        """Joint velocities, shape (n,) [rad/s]."""
        return self.robot_state.dq

    @property
    def M(self) -> np.ndarray:
        """Mass matrix, shape (n, n) [kg.m^2]."""
        return self.robot_state.M

    @property
    def h(self) -> np.ndarray:
        """Coriolis, centrifugal and gravity torques, shape (n,) [N.m]."""
        return self.robot_state.h

    @property
    def g(self) -> np.ndarray:
        """Gravity torques, shape (n,) [N.m]."""
        return self.robot_state.g

    @property
    def com(self) -> np.ndarray:
        """Centre of mass of the composite body in O, shape (3,) [m]."""
        return self.robot_state.com

    @property
    def mass(self) -> float:
        """Mass of the composite body [kg]."""
        return self.robot_state.mass

    @property
    def rotational_inertia(self) -> np.ndarray:
        """Rotational inertia of the composite body about its com in O, shape (3, 3) [kg.m^2]."""
        return self.robot_state.rotational_inertia

    @property
    def A_G(self) -> np.ndarray:
        """Map from qdot to [linear; angular] momentum about com in O, shape (6, n)."""
        return self.robot_state.A_G


def _lever(offset: ArrayLike) -> np.ndarray:
    """Return a finite offset, shape (3,).

    Raises:
        RobotError: it is none.
    """
    try:
        lever = np.array(offset, dtype=float)
    except (TypeError, ValueError):
        lever = np.empty(0)
    if lever.shape != (3,) or not np.isfinite(lever).all():
        raise RobotError(f"contact offset: expected three finite numbers, got {offset!r}")
    return lever
