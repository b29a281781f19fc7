# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""How far a commanded velocity or position may run ahead of the measured one.

A velocity- or position-controlled arm is planned from its last command. Without a bound the command
goes on while something holds the arm, and the arm jumps when it is let go.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

import numpy as np

from impact_robots.robot import JointLimits

LEAD = 0.035  # of a position: what the joint moves at its highest speed in that time [s]
HELD_LEAD = 0.015  # of an arm that is to stand: less, it may be let go [s]
BACK = 0.1  # in which a command that leads by more comes back [s]
VELOCITY_LEAD = 0.25  # of a velocity, as a share of the highest one


def next_motion(
    interface: str,
    ddq: np.ndarray,
    last: tuple[np.ndarray, np.ndarray],
    measured: tuple[np.ndarray, np.ndarray],
    limits: JointLimits,
    dt: float,
    *,
    most: float = LEAD,
) -> tuple[np.ndarray, np.ndarray]:
    """Return velocities [rad/s] and positions [rad] to command, shape (n,) each.

    Args:
        interface: what the robot is sent; nothing leads if that is torques.
        ddq: joint accelerations, shape (n,) [rad/s^2].
        last: positions [rad] and velocities [rad/s] that were commanded, shape (n,) each.
        measured: positions [rad] and velocities [rad/s], shape (n,) each.
        limits: of the joints.
        dt: control period [s].
        most: lead of positions, see :func:`led_position`.
    """
    position, velocity = last
    if interface == "torque":
        after, way = np.empty(len(ddq)), np.empty(len(ddq))
        _moved()(position, velocity, ddq, dt, after, way)
        return after, way
    step, (q, dq) = ddq * dt, measured
    if interface == "velocity":
        led = led_velocity(velocity + step, velocity, dq, limits, dt)
        return led, position + led * dt
    return led_position(velocity + step, velocity, position, q, limits, dt, most=most)


@cache
def _moved() -> Callable[..., None]:
    from impact_qp.compiled.motion_step import moved  # loads slowly

    return moved


def led_velocity(
    wanted: np.ndarray, last: np.ndarray, measured: np.ndarray, limits: JointLimits, dt: float
) -> np.ndarray:
    """Return the velocity to command, near the measured one, shape (n,) [rad/s].

    Args:
        wanted: velocities, shape (n,) [rad/s].
        last: that were commanded, shape (n,) [rad/s]; changes keep to the acceleration limits.
        measured: shape (n,) [rad/s].
        limits: of the joints.
        dt: control period [s].
    """
    lead, step = VELOCITY_LEAD * limits.velocity, limits.acceleration * dt
    low, high = measured - lead, measured + lead
    near = _clip(_slowed(wanted, low, high), low, high)
    return _clip(_clip(near, last - step, last + step), -limits.velocity, limits.velocity)


def led_position(
    wanted: np.ndarray,
    last: np.ndarray,
    position: np.ndarray,
    measured: np.ndarray,
    limits: JointLimits,
    dt: float,
    *,
    most: float = LEAD,
) -> tuple[np.ndarray, np.ndarray]:
    """Return velocity [rad/s] and position [rad] to command, shape (n,) each.

    The command brakes early enough to stop before it is ``most`` ahead of the measurement, comes
    back if it is farther, and stays within the position limits unless it was outside.

    Args:
        wanted: velocities, shape (n,) [rad/s].
        last: velocities that were commanded, shape (n,) [rad/s].
        position: that was commanded, shape (n,) [rad].
        measured: positions, shape (n,) [rad].
        limits: of the joints.
        dt: control period [s].
        most: lead, as what a joint moves at its highest speed in that time [s].
    """
    lead, step = most * limits.velocity, limits.acceleration * dt
    ahead = position - measured
    up, down = _towards(lead - ahead, limits), _towards(lead + ahead, limits)
    velocity = _clip(_slowed(wanted, -down, up), -down, up)
    velocity = _clip(velocity, last - step, last + step)
    velocity = _clip(velocity, -limits.velocity, limits.velocity)
    low = np.minimum(limits.position_lower, position)
    high = np.maximum(limits.position_upper, position)
    return velocity, _clip(position + velocity * dt, low, high)


def _slowed(wanted: np.ndarray, low: np.ndarray, high: np.ndarray) -> np.ndarray:
    """Return the velocities in the same direction, as slow as the joint asks that may do least.

    To slow one joint alone would turn the motion of the contact point, and may make it faster: near
    a singular configuration joints move against each other. Shapes (n,) [rad/s].
    """
    most = np.where(wanted > 0.0, high, -low)
    beyond = (np.abs(wanted) > most) & (most > 0.0)  # else it has to come back
    if not beyond.any():
        return wanted
    return wanted * float((most[beyond] / np.abs(wanted[beyond])).min())


def _towards(room: np.ndarray, limits: JointLimits) -> np.ndarray:
    """Return the highest velocity that stops within the room; below zero if there is none, (n,)."""
    stops = np.sqrt(2.0 * limits.acceleration * np.maximum(0.0, room))
    return np.where(room >= 0.0, stops, room / BACK)


def _clip(values: np.ndarray, low: np.ndarray, high: np.ndarray) -> np.ndarray:
    return np.minimum(np.maximum(values, low), high)
