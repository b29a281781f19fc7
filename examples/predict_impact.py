# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Predict one impact and its effect on the joints: python examples/predict_impact.py."""

import numpy as np

from impact_predictor import caveats, predict, velocity_interval
from impact_predictor.joint_load.materials import MATERIALS
from impact_robots import ArmDynamics, Surface, load_robot

robot = load_robot("panda")
q = np.array([0.2, -0.01, 0.56, -1.59, -1.76, 2.57, -2.02])  # in front of a wall [rad]
normal = np.array([-1.0, 0.0, 0.0])  # out of the surface, base axes
rest = ArmDynamics(robot)(q, np.zeros(robot.dof))
dq = np.linalg.pinv(rest.J) @ np.append(-0.2 * normal, np.zeros(3))  # 0.2 m/s into the surface
state = ArmDynamics(robot)(q, dq)

steel = MATERIALS["steel"]
surface = Surface(state.position, normal, steel.friction, steel.restitution, steel.stiffness())
for inertia in robot.motor_inertias:  # impact maps: how much of the motors takes part
    prediction = predict(state, surface, robot, inertia=inertia)
    jump = np.degrees(prediction.dq_after - prediction.dq_before)
    impulse = prediction.impulse[2]
    print(f"{inertia:10} {impulse:.3f} N.s, largest jump {np.abs(jump).max():.1f} deg/s")
    print("".join(f"  caveat: {each}\n" for each in caveats(prediction)), end="")
low, high = velocity_interval(state, surface, robot)  # every friction, restitution and inertia
print("joint velocities after, lowest and highest [rad/s]")
for name, least, most in zip(robot.joint_names, low, high, strict=True):
    print(f"  {name}: {least:+.3f} to {most:+.3f}")
