# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Simulated landings of Cassie, in the form of the recorded ones."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from scipy.optimize import brentq

from impact_analysis.landings.cassie_landing_file import JOINTS, PERIOD
from impact_robots import ArmDynamics, Robot, floating_position, floating_velocity, loop_errors
from impact_robots.description.floating_base import base_turned
from impact_sim.floating.floor import Floor
from impact_sim.floating.motion import SimulatedMotion, simulate_motion

SAMPLES = 100
ROLL = -0.12  # of the base [rad]
FLOOR = Floor(height=0.004, friction=0.8)


def standing(robot: Robot, lift: float) -> np.ndarray:
    """Return q of a robot whose rods are closed, its left sole level and ``lift`` up [m].

    The right one is 3 cm higher, so the feet hit one after the other.
    """
    dynamics, v = ArmDynamics(robot), np.zeros(robot.nv)

    def posture(ankle: float, toe: float, height: float = 1.0) -> np.ndarray:
        angles = {"hip_pitch": 0.5, "knee": -1.2, "toe": toe, "ankle_joint": ankle}
        joints = [angles.get(name.rsplit("_", 1)[0], 0.0) for name in robot.joint_names]
        return floating_position([0.0, 0.0, height], [ROLL / 2, 0.0, 0.0, 1.0], joints)

    def gap(ankle: float) -> float:
        return float(loop_errors(robot.loops, dynamics.state(posture(ankle, 0.0), v))[0])

    def tilt(toe: float) -> float:
        state = dynamics.state(posture(ankle, toe), v)
        return float(state.at("left_front").position[2] - state.at("left_rear").position[2])

    ankle = brentq(gap, 0.9, 2.4, xtol=1e-12)
    toe = brentq(tilt, -2.3, -0.9, xtol=1e-12)
    sole = dynamics.state(posture(ankle, toe), v).at("left_front").position[2]
    return posture(ankle, toe, 1.0 - sole + lift)


def landed(robot: Robot, inertia: str = "M+B_rho", fall: float = -0.9) -> SimulatedMotion:
    """Return the motion of a robot that falls 8 mm at a given speed, its motors off."""
    q = standing(robot, FLOOR.height + 0.008)
    v = floating_velocity(q, [0.0, 0.0, fall], np.zeros(3), np.zeros(robot.dof))
    off = np.zeros((SAMPLES, robot.dof))
    motors = robot.motor_inertias[inertia]
    return simulate_motion(robot, (q, v), off, PERIOD, FLOOR, motor_inertia=motors)


def write(path: Path, robot: Robot, motion: SimulatedMotion) -> Path:
    """Write a landing as the data set has them."""
    order = [robot.joint_names.index(name) for name in JOINTS]
    x = np.zeros((len(motion.q), 45))
    for row, q, v in zip(x, motion.q, motion.v, strict=True):
        R = base_turned(q)
        row[:7] = [q[6], *q[3:6], *q[:3]]
        row[7:23] = q[7:][order]
        row[23:29] = [*(R @ v[3:6]), *(R @ v[:3])]
        row[29:] = v[6:][order]
    t = PERIOD * np.arange(len(x))
    np.savez(path, t=t, x=x, u=np.zeros((len(x), 10)))
    return path
