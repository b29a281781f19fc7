# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""What an impact will do to an arm: python examples/predict.py."""

import numpy as np

from impact_predictor import predict
from impact_robots import ArmDynamics, Surface, load_robot

robot = load_robot("panda")
dynamics = ArmDynamics(robot)
at_rest = dynamics(robot.stance, np.zeros(robot.dof))
dq = np.linalg.pinv(at_rest.J) @ [0.1, 0, 0, 0, 0, 0]  # the tool moves along x at 0.1 m/s
state = dynamics(robot.stance, dq)
wall = Surface(state.position, normal=[-1, 0, 0], friction=0.3, restitution=0.2)
result = predict(state, wall, robot)
print(f"normal impulse {result.impulse[2]:.3f} N.s, effective mass {result.effective_mass:.2f} kg")
print("joint velocities after the impact [rad/s]:", np.round(result.dq_after, 3) + 0.0)
