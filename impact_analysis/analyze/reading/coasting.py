# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Does the arm coast after an impact, or do its motors do what friction and gravity cannot?

Coasting means gravity compensation alone (doc/theory.md). A coasting arm does not keep
its velocity: joint friction brakes every joint, and a gravity compensation that is a few percent
off pushes it. Through the mass matrix the friction of one joint speeds up another one. So torques
are judged, not velocities:

- what the motion needs, (M + B) ddq + C dq, from a line through the velocities;
- what the joints gave beyond gravity, tau - h, where torques were measured. Before the friction it
  is zero on an arm that coasts, behind it it is the friction.

Both must exceed what friction and gravity compensation explain. They may brake a joint with a
tenth of its torque limit, and push it along with 2 % of that and a twentieth of its gravity torque.
The two shares of the limit are choices: a Panda's friction by Gaz et al. (RA-L 2019) is below 4 %
of its joints' limits, and brakes.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from impact_detector.signals.buffers import JointRecord
from impact_detector.signals.noise import white_noise
from impact_robots import ArmDynamics, Robot

COASTING = (0.03, 0.1)  # after contact: vibrations are over, nothing else may happen [s]
PARTS = ((0.03, 0.1), (0.03, 0.065), (0.065, 0.1))  # judged by themselves, a brake is short [s]
FEW = 5  # samples in one that are too few
DRIVEN, DRIVEN_SHARE = np.radians(2.0), 0.1  # change in that [rad/s], and share of the jump
FRICTION_SHARE = 0.1  # of a joint's torque limit, with which it may brake
PUSH_SHARE = 0.02  # of it, with which a joint may be pushed along: model, sensor
GRAVITY_SHARE = 0.05  # of the gravity torque, by which its compensation may be off
SIGMAS = 4.0  # of noise that are no torque
REST = 0.02  # joint speed without a direction [rad/s]
STEADY = (-0.02, -0.001)  # before the touch, what the motors gave against friction [s]
PUSHED = 0.17  # of the approach speed, that motors may add in a contact
LATE = 2e-3  # that torques may come after velocities [s]
MOTOR_ERROR = 0.1  # of the motors' inertia


class Drive(NamedTuple):
    """The joint that is driven most."""

    joint: int  # from 0
    torque: float  # that friction and gravity compensation do not explain [N.m]
    change: float  # of its velocity within COASTING [rad/s]


def drive(robot: Robot, t: np.ndarray, joints: JointRecord, jump: np.ndarray) -> Drive | None:
    """Return what drives the arm after an impact, none if it may well coast.

    An arm that is driven with less than friction may have, or one whose drive is over within 30 ms,
    and a joint whose torque limit is unknown, are not told from coasting ones.

    Args:
        robot: the arm.
        t: times since contact, shape (k,) [s].
        joints: samples at these times.
        jump: of the gross velocity, shape (n,) [rad/s].
    """
    parts = [(t > start) & (t < end) for start, end in PARTS]
    if min(part.sum() for part in parts) < FEW or not np.isfinite(jump).all():
        return None
    change = _slopes(t, joints, parts[0]) * (COASTING[1] - COASTING[0])
    if np.abs(change).max() <= max(DRIVEN, DRIVEN_SHARE * float(np.abs(jump).max())):
        return None
    dynamics = ArmDynamics(robot)
    noise = white_noise(joints.dq[parts[0]], 0.0)
    excess = np.max([_excess(dynamics, t, joints, part, noise) for part in parts], axis=0)
    joint = int(np.argmax(excess))
    if not excess[joint] > 0.0:
        return None
    return Drive(joint, float(excess[joint]), float(change[joint]))


