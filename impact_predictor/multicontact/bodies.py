# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Bodies of a simultaneous impact: arms and free objects, in common world axes."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import ArrayLike
from pinocchio import skew

from impact_robots import PointState
from impact_robots.exceptions import OutOfRangeError
from impact_robots.validation import finite_array, positive


def _zero() -> np.ndarray:
    return np.zeros(3)


def _identity() -> np.ndarray:
    return np.eye(3)


@dataclass(frozen=True)
class ArmBody:
    """A robot; its velocities are its joints', and its contacts are on the link of its tool."""

    state: PointState  # right before the impact
    motor_inertia: ArrayLike | None = None  # diagonal of B, shape (n,) [kg.m^2]; None: zero
    base_position: ArrayLike = field(default_factory=_zero)  # in the world, shape (3,) [m]
    base_rotation: ArrayLike = field(default_factory=_identity)  # base to world axes, (3, 3)

    def inertia(self) -> np.ndarray:
        """Return M + B, shape (n, n).

        Raises:
            OutOfRangeError: the motor inertia is not n finite numbers.
        """
        motor_inertia = self.motor_inertia
        if motor_inertia is not None:
            motor_inertia = finite_array(motor_inertia, self.state.dq.shape, "motor_inertia")
        return self.state.robot_state.inertia(motor_inertia)

    def velocity(self) -> np.ndarray:
        """Return the joint velocities before, shape (n,)."""
        return self.state.dq

    def jacobian(self, point: np.ndarray) -> np.ndarray:
        """Return the tool's Jacobian at a world ``point``, [linear; angular], shape (6, n).

        Raises:
            OutOfRangeError: the base's placement is not three and three times three numbers.
        """
        R = finite_array(self.base_rotation, (3, 3), "base_rotation")
        origin = finite_array(self.base_position, (3,), "base_position") + R @ self.state.position
        linear, angular = R @ self.state.J[:3], R @ self.state.J[3:]
        return np.vstack([linear - skew(point - origin) @ angular, angular])


@dataclass(frozen=True)
class FreeBody:
    """A free rigid object; its velocities are [linear of the COM; angular]."""

    mass: float  # [kg]
    rotational_inertia: ArrayLike  # about the COM, in ``rotation``'s axes, shape (3, 3) [kg.m^2]
    position: ArrayLike  # of the COM in the world, shape (3,) [m]
    rotation: ArrayLike = field(default_factory=_identity)  # body to world axes, (3, 3)
    linear_velocity: ArrayLike = field(default_factory=_zero)  # of the COM, world, (3,) [m/s]
    angular_velocity: ArrayLike = field(default_factory=_zero)  # in world axes, (3,) [rad/s]

    def inertia(self) -> np.ndarray:
        """Return blkdiag(m 1, R I R^T), shape (6, 6).

        Raises:
            OutOfRangeError: the mass is not positive, or an array of the wrong shape.
        """
        R = finite_array(self.rotation, (3, 3), "rotation")
        M = np.zeros((6, 6))
        M[:3, :3] = positive(self.mass, "mass") * np.eye(3)
        M[3:, 3:] = R @ finite_array(self.rotational_inertia, (3, 3), "rotational_inertia") @ R.T
        return M

    def velocity(self) -> np.ndarray:
        """Return [linear; angular] before, shape (6,).

        Raises:
            OutOfRangeError: an array of the wrong shape.
        """
        linear = finite_array(self.linear_velocity, (3,), "linear_velocity")
        return np.append(linear, finite_array(self.angular_velocity, (3,), "angular_velocity"))

    def jacobian(self, point: np.ndarray) -> np.ndarray:
        """Return the Jacobian of the body at a world ``point``, [linear; angular], shape (6, 6).

        Raises:
            OutOfRangeError: the position is not three numbers.
        """
        J = np.eye(6)
        J[:3, 3:] = -skew(point - finite_array(self.position, (3,), "position"))
        return J


Body = ArmBody | FreeBody


def box(mass: float, size: ArrayLike, position: ArrayLike, **state: ArrayLike) -> FreeBody:
    """Return a homogeneous box.

    Args:
        mass: [kg].
        size: edges along its axes, shape (3,) [m].
        position: of its centre in the world, shape (3,) [m].
        **state: ``rotation``, ``linear_velocity``, ``angular_velocity`` of :class:`FreeBody`.

    Raises:
        OutOfRangeError: a mass or an edge is not positive.
    """
    squares = finite_array(size, (3,), "size") ** 2
    if np.any(squares <= 0.0):
        raise OutOfRangeError("size", "three numbers above 0", size)
    inertia = np.diag(positive(mass, "mass") / 12 * (squares.sum() - squares))
    return FreeBody(mass, inertia, position, **state)
