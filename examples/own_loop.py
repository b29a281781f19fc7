# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Controller and detector in your own loop, without ROS: python examples/own_loop.py."""

import numpy as np

from impact_detector import JointSample
from impact_detector.parameters import DetectorParameters, session_for
from impact_qp import Contact, ImpactController, Phase, Plan
from impact_qp.control.guarded import GuardedController
from impact_robots import ArmDynamics, Surface, load_robot
from impact_robots.kinematics import inverse_kinematics
from impact_sim import CompliantWall, Simulation
from impact_sim.layered_law import wall_law

robot = load_robot("panda")
q_impact = np.array([0.2, -0.01, 0.56, -1.59, -1.76, 2.57, -2.02])  # [rad]
point, normal = ArmDynamics(robot).position(q_impact), np.array([-1.0, 0.0, 0.0])
start = inverse_kinematics(robot, q_impact, 0.05 * normal)  # 5 cm in front of the wall

# A simulated arm replaces your own: both return q, dq, tau and take torques once a millisecond.
wall = CompliantWall(
    Surface(point, normal, friction=0.25), wall_law({"model": "visco", "k": 1.2e5, "c": 5e6})
)
arm = Simulation(robot, wall)
measured = arm.reset(start)

contact = Contact(point, normal, friction=(0, 0.3), restitution=(0, 0.3), stiffness=(1e5, 1e6))
controller = GuardedController(ImpactController(robot, Plan(contact, "joint_load", speed=0.3)))
detector = session_for(DetectorParameters(detectors=("momentum",), reference="model"), robot)
phase, top = None, 0.0
while phase is not Phase.HOLD:
    sample = JointSample(arm.time_ns, measured.q, measured.dq, measured.tau)
    (status,) = detector.add_state(sample).statuses
    command = controller.cycle(
        sample.time, sample.q, sample.dq, impact=status.impact, ready=status.ready
    )
    if command is None:  # a state jumped, or a command was rejected: the arm's brake takes over
        raise SystemExit(f"stopped: {controller.fault}")
    if command.phase is not phase:
        phase = command.phase
        print(f"{measured.time:.3f} s {phase.name}")
    top = max(top, -command.normal_speed)
    measured = arm.step(command.driver_torque)
print(f"fastest {top:.3f} m/s")
