# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Computation time of joint loads: one impact, and the worst case over the ranges, in turns.

Beside them the same equations in plain numpy and tiny explicit steps, as the tests have them. Run
it with ``./impact bench joint_load``.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
from side_by_side import times

from impact_predictor.joint_load.elastic_arm import elastic_arm
from impact_predictor.joint_load.load import RigidLaw, joint_load, load_contact
from impact_predictor.joint_load.load_case import viscoelastic
from impact_predictor.joint_load.load_limits import load_limits
from impact_predictor.joint_load.worst_load import LoadSearch
from impact_robots import ArmDynamics, Surface, load_robot
from impact_robots.description.joint_ranges import ANNOUNCED, NOMINAL

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "test"))
from joint_load_reference import reference_load

ROBOT = load_robot("panda")
Q = np.array([0.2, -0.01, 0.56, -1.59, -1.76, 2.57, -2.02])
WALL = Surface(None, [-1.0, 0.0, 0.0], (0.0, 0.279), (0.02, 0.3), (1e5, 1e7))
ANY = Surface(None, [-1.0, 0.0, 0.0], (0.0, 0.279), (0.02, 0.3))
HEAD_ON = np.array([0.0, 0.0, -0.1])
LAWS = {
    "soft, 1e5 N/m": viscoelastic(1e5, 0.3, 0.1),
    "hard, 1e7 N/m": viscoelastic(1e7, 0.3, 0.1),
    "hard and plastic": viscoelastic(1e7, 0.02, 0.1),
    "rigid": RigidLaw(0.3),
}


def measure() -> dict[str, float]:
    """Return all figures; times in milliseconds."""
    point = ArmDynamics(ROBOT)(Q, np.zeros(7))
    arm, limits = elastic_arm(ROBOT, point.robot_state), load_limits(ROBOT, point.g)
    works = {}
    for name, law in LAWS.items():
        contact = load_contact(point, WALL.rotation, law, 0.279, HEAD_ON)
        works[f"one impact, {name}"] = lambda contact=contact: joint_load(arm, [contact])
    for name, surface in (("1e5 to 1e7 N/m", WALL), ("any stiffness", ANY)):
        for joints in (NOMINAL, ANNOUNCED):
            search = LoadSearch(ROBOT, surface, joints=joints)
            works[f"worst of {joints} joints, {name}"] = lambda search=search: search.worst(
                point, limits
            )
    taken = times(works, rounds=30, calls=1)
    hard = load_contact(point, WALL.rotation, LAWS["hard, 1e7 N/m"], 0.279, HEAD_ON)
    plain = times(
        {"plain": lambda: reference_load(ROBOT, point.M, [hard], 0.03, step=1e-5)},
        rounds=3,
        calls=1,
    )["plain"]
    figures = {f"{name} [ms]": 1e3 * seconds for name, seconds in taken.items()}
    figures["the same in plain numpy, 10 us steps [ms]"] = 1e3 * plain
    figures["plain / compiled"] = plain / taken["one impact, hard, 1e7 N/m"]
    return figures
