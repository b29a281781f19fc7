# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""The governor in a velocity loop of your own, without ROS: python examples/governed_loop.py.

The loop has the form of libfranka's: read a state once, write a command once, each millisecond. In
a loop in the form of franky's, which sends a motion from time to time, `cap` comes before `move`
in the same way (doc/governor.md).
"""

import numpy as np

from impact_qp import Contact
from impact_qp.governor import Governor, MeasuredState
from impact_robots import ArmDynamics, load_robot
from impact_robots.kinematics import inverse_kinematics

robot = load_robot("panda")
q_impact = np.array([0.2, -0.01, 0.56, -1.59, -1.76, 2.57, -2.02])  # [rad]
point, normal = ArmDynamics(robot).position(q_impact), np.array([-1.0, 0.0, 0.0])
wall = Contact(point, normal, friction=(0, 0.3), restitution=(0, 0.3))


class Arm:
    """A stand-in for the driver: joints follow velocities within 10 ms, and stop at the wall."""

    def __init__(self):
        self.q, self.dq, self.k = inverse_kinematics(robot, q_impact, 0.15 * normal), np.zeros(7), 0

    def read_once(self):
        """Return the state of this millisecond."""
        return MeasuredState(self.k * 1_000_000, self.q, self.dq)

    def write_once(self, velocities):
        """Send joint velocities (7,) [rad/s]."""
        self.dq = self.dq + 0.1 * (velocities - self.dq)
        self.q, self.k = self.q + 1e-3 * self.dq, self.k + 1


def my_controller(q):
    """Return joint velocities, (7,) [rad/s]: straight ahead at 0.5 m/s, whatever is there."""
    jacobian = ArmDynamics(robot)(q, np.zeros(7)).J
    return np.linalg.pinv(jacobian) @ np.append(-0.5 * normal, np.zeros(3))


arm = Arm()
governor = Governor(robot, {"wall": wall}, interface="velocity", anywhere_speed=0.3)
if refusal := governor.refusal(arm.read_once()):
    raise SystemExit(refusal)
reason = ""
while True:
    state = arm.read_once()
    capped = governor.cap(state, my_controller(state.q))
    if capped.gap <= 0.0:
        break
    if governor.fault:  # a state jumped, or the arm moves faster than commanded
        raise SystemExit(f"stopped: {governor.fault}")
    if capped.reason != reason:
        reason = capped.reason
        print(f"{arm.k} ms, factor {capped.factor:.2f}: {reason or 'passed on'}")
    arm.write_once(capped.values)
    governor.catch_up()  # deferred work of impact limits, after the command was sent
print(f"contact at {-capped.normal_speed:.3f} m/s, bound {capped.bound:.3f} m/s")
