# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Joint torques in simulated impacts, by the model of joint loads and by the published formula.

The arm flies into the wall with gravity compensation alone, at drawn poses and surfaces.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from impact_predictor.inertia.impulse_maps import joint_torque_map
from impact_predictor.joint_load.elastic_arm import elastic_arm
from impact_predictor.joint_load.load import DURATION, joint_load, load_contact
from impact_predictor.joint_load.load_case import LoadCase, viscoelastic
from impact_robots import Robot
from impact_sim.arm.direct_run import direct_run
from impact_sim.arm.loaded_plant import LoadedPlant
from impact_sim.arm.passive_impact import GAP, gravity_compensation
from studies.joint_loads.load_poses import WallPose, draw_case, moving, wall_at

SPEEDS = (0.05, 0.5)  # lowest and highest, drawn uniformly [m/s]


class PassiveImpact(NamedTuple):
    """One impact; arrays of shape (n,), largest changes of torque [N.m]."""

    case: LoadCase  # joints as they are known
    speed: float  # [m/s]
    measured: np.ndarray  # measured at the plant's joints
    model: np.ndarray  # by those of the model of joint loads
    formula: np.ndarray  # a/delta_t J^T iota of the plant's impulse
    limit: np.ndarray  # of the change

    @property
    def joint(self) -> int:
        """The joint that feels most of its limit, an index."""
        return self.worst(self.measured)[0]

    @property
    def error(self) -> float:
        """Of the model's largest load over its limit, relative [-]."""
        return self.worst(self.model)[1] / self.worst(self.measured)[1] - 1.0

    @property
    def formula_share(self) -> float:
        """The formula's largest load over its limit, over the measured one [-]."""
        return self.worst(self.formula)[1] / self.worst(self.measured)[1]

    def worst(self, torque: np.ndarray) -> tuple[int, float]:
        """Return the joint at which a torque (n,) [N.m] is most of its limit, and how much [-]."""
        shares = torque / self.limit
        return int(shares.argmax()), float(shares.max())


def passive_impacts(
    robot: Robot, pose: WallPose, count: int, random: np.random.Generator
) -> list[PassiveImpact]:
    """Return impacts on drawn walls at drawn speeds, by the arm as it is known."""
    known = np.ones((2, 3, robot.dof))
    return [
        passive_impact_at(robot, pose, draw_case(random, known), random.uniform(*SPEEDS))
        for _ in range(count)
    ]


def passive_impact_at(robot: Robot, pose: WallPose, case: LoadCase, speed: float) -> PassiveImpact:
    """Return one impact on the wall of a case, at an approach ``speed`` [m/s]."""
    point, wall = moving(robot, pose, speed), wall_at(pose, case, speed, GAP)
    plant = LoadedPlant(robot, wall)
    plant.reset(point.q, point.dq)
    direct_run(plant, gravity_compensation, after_contact=DURATION)
    law = viscoelastic(case.stiffness, case.restitution, speed)
    contact = load_contact(point, wall.surface.rotation, law, case.friction)
    predicted = joint_load(elastic_arm(robot, point.robot_state), [contact])
    torques = joint_torque_map(contact.J)
    return PassiveImpact(
        case,
        speed,
        plant.load.change,
        predicted.change,
        np.abs(torques @ plant.load.impulse[0]),
        robot.limits.impulsive_torque,
    )