def pushed(
    robot: Robot, t: np.ndarray, joints: JointRecord, normal: np.ndarray, duration: float
) -> float:
    r"""Return what motors add to the normal velocity in a contact, over the approach speed [-].

    The most up to any time in it, NaN: unknown. It is
    :math:`n^T J (M + B)^{-1} [\int (\tau - h - \tau_0) dt + B \Delta\dot q]` with what motors gave
    before the touch as tau_0, less what an error of their inertia makes of it, and torques that are
    up to 2 ms late.

    Args:
        robot: the arm.
        t: times since the touch, shape (k,) [s].
        joints: samples at these times.
        normal: of the surface, outward, base axes, NaN: unknown, shape (3,).
        duration: of the contact, NaN: unknown [s].
    """
    steady = (t >= STEADY[0]) & (t <= STEADY[1])
    inside = (t >= STEADY[1]) & (t <= duration)
    known = np.isfinite(normal).all() and np.isfinite(joints.tau[steady | inside]).all()
    if not known or min(steady.sum(), inside.sum()) < FEW:
        return float("nan")
    dynamics = ArmDynamics(robot)
    net, before = (_beyond_gravity(dynamics, joints, part) for part in (inside, steady))
    steps = np.diff(t[inside])[:, None]
    given = (0.5 * steps * (net[1:] + net[:-1] - 2.0 * before.mean(axis=0))).cumsum(axis=0)
    state, motors = dynamics(joints.q[inside][0], joints.dq[inside][0]), _motor_inertia(robot)
    effect = np.linalg.solve(state.M + np.diag(motors), normal @ state.J[:3])
    added, rates = [], np.gradient(joints.dq[inside] @ (motors * effect), t[inside])
    for speeds in _motor_speeds(robot, t, joints):
        turned = motors * (speeds[inside][1:] - speeds[inside][0])
        unsure = MOTOR_ERROR * np.linalg.norm(effect * turned, axis=1)
        unsure += LATE * np.abs(rates).max()
        added.append(float((np.abs((given + turned) @ effect) - unsure).max()))
    speed = -float(normal @ state.velocity)
    return max(0.0, min(added)) / speed if speed > 0.0 else float("nan")


def _motor_speeds(robot: Robot, t: np.ndarray, joints: JointRecord) -> list[np.ndarray]:
    """Return how motors may turn, (k, n) each [rad/s]: as joints do, or as springs between let."""
    stiffness = robot.joint_stiffness
    if not (np.isfinite(stiffness).all() and (stiffness > 0.0).all()):
        return [joints.dq]
    return [joints.dq, joints.dq + np.gradient(joints.tau, t, axis=0) / stiffness]


def _beyond_gravity(dynamics: ArmDynamics, joints: JointRecord, part: np.ndarray) -> np.ndarray:
    """Return torques less those of gravity and speed, of a part of the samples, (k, n) [N.m]."""
    rows = zip(joints.q[part], joints.dq[part], joints.tau[part], strict=True)
    return np.array([tau - dynamics(q, dq).h for q, dq, tau in rows])


def _slopes(t: np.ndarray, joints: JointRecord, part: np.ndarray) -> np.ndarray:
    """Return the mean accelerations in a part of the samples, shape (n,) [rad/s^2]."""
    return np.asarray(np.polyfit(t[part], joints.dq[part], 1)[0])


def _excess(
    dynamics: ArmDynamics,
    t: np.ndarray,
    joints: JointRecord,
    part: np.ndarray,
    noise: np.ndarray,
) -> np.ndarray:
    """Return the torque beyond what an arm that coasts may show, 0 or less: none, (n,) [N.m]."""
    q, dq, tau = (column[part] for column in (joints.q, joints.dq, joints.tau))
    speed = dq.mean(axis=0)
    state = dynamics(q.mean(axis=0), speed)
    inertia = state.M + np.diag(_motor_inertia(dynamics.robot))
    braking, pushing = _allowed(dynamics.robot.limits.torque, state.g)
    needed = inertia @ _slopes(t, joints, part) + state.h - state.g
    slope_std = noise / np.sqrt(np.square(t[part] - t[part].mean()).sum())
    unsure = SIGMAS * np.sqrt(inertia**2 @ slope_std**2)
    one_way = np.where((dq > 0.0).all(axis=0) | (dq < 0.0).all(axis=0), speed, 0.0)
    excess = _beyond(needed, one_way, braking, pushing) - unsure
    if not np.isfinite(tau).all():
        return excess
    given = _beyond_gravity(dynamics, joints, part).mean(axis=0)
    return np.minimum(excess, _beyond(given, one_way, braking, pushing))


def _motor_inertia(robot: Robot) -> np.ndarray:
    """Return the apparent motor inertia, zero if nobody knows it, shape (n,) [kg.m^2]."""
    inertias = robot.motor_inertias
    return inertias.get("M+B_theta", inertias["M"])


def _allowed(limit: np.ndarray, gravity: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return which torque may brake a joint and which push it along, (n,) each [N.m]."""
    limit = np.where(np.isfinite(limit), limit, np.inf)
    wrong = GRAVITY_SHARE * np.abs(gravity)
    return FRICTION_SHARE * limit + wrong, PUSH_SHARE * limit + wrong


def _beyond(
    torque: np.ndarray, speed: np.ndarray, braking: np.ndarray, pushing: np.ndarray
) -> np.ndarray:
    """Return by how much torques (n,) exceed what is allowed in their direction [N.m].

    Friction of a joint that turns around (``speed`` 0) may act either way.
    """
    along = (torque * speed > 0.0) & (np.abs(speed) > REST)
    return np.asarray(np.abs(torque) - np.where(along, pushing, braking))
