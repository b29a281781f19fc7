# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""The highest safe speed of your own arm: python examples/own_robot.py ARM.yaml.

`./impact robot ARM.urdf --out ARM.yaml` writes the YAML: links, joints and limits of the URDF, the
values of options (such as --b-theta, the motor inertia), and marked assumptions.
"""

import sys

import numpy as np

from impact_predictor import predict
from impact_qp import Contact, Plan
from impact_qp.planning import safe_speed
from impact_robots import ArmDynamics, load_robot

if len(sys.argv) != 2:
    sys.exit(__doc__)
robot = load_robot(sys.argv[1])
if robot.assumed:
    print("assumed:", ", ".join(robot.assumed))
dynamics, q = ArmDynamics(robot), robot.stance
rest = dynamics(q, np.zeros(robot.dof))
contact = Contact(rest.position, [-1, 0, 0], friction=(0, 0.3), restitution=(0, 0.3))
bound = safe_speed(robot, Plan(contact, "robust").impact_limit(robot, 0.0), q).bound
print(f"{robot.name}: safe up to {bound.speed:.3f} m/s, limited by {bound.name}")

dq = np.linalg.pinv(rest.J) @ np.append(-bound.speed * contact.normal, np.zeros(3))
after = predict(dynamics(q, dq), contact, robot).dq_after
for name, value in zip(robot.joint_names, after, strict=True):
    print(f"  {name}: {value:+.3f} rad/s after a hit at that speed")
