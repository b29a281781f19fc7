# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Hits of a known wall and arm with sensor noise, and the fraction of the limits at their speed."""

import numpy as np

from impact_predictor.joint_load.elastic_arm import elastic_arm
from impact_predictor.joint_load.load import joint_load
from impact_predictor.joint_load.load_limits import load_limits
from impact_predictor.joint_load.motion_records import TICK
from impact_predictor.recorded_hit import RecordedHit
from impact_robots import ArmDynamics, Surface

POSE = np.array([0.3, -0.6, 0.2, -2.2, 0.5, 2.0, 0.3])
NORMAL = np.array([-1.0, 0.0, 0.0])
WALL = Surface(None, NORMAL, (0.0, 0.5), (0.02, 0.6), (1e4, 1e7))
NOISE = 0.08, 1e-5, 4e-3  # of torque [N.m], position [rad], velocity [rad/s], as a Panda's
ACCELERATION = 0.2  # of every joint before the hit and without it [rad/s^2]


def drawn(box, seed):
    """Figures anywhere in a box."""
    return np.random.default_rng(seed).uniform(box.low, box.high)


def known_point(robot):
    """The contact point where it hits."""
    return ArmDynamics(robot)(POSE, np.zeros(robot.dof))


def struck(box, figures, speed, seed, *, command=None):
    """A hit of the wall with these figures; sampled at 1 kHz, its touch up to 1 ms off."""
    robot, random = box.robot, np.random.default_rng(seed)
    point, case = known_point(robot), box.case(figures)
    dq = np.linalg.pinv(point.J) @ np.append(-speed * NORMAL, np.zeros(3))
    arm = elastic_arm(robot, point.robot_state).scaled(case.scale)
    contact = case.contact(arm.M_inverse, point.J[:3], -speed * NORMAL)
    time = 1e-3 * np.arange(-60, 25)
    late = random.uniform(-1e-3, 1e-3)
    since = time - late
    sent = np.zeros((len(time), robot.dof)) if command is None else command(since)
    ticks = TICK * np.arange(100)
    changes = np.zeros((1, robot.dof)) if command is None else command(ticks)
    history = joint_load(arm, [contact], command=changes, with_history=True).history
    free = {
        "torque": point.g + 0.0 * since[:, None],
        "position": POSE + np.outer(since, dq) + ACCELERATION / 2 * since[:, None] ** 2,
        "velocity": dq + ACCELERATION * since[:, None],
    }
    impact = {"torque": history.load, "position": history.position, "velocity": history.velocity}
    found = {}
    for (name, before), noise in zip(free.items(), NOISE, strict=True):
        felt = [np.interp(since, history.time, each, left=0.0) for each in impact[name].T]
        found[name] = before + np.transpose(felt) + noise * random.standard_normal(before.shape)
    return RecordedHit(time, **found, command=None if command is None else sent)


def used(box, figures, speed, point=None):
    """What a hit of this speed uses of the limit that is used most."""
    point, case = point or known_point(box.robot), box.case(figures)
    arm = elastic_arm(box.robot, point.robot_state).scaled(case.scale)
    contact = case.contact(arm.M_inverse, point.J[:3], -speed * NORMAL)
    return load_limits(box.robot, point.g).used(joint_load(arm, [contact])).max()


def place(box, figures):
    """The unknowns of figures, -1 to 1."""
    low, high = box.low[box.free], box.high[box.free]
    return 2.0 * (figures[box.free] - low) / (high - low) - 1.0
