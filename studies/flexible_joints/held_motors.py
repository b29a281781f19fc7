# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
r"""Hits of a flexible-joint arm whose motors have dry friction, and the jumps that maps predict.

The small motion about the configuration of the contact (as of ``joint_load``, integrated here by
itself), with Coulomb friction of the motors before the joint torque sensors:

.. math:: B_\rho\ddot\theta = \tau_{act} - K(\theta - q) - D(\dot\theta - \dot q) - c\,
    \mathrm{sign}\,\dot\theta

A motor at rest is held while the rest of the right side is below c; the controller compensates the
friction of motors that move before the contact. The torque loop turns c into c/R at the joint.
"""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

import numpy as np

from impact_predictor.prediction.predicted_load import held_joints
from impact_predictor.prediction.robot_contacts import RobotContact
from impact_robots import ArmDynamics, PointState, Robot, Surface

STEP, TICK = 2e-5, 250e-6  # of the integration and of the torque loop [s]
FILTER_HZ = 300.0  # low-pass on the measured torque [Hz]
AFTER = 0.1  # over which a line is laid through the velocities after the contact [s]
SWING = 0.01  # after the contact until then [s]
LONGEST = 0.06  # contact that counts as an impact [s]
SPEED = 0.2  # of the contact point towards the surface [m/s]
AT_REST = 0.4  # probability that a joint does not move before the contact
MIDDLE = np.array([0.0, 0.3, 0.0, -1.9, 0.0, 2.2, 0.7])  # of the drawn positions [rad]


class RubbedHit(NamedTuple):
    """One hit; velocities of shape (n,) [rad/s]."""

    still: np.ndarray  # joints at rest before the contact, shape (n,)
    held: np.ndarray  # those of them whose motor never moved, shape (n,)
    jump: (
        np.ndarray
    )  # from before the contact to a line through the velocities after it, at its end
    told: np.ndarray  # joints that `held_joints` takes for held, shape (n,)
    maps: dict[str, np.ndarray]  # predicted jumps by the impulse, for motors that are not held:
    # M+B_theta throughout, M+B_rho at the held joints, held joints locked, and those told locked


def rubbed_hits(robot: Robot, friction: np.ndarray, count: int, seed: int = 0) -> list[RubbedHit]:
    """Return hits at drawn poses, speeds and surfaces (stiffness 3e4 to 1e6 N/m, friction 0 to .3).

    Args:
        robot: of seven joints with a torque loop.
        friction: c of the motors, shape (7,) [N.m].
        count: of hits.
        seed: of the draw.
    """
    random, dynamics = np.random.default_rng(seed), ArmDynamics(robot)
    found: list[RubbedHit] = []
    while len(found) < count:
        q = MIDDLE + random.uniform(-0.6, 0.6, robot.dof)
        still = random.random(robot.dof) < AT_REST
        stiffness, damping = 10.0 ** random.uniform(4.5, 6.0), random.uniform(0.05, 0.4)
        mu, state = random.uniform(0.0, 0.3), dynamics(q, np.zeros(robot.dof))
        J = state.J[:3]
        dq = np.linalg.pinv(np.where(still, 0.0, J)) @ np.array([0.0, 0.0, -SPEED])
        if abs(J[2] @ dq + SPEED) > 0.1 * SPEED or (np.abs(dq) > robot.limits.velocity).any():
            continue
        surface = (stiffness, damping, mu)
        told = _told(robot, dynamics(q, dq), friction, surface)
        hit = _hit(robot, state.M, J, dq, friction, surface, told)
        if hit is not None:
            found.append(hit)
    return found


