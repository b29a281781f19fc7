# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Recordings of a Panda with flexible joints that coasts into a wall, in the plant."""

from __future__ import annotations

from functools import cache

import numpy as np
from coasting_hit import coasting_hit
from struck_arm import STEP, Record

from impact_predictor.joint_load.load_case import viscoelastic
from impact_robots import Surface, load_robot

NORMAL = (-1.0, 0.0, 0.0)  # of the wall
POSES = (
    (0.0, 0.0, 0.0, -2.094, 0.0, 2.094, 0.0),
    (0.3, -0.6, 0.2, -2.2, 0.5, 2.0, 0.3),
    (0.5, 0.0, 0.3, -2.0, 0.9, 2.4, -0.3),
)
SCALE = np.array([1.2, 0.8, 0.95])[:, None] * np.ones(7)  # stiffness, damping, motors of the arm
SPEED, FRICTION, STIFFNESS, RESTITUTION = 0.1, 0.25, 4e5, 0.3
BEFORE = 0.3  # the contact a recording begins [s]


@cache
def flexible_hit(number: int) -> Record:
    """Return what the sensors record of one of the hits; its arm is not quite the nominal one."""
    robot, normal = load_robot("panda"), np.array(NORMAL)
    arm = robot.with_joints(SCALE)
    hit = coasting_hit(
        robot,
        np.array(POSES[number]),
        Surface(None, normal, FRICTION),
        SPEED,
        viscoelastic(STIFFNESS, RESTITUTION, SPEED),
        arm=arm,
        before=BEFORE,
        after=0.25,
        seed=number,
    )
    time = hit.time + BEFORE
    force_t = np.arange(0.0, time[-1], STEP)
    columns = [np.interp(force_t, hit.force_time + BEFORE, column) for column in hit.force.T]
    return Record(
        time,
        hit.position,
        hit.velocity,
        hit.torque,
        force_t,
        np.array(columns).T,
        BEFORE,
        np.full(3, np.nan),
        np.nan,
        SPEED,
    )
