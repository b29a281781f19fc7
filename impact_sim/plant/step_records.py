# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""What goes into an arm's small steps close to a wall, and what comes out."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

# Where a link's numbers begin in ``Touching.links``. The z axis of its axes is that of its joint.
ROTATION = 0  # to axes of the link before, with the joint at 0, row by row
ORIGIN = 9  # of own axes in those of the link before [m]
LEVER = 12  # of the centre of mass, own axes [m]
INERTIA = 15  # about it, own axes, row by row [kg.m^2]
MASS, SLIDES = 24, 25  # [kg]; 1 if its joint slides along its axis, 0 if it turns
MOTOR, STIFFNESS, DAMPING = 26, 27, 28  # reflected inertia [kg.m^2], of the spring, in SI units
PARENT = 29  # number of the link before, from 1; 0: the base
LINK = 30  # numbers in all
# And in ``Touching.motion``, after its axes (ROTATION) and their origin (ORIGIN) in base axes.
# Spatial vectors, turning before linear, and inertias are about the base's origin; an inertia
# is of a link and what it carries.
TWIST, AXIS, DRIFT = 12, 18, 24  # drift: its change without accelerations of joints
TURNING, COUPLING, LINEAR = 30, 36, 45  # of the inertia; xx, yy, zz, xy, xz, yz; row by row
WRENCH, BIAS, ACCELERATION = 51, 57, 63  # that keeps it from accelerating; inertia times axis
ALONG, FREE = 69, 70  # inertia that the joint moves, in the end its inverse; torque left for it
POSITION, RATE, TORQUE = 71, 73, 75  # of motor and deflection, each of them; of the motor
RATIO, ADDED, OWN = 76, 77, 78  # r, e and c of ``small_steps.end_step``
MOVING = 79  # numbers in all
NOTHING, HUNT_CROSSLEY, EXTENDED = -1.0, 0.0, 1.0  # kinds of contact law
LAYERED, YIELDING = 2.0, 3.0


class Touching(NamedTuple):
    """An arm whose state is in MuJoCo's memory, and its point that may touch."""

    model: int  # address of MuJoCo's model
    data: int  # address of its data
    qpos: np.ndarray  # shape (2 n,)
    qvel: np.ndarray  # shape (2 n,)
    motor: np.ndarray  # places of the motors' coordinates, shape (n,)
    spring: np.ndarray  # and of the deflections, shape (n,)
    torque: np.ndarray  # of the motors, places as in ``qvel``, shape (2 n,) [N.m]
    links: np.ndarray  # what n links are like, then the point: its PARENT, and there its ORIGIN
    motion: np.ndarray  # of base and links; last the point's ORIGIN, at the last step's beginning,
    # and its linear TWIST, there


class Plane(NamedTuple):
    """A wall in plain numbers."""

    normal: tuple[float, float, float]  # towards the robot
    point: tuple[float, float, float]  # any point of it [m]
    friction: float  # Coulomb's coefficient [-]
    slip_speed: float  # of its regularisation [m/s]
    # stiffness, damping, exponent, kind; below a layer's thickness another stiffness; of a nail the
    # force at which it yields, and the growth of that with depth
    law: tuple[float, float, float, float, float, float]
    # what its face moves with: how far it was pushed back or has yielded [m], how fast [m/s],
    # 1/mass [1/kg]; and how far the tool's cover is compressed, now and at most [m]
    body: np.ndarray  # shape (5,), overwritten
    # of the tool: stiffness [N/m], 0: there is none, damping [N.s/m], thickness [m]
    cover: tuple[float, float, float]


class LoopNumbers(NamedTuple):
    """A joint torque loop, see :class:`~impact_sim.plant.torque_loop.TorqueLoop`; shapes (n,)."""

    ratio: np.ndarray  # R [-]
    damping_time: np.ndarray  # of the joints [s]
    filtered: np.ndarray  # sensed torque behind the filter, overwritten [N.m]
    desired: np.ndarray  # torque, gravity included [N.m]
    share: float  # of the filter in a period [-]
    period: float  # [s]


class Steps(NamedTuple):
    """What K small steps were like, each at its beginning; axes of the base, n joints.

    Without motion ``q``, ``dq``, ``torque`` and ``velocity`` have no rows.
    """

    time: np.ndarray  # shape (K,) [s]
    q: np.ndarray  # link positions, shape (K, n) [rad]
    dq: np.ndarray  # link velocities, shape (K, n) [rad/s]
    torque: np.ndarray  # in the joints' springs, shape (K, n) [N.m]
    velocity: np.ndarray  # of the contact point, shape (K, 3) [m/s]
    force: np.ndarray  # on the robot throughout the step, shape (K, 3) [N]

    @classmethod
    def empty(cls, count: int, dof: int, *, motion: bool = True) -> Steps:
        """Return room for ``count`` steps of ``dof`` joints, with or without their motion."""
        moving = count if motion else 0
        q, dq, torque = np.empty((3, moving, dof))
        return cls(np.empty(count), q, dq, torque, np.empty((moving, 3)), np.empty((count, 3)))

    def first(self, count: int) -> Steps:
        """Return the first ``count`` of them."""
        return self if count == len(self.time) else Steps(*[each[:count] for each in self])