def _hit(
    robot: Robot,
    M: np.ndarray,
    J: np.ndarray,
    dq: np.ndarray,
    friction: np.ndarray,
    surface: tuple[float, float, float],
    told: np.ndarray,
) -> RubbedHit | None:
    """Return a hit of links and motors that move with dq; None: the contact does not end."""
    K, D, B = robot.joint_stiffness, robot.joint_damping, robot.reflected_motor_inertia
    loop, n = 1.0 - B / robot.apparent_motor_inertia, robot.dof
    share = 1.0 - np.exp(-2.0 * np.pi * FILTER_HZ * TICK)
    stiffness, ratio, mu = surface
    mass = 1.0 / (J[2] @ np.linalg.solve(M + np.diag(robot.apparent_motor_inertia), J[2]))
    damping = 2.0 * ratio * np.sqrt(stiffness * mass)
    compensated, dv = friction * np.sign(dq), STEP * np.linalg.inv(M)
    q, theta, filtered, act, v, w = (*np.zeros((4, n)), dq, dq)
    impulse, ended, held = np.zeros(3), 0.0, dq == 0.0
    after: list[np.ndarray] = []
    for k in range(round((LONGEST + SWING + AFTER) / STEP)):
        load = K * (theta - q)
        if k % round(TICK / STEP) == 0:
            change = share * (load - filtered)
            filtered = filtered + change
            act = loop * (filtered + D / K * change / TICK)
        passed, force = load + D * (w - v), _force(J @ q, J @ v, stiffness, damping, mu)
        if force[2] > 0.0:
            ended, impulse = k * STEP, impulse + STEP * force
            after.clear()
        elif k * STEP > ended + SWING:
            after.append(v)
        v = v + dv @ (passed + J.T @ force)
        free = w + STEP * (act - passed + compensated) / B
        w = np.sign(free) * np.maximum(np.abs(free) - STEP * friction / B, 0.0)
        held = held & (w == 0.0)
        q, theta = q + STEP * v, theta + STEP * w
        if len(after) * STEP >= AFTER:
            break
    if ended > LONGEST or len(after) * STEP < AFTER:
        return None
    times = SWING + STEP * np.arange(len(after))
    velocity = np.polyfit(times, np.array(after), 1)[1]
    maps = _maps(robot, M, J, impulse, held, told)
    return RubbedHit(dq == 0.0, held, velocity - dq, told, maps)


def _told(
    robot: Robot,
    state: PointState,
    friction: np.ndarray,
    surface: tuple[float, float, float],
) -> np.ndarray:
    """Return the joints that are taken for held, of a known surface and known joints, (n,).

    The loop makes c/R of the motors' friction c; a damper's restitution is about 1 - pi ratio.
    """
    stiffness, ratio, mu = surface
    loop = robot.reflected_motor_inertia / robot.apparent_motor_inertia
    rubbing = replace(robot, coulomb_friction=friction / loop)
    wall = Surface(None, np.array([0.0, 0.0, 1.0]), mu, max(0.0, 1.0 - np.pi * ratio), stiffness)
    return held_joints([RobotContact(state, wall)], rubbing, joints="nominal")


def _force(
    place: np.ndarray, velocity: np.ndarray, stiffness: float, damping: float, mu: float
) -> np.ndarray:
    """Return the force of a surface at z = 0 on the arm, shape (3,) [N]."""
    if place[2] >= 0.0:
        return np.zeros(3)
    normal = max(0.0, -stiffness * place[2] - damping * velocity[2])
    slip = float(np.hypot(velocity[0], velocity[1]))
    rub = mu * normal * np.tanh(slip / 1e-3) / max(slip, 1e-9)
    return np.array([-rub * velocity[0], -rub * velocity[1], normal])


def _maps(
    robot: Robot,
    M: np.ndarray,
    J: np.ndarray,
    impulse: np.ndarray,
    held: np.ndarray,
    told: np.ndarray,
) -> dict[str, np.ndarray]:
    """Return the jumps that an impulse makes by each map."""
    apparent, rotor = robot.apparent_motor_inertia, robot.reflected_motor_inertia
    inertias = {
        "M+B_theta": apparent,
        "M+B_rho": np.where(held, rotor, apparent),
        "locked": robot.with_held_joints(held).apparent_motor_inertia,
        "told": robot.with_held_joints(told).apparent_motor_inertia,
    }
    return {
        name: np.linalg.solve(M + np.diag(each), J.T @ impulse) for name, each in inertias.items()
    }
