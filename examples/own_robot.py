# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""An impact of an arm that is known by its URDF alone: python examples/own_robot.py URDF."""

import sys

import numpy as np

from impact_predictor import predict
from impact_robots import ArmDynamics, Surface, robot_from_urdf

robot = robot_from_urdf(sys.argv[1], apparent_motor_inertia=0.1)  # B_theta of the joints [kg.m^2]
print(f"{robot.name}: {robot.dof} joints, hits with {robot.contact_frame}")
print("not in the URDF:", ", ".join(robot.assumed))

q = np.clip(0.5, robot.limits.position_lower, robot.limits.position_upper)
dynamics = ArmDynamics(robot)
J = dynamics(q, np.zeros(robot.dof)).J[:3]
state = dynamics(q, np.linalg.pinv(J) @ [0, 0, -0.1])  # 0.1 m/s downwards
floor = Surface(state.position, normal=[0, 0, 1], friction=0.4, restitution=0.1)
for inertia in ("M", "M+B_theta"):  # joints that swing freely, and joints under a torque loop
    result = predict(state, floor, robot, inertia=inertia)
    print(f"{inertia}: normal impulse {result.impulse[2]:.3f} N.s")
