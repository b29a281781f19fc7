# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Robot cells for tests: an arm about to push a box on a table, two about to grab one."""

from functools import cache

import numpy as np

from impact_robots import ArmDynamics, load_robot
from impact_robots.cell import RobotCell
from impact_sim.cell.cell_plant import CellPlant
from impact_sim.cell.layout import BoxObject, CellLayout, Support

# Of the scenarios rs_push_catfood_case2 and rs_grab_catfood_case1: plates flat on the box's faces.
PUSH = np.array([0.4, 0.4904, 0.0958, -1.8512, -1.2484, 1.1998, -0.7298])
GRAB = (
    np.array([-0.3, 0.2826, -0.0534, -2.1699, -1.8376, 1.8026, -0.6557]),
    np.array([0.3, 0.2826, 0.0534, -2.1699, 1.8376, 1.8026, 0.6557]),
)
CATFOOD = BoxObject((0.26, 0.16, 0.2), 1.3, (0.55, -0.03, 0.3))
ONE = RobotCell.of("panda_plate", ((0.0, 0.0, 0.0),))
TWO = RobotCell.of("panda_plate", ((0.0, 0.45, 0.0), (0.0, -0.45, 0.0)))


@cache
def plate_robot():
    return load_robot("panda_plate")


def joint_velocity(q, velocity):
    """Joint velocities that move the plate with ``velocity`` and do not turn it."""
    J = ArmDynamics(plate_robot())(q, np.zeros(7)).J
    return np.linalg.pinv(J) @ np.append(velocity, np.zeros(3))


def push_cell(box=CATFOOD, **changes):
    return CellPlant(CellLayout(ONE, box=box, support=Support(0.2), **changes))


def grab_cell(**changes):
    box = BoxObject((0.26, 0.16, 0.2), 1.3, (0.5, 0.0, 0.3))
    support = Support(0.2, half=(0.09, 0.06), centre=(0.5, 0.0))
    return CellPlant(CellLayout(TWO, box=box, support=support, **changes))


def away(q, velocity, distance):
    """Positions that lie ``distance`` before ``q`` on the way with ``velocity``."""
    return q - joint_velocity(q, velocity) * distance / np.linalg.norm(velocity)
