# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""States in plain numbers, as compiled functions take them."""

from __future__ import annotations

from typing import NamedTuple

from impact_robots.compiling.array_kinds import Matrix, ToMatrix, ToVector, Vector


class ArmNumbers(NamedTuple):
    """The first fields of a :class:`~impact_robots.RobotState`."""

    q: Vector
    dq: Vector
    M: Matrix
    h: Vector
    g: Vector
    com: Vector
    mass: float
    rotational_inertia: Matrix


class PointNumbers(NamedTuple):
    """The last fields of a :class:`~impact_robots.PointState`."""

    J: ToMatrix
    twist: ToVector
    drift: ToVector
    rotation: ToMatrix
    position: ToVector


class StateArrays(NamedTuple):
    """Arrays of a state at a point, as in :class:`~impact_robots.PointState`."""

    q: ToVector
    dq: ToVector
    h: ToVector
    g: ToVector
    M: ToMatrix
    A_G: ToMatrix
    com: ToVector
    rotational_inertia: ToMatrix
    J: ToMatrix
    twist: ToVector
    drift: ToVector
    rotation: ToMatrix
    position: ToVector


class JointTerms(NamedTuple):
    """Dynamics of the joints in pinocchio's work memory, as in :class:`StateArrays`."""

    M: Matrix
    h: Vector
    g: Vector


class JointNumbers(NamedTuple):
    """Motion of a frame in pinocchio's work memory, whose addresses are fixed; O are base axes."""

    J: Matrix  # twists of all joints at the origin of O, in O, shape (6, n)
    moves: Vector  # 1 for each velocity that moves the frame, else 0, shape (n,)
    rotation: Matrix  # axes of the frame's joint, in O, shape (3, 3)
    position: Vector  # its origin in O, shape (3,) [m]
    linear: Vector  # its spatial acceleration minus gravity, own axes, shape (3,) [m/s^2]
    angular: Vector  # the same, shape (3,) [rad/s^2]
    gravity: Vector  # in O, shape (3,) [m/s^2]
    frame_rotation: Matrix  # axes of the frame in those of its joint, shape (3, 3)
    lever: Vector  # its origin in those, shape (3,) [m]
