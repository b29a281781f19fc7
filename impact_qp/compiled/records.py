# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Records of arguments of the compiled functions of a control cycle, beside arm and point."""

from __future__ import annotations

from typing import NamedTuple

from impact_robots.compiling.array_kinds import (
    Integers,
    Matrix,
    ToIntegers,
    ToMatrix,
    ToVector,
    Vector,
)

JITTER = 0.02  # of a measured position, for stamps that are not exact [rad]
MEMORY = 0.1  # over which positions and velocities are compared [s]


class Preview(NamedTuple):
    """How the approach velocity of a contact point is previewed."""

    normal: Vector  # base axes, shape (3,)
    time: float  # T_p [s]
    unexplained: Vector  # accelerations beside qddot, shape (n,) [rad/s^2]


class ImpulseSet(NamedTuple):
    """Impulses on the contact point, and the limits of the joints under them."""

    directions: Matrix  # K, base axes, normal parts of 1, shape (3, N); N = 0: no impulses
    restitution: float  # e [-]
    torque_limits: Vector  # impulses of the joints that reach their torque limits, (n,) [N.m.s]
    velocity_limits: Vector  # limits of the joint velocities, shape (n,) [rad/s]
    fraction: float  # usable fraction of the velocity margins [-]
    # diagonal of B of a servo's motors, (n,) [kg.m^2]; empty: impulses of the composite body only
    motors: Vector


class ApproachReference(NamedTuple):
    """References and gains of the tasks of an approach, see :mod:`impact_qp.tasks`."""

    velocity: Vector  # of the contact point, shape (3,) [m/s]
    acceleration: Vector  # feedforward, shape (3,) [m/s^2]
    gain: float  # [1/s]
    orientation: Matrix  # shape (3, 3)
    angular_acceleration: Vector  # feedforward, shape (3,) [rad/s^2]
    turning_stiffness: float  # [1/s^2]
    turning_damping: float  # [1/s]
    posture: Vector  # shape (n,) [rad]
    posture_stiffness: float  # [1/s^2]
    posture_damping: float  # [1/s]


class ApproachProgram(NamedTuple):
    """Constants of an approach."""

    motor_inertia: Vector  # diagonal of B, shape (n,) [kg.m^2]
    weights: Vector  # of the 6 + n rows of the tasks
    regularisation: float  # of the cost
    joint_limits: Matrix  # as of :func:`.joint_box`
    dt: float  # control period [s]
    torque_step: Vector  # in a whole period, as this and the next two of :func:`.torque_box`
    torque_limits: Vector
    adds_gravity: bool
    limited: bool  # there is a row on the approach speed
    impulses: ImpulseSet  # that bound the approach speed; no directions: ``Memory.speed`` does
    tolerance: float  # as this and the next of :func:`.minimum_near`
    tries: int


class Memory(NamedTuple):
    """Values of earlier cycles."""

    ddq: Vector  # accelerations of the last cycle, shape (n,) [rad/s^2]; NaN: not known
    torque: Vector  # torques beyond gravity of the last cycle, shape (n,) [N.m]; NaN: not known
    fraction: float  # of a period that has passed since [-]
    preview: Preview
    speed: float  # of approach, allowed now, may be infinite [m/s]
    bound: float  # on the approach speed in the last cycle, NaN: not known [m/s]
    period: float  # since that, as of :func:`.fall` [s]
    velocity: Vector  # that was commanded in the last cycle, shape (n,) [rad/s]
    position: Vector  # the same, shape (n,) [rad]
    guess: Integers  # numbers of the rows that might bind, shape (k,)


class ApproachSolution(NamedTuple):
    """What is written."""

    ddq: ToVector  # shape (n,) [rad/s^2]
    torque: ToVector  # within its limits, shape (n,) [N.m]
    links: ToVector  # the part of it that moves the links, as of :func:`.torques_of`, (n,) [N.m]
    velocity: ToVector  # to command, as of :func:`.moved`, shape (n,) [rad/s]
    position: ToVector  # the same, shape (n,) [rad]
    binding: ToIntegers  # numbers of the rows that bind, first in an array of n or more


class SpreadReferenceState(NamedTuple):
    """Targets of one cycle of reference spreading."""

    position: Vector  # of the reference [p; xi], shape (4,) [m], [rad]
    velocity: Vector  # of it, shape (4,)
    acceleration: Vector  # of it, shape (4,)
    orientation: Matrix  # of the reference, shape (3, 3)
    feedforward: Vector  # of friction, all tasks, shape (7,) [m/s^2], [rad/s^2]
    stiffness: Vector  # of position, orientation and first joint, shape (3,) [1/s^2]
    fade: float  # fraction of the velocity feedback [-]
    wrench: Vector  # on the object, [force; moment], base axes, shape (6,)
    capped: bool  # the approach speed is limited


class SpreadProgram(NamedTuple):
    """Constants of reference spreading."""

    weights: Vector  # of the 7 rows of the tasks
    regularisation: float  # of the cost
    motor_inertia: Vector  # shape (n,) [kg.m^2]
    singular: float  # damping of :func:`.joint_velocity`
    joint_limits: Matrix  # lowest and highest position, and velocity, shape (3, n)
    dt: float  # control period [s]
    torques: Matrix  # least and highest, shape (2, n) [N.m]
    braking: Matrix  # figures of the ``BrakingLimit``, shape (3, n)
    braking_preview: float  # its preview [s]
    cap: Preview  # of the approach speed, ``normal`` into what is to be hit
    speed: float  # highest along it [m/s]
    tolerance: float  # as this and the next of :func:`.minimum_near`
    tries: int


class SpreadArrays(NamedTuple):
    """What is written."""

    ddq: ToVector  # shape (n,) [rad/s^2]
    feedback: ToVector  # of all tasks, shape (7,) [m/s^2], [rad/s^2]
    joint_velocity: ToVector  # of an arm that moves as the reference, shape (n,) [rad/s]
    binding: ToIntegers  # numbers of the rows that bind, first in an array of n or more


class Announced(NamedTuple):
    """Data of an announced impact for the published impact limit."""

    directions: Matrix  # K, base axes, normal parts of 1, shape (3, N)
    least: float  # lowest restitution [-]
    largest: float  # highest restitution [-]
    factor: float  # mean force factor a/delta_t [1/s]
    torque_limits: Vector  # impulsive torques, shape (n,) [N.m]
    velocity_limits: Vector  # of the joints, shape (n,) [rad/s]
    fraction: float  # usable fraction of the margins of torques and velocities [-]


class ImpulseRows(NamedTuple):
    """Rows G qddot + E lambda <= h, written."""

    G: ToMatrix
    E: ToMatrix
    h: ToVector


class Allowed(NamedTuple):
    """Configurations in which a contact frame may hit."""

    low: Vector  # lowest joint positions, shape (n,) [rad]
    high: Vector  # highest joint positions, shape (n,) [rad]
    normal: Vector  # outward normal of the surface, base axes, shape (3,)
    facing: Vector  # direction of the tool that looks along it, axes of the frame, shape (3,)
    least: float  # cosine of the largest tilt


class Newton(NamedTuple):
    """Newton's method to a point."""

    iterations: int  # at most
    reached: float  # distance at which it has converged [m]
    damping: float  # of a step near a singular configuration [m^2]
