# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Controller and detector in a control loop of one's own: python examples/own_loop.py.

The simulated arm stands for a driver that takes torques without gravity, once a millisecond.
"""

from impact_detector import FusedDetector, JointSample
from impact_qp import Contact, ImpactController, Phase, Plan
from impact_qp.control.guarded import GuardedController
from impact_robots import load_robot
from impact_sim import Simulation, load_scenario
from impact_sim.simulation import START_NS

robot, scenario = load_robot("panda"), load_scenario("qp_panda_demo")
arm = Simulation(robot, scenario.wall(robot), seed=0)  # replace this by your driver
measured = arm.reset(scenario.start(robot))

contact = Contact(
    scenario.surface_point(robot),
    normal=[-1, 0, 0],
    friction=(0.0, 0.3),
    restitution=(0.0, 0.3),
    stiffness=(1e5, 1e6),
)
plan = Plan(contact, "joint_load", speed=0.5, speed_cap=0.2)
plan.prepare(robot)  # compiles, which must not happen in the loop
controller = GuardedController(ImpactController(robot, plan, period=1e-3))
detector, phase, fastest = FusedDetector(robot), None, 0.0

while phase is not Phase.HOLD:
    time = START_NS + measured.time_ns  # stamp of the state [ns]
    verdict = detector.update(JointSample(time, measured.q, measured.dq, measured.tau))
    command = controller.cycle(
        time, measured.q, measured.dq, impact=verdict.impact, ready=verdict.ready
    )
    if command is None:  # a driver sends what controller.settle() yields, and ends
        raise SystemExit(controller.fault)
    if command.phase is not phase:
        phase = command.phase
        print(f"{measured.time:.3f} s: {phase.value}")
    if phase is Phase.APPROACH:
        fastest = max(fastest, -command.normal_speed)
    measured = arm.step(command.driver_torque)
print(f"approached at {fastest:.3f} m/s at most, then contact")
