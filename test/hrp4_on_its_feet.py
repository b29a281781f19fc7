# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""HRP-4 about to grab a box, for tests: palms flat beside it."""

from functools import cache

import numpy as np
import pinocchio as pin

from impact_robots import load_robot
from impact_robots.task.stance import Stance, StanceSolver
from impact_sim.humanoid.layout import HumanoidLayout, servos_of
from impact_sim.humanoid.plant import HumanoidPlant

SOLES = {"left_sole": 0.0875, "right_sole": -0.0875}
PALMS = {"left_palm": 1.0, "right_palm": -1.0}
FORWARD = pin.SE3(np.array([[0, 0, -1.0], [0, 1, 0], [1, 0, 0]]), np.zeros(3))  # of a wrist


@cache
def hrp4():
    return load_robot("hrp4")


@cache
def grabbing(half_width=0.2):
    """Position with the palms' points at y +- half_width, in front of the chest."""
    robot = hrp4()
    start = robot.positions(robot.stance)
    start[2] = 0.74
    for side in "LR":
        for name, angle in (("HIP_P", -0.52), ("KNEE_P", 0.74), ("ANKLE_P", -0.22)):
            start[7 + robot.joint_names.index(f"{side}_{name}")] = angle
    contacts = {
        name: pin.SE3(np.eye(3), np.array([0.015, y, 0.0])) for name, y in SOLES.items()
    } | {
        name: pin.SE3(FORWARD.rotation, np.array([0.4, side * half_width, 0.93]))
        for name, side in PALMS.items()
    }
    solver = StanceSolver(robot, start)
    return solver.solve(start, Stance(contacts, np.array([0.012, 0.0])))


def standing(half_width=0.2, **changes):
    """A plant in which HRP-4 stands."""
    robot = hrp4()
    plant = HumanoidPlant(HumanoidLayout(robot, servos_of(robot), **changes))
    plant.reset(grabbing(half_width))
    return plant
