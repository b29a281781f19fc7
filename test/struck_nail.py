# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""A Panda whose hammer meets a nail or a stop at a speed."""

from dataclasses import replace

import numpy as np

from impact_predictor.strike.strike_case import NailCase
from impact_predictor.strike.striker import Striker
from impact_robots import Surface
from impact_robots.tools.tool import Tool
from impact_sim.arm.hammer_simulation import HammerSimulation
from impact_sim.driver.sensors import NO_NOISE
from impact_sim.plant.compliant_wall import CompliantWall

Q = np.array([0.2147, 0.0538, -0.2143, -2.3784, 0.0175, 2.4309, 0.0])  # rad, flange downwards
RIGID = Tool((0.0, 0.0, 0.12), (0.0, 0.0, 1.0), (0.3, 0.3), adapter_mass=0.1, adapter=(0, 0, 0.03))
HAMMER = replace(RIGID, stiffness=(3e4, 3e4))
NAIL = NailCase(3e6, 200.0)


def towards(striker, speed):
    """Joint velocities with which the head moves along the strike, of least kinetic energy."""
    point, along = striker.point(striker.tool.nominal.mass), striker.direction
    M = point.robot_state.inertia(striker.robot.apparent_motor_inertia)
    easy = np.linalg.solve(M, point.J[:3].T)
    return easy @ np.linalg.solve(point.J[:3] @ easy, speed * along)


def no_torque(_cycle, measured):
    """Command gravity alone, which the driver adds."""
    return np.zeros(len(measured.q))


def straight(striker, speed):
    """Joint velocities with which the head moves along the strike and does not turn."""
    J = striker.point(striker.tool.nominal.mass).J
    return np.linalg.pinv(J) @ np.append(speed * striker.direction, np.zeros(3))


def struck(robot, tool, speed, target=NAIL, tail=100, command=no_torque, moves=towards, q=Q):
    """Let the head meet a nail or a stop at a speed; returns striker, simulation and forces.

    Each cycle is answered by a command of its number and the measurement before it. ``moves``
    gives the joint velocities of the strike at ``q``.
    """
    striker = Striker(robot, tool, q)
    point, along = striker.point(tool.nominal.mass), striker.direction
    wall = CompliantWall(Surface(point.position + 1e-6 * along, -along, 0.0), target.law(speed))
    simulation = HammerSimulation(robot, tool, tool.nominal, wall, noise=NO_NOISE)
    simulation.plant.window = striker.window
    measured, forces = simulation.reset(q, moves(striker, speed)), []
    for cycle in range(tail):
        measured = simulation.step(command(cycle, measured))
        forces.append(measured.forces @ -along)
    return striker, simulation, np.concatenate(forces)
