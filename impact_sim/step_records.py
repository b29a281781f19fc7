# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""What goes into an arm's small steps close to a wall, and what comes out."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

NOTHING, HUNT_CROSSLEY, EXTENDED = -1.0, 0.0, 1.0  # kinds of contact law


class Touching(NamedTuple):
    """An arm in MuJoCo's memory, whose arrays these are, and its point that may touch."""

    model: int  # address of MuJoCo's model
    data: int  # address of its data
    qpos: np.ndarray  # shape (2 n,)
    qvel: np.ndarray  # shape (2 n,)
    applied: np.ndarray  # torques, overwritten, shape (2 n,) [N.m]
    passive: np.ndarray  # of springs and dampers, shape (2 n,) [N.m]
    bias: np.ndarray  # of Coriolis and gravity, shape (2 n,) [N.m]
    smooth: np.ndarray  # sum of all but constraints, overwritten, shape (2 n,) [N.m]
    motor: np.ndarray  # places of the motors' coordinates, shape (n,)
    spring: np.ndarray  # and of the deflections, shape (n,)
    stiffness: np.ndarray  # of the joints, shape (n,) [N.m/rad]
    damping: np.ndarray  # of the joints, shape (n,) [N.m.s/rad]
    torque: np.ndarray  # of the motors, places as in ``applied``, shape (2 n,) [N.m]
    position: np.ndarray  # of the point, base axes, shape (3,) [m]
    site: int  # number of the point
    jacobian: np.ndarray  # overwritten, shape (3, 2 n)


class Plane(NamedTuple):
    """A wall in plain numbers."""

    normal: np.ndarray  # towards the robot, shape (3,)
    point: np.ndarray  # any point of it, shape (3,) [m]
    friction: float  # Coulomb's coefficient [-]
    slip_speed: float  # of its regularisation [m/s]
    law: np.ndarray  # stiffness, damping, exponent, kind, shape (4,)


class LoopNumbers(NamedTuple):
    """A joint torque loop, see :class:`~impact_sim.torque_loop.TorqueLoop`; shapes (n,)."""

    ratio: np.ndarray  # R [-]
    damping_time: np.ndarray  # of the joints [s]
    filtered: np.ndarray  # sensed torque behind the filter, overwritten [N.m]
    desired: np.ndarray  # torque, gravity included [N.m]
    share: float  # of the filter in a period [-]
    period: float  # [s]


class Steps(NamedTuple):
    """What K small steps were like, each at its beginning; axes of the base, n joints."""

    time: np.ndarray  # shape (K,) [s]
    q: np.ndarray  # link positions, shape (K, n) [rad]
    dq: np.ndarray  # link velocities, shape (K, n) [rad/s]
    torque: np.ndarray  # in the joints' springs, shape (K, n) [N.m]
    velocity: np.ndarray  # of the contact point, shape (K, 3) [m/s]
    force: np.ndarray  # on the robot throughout the step, shape (K, 3) [N]

    @classmethod
    def empty(cls, count: int, dof: int) -> Steps:
        """Return room for ``count`` steps of ``dof`` joints."""
        q, dq, torque = np.empty((3, count, dof))
        velocity, force = np.empty((2, count, 3))
        return cls(np.empty(count), q, dq, torque, velocity, force)

    def first(self, count: int) -> Steps:
        """Return the first ``count`` of them."""
        return self if count == len(self.time) else Steps(*[each[:count] for each in self])
