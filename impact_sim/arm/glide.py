# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""An arm that is accelerated and released before it hits, as in Rey Arias 2024.

There (section IV) a force moves the arm until shortly before the contact, then only gravity is
compensated. The force is not published; here computed torque accelerates some joints to the
velocities that give the requested motion of the contact point.
"""

from __future__ import annotations

import numpy as np

from impact_robots.dynamics import ArmDynamics
from impact_robots.kinematics import inverse_kinematics
from impact_robots.robot import Robot
from impact_robots.state.contact_frame import contact_rotation
from impact_sim.arm.computed_torque import ComputedTorque, TorqueCommand
from impact_sim.scenarios import Scenario

RAMP = 0.3  # from rest to the velocity of the approach [s]
CRUISE = 0.1  # at that velocity [s]
RELEASE_BEFORE = 0.01  # before the contact [s]


class Glide:
    """A motion through the impact's configuration, straight in joint space; then no command."""

    def __init__(self, robot: Robot, scenario: Scenario, shift: np.ndarray) -> None:
        """Plan the motion.

        Args:
            robot: the arm.
            scenario: with ``approach``: ``direction`` of the contact point, base axes, and
                ``joints``, from 1, that move.
            shift: of the contact in contact axes: sideways, and how much further away the arm
                starts, shape (3,) [m].
        """
        sideways = contact_rotation(scenario.normal) @ np.array([*shift[:2], 0.0])
        self._target = inverse_kinematics(robot, np.array(scenario.q_impact), sideways)
        moving = np.array(scenario.approach["joints"]) - 1
        direction = np.array(scenario.approach["direction"], dtype=float)
        velocity = scenario.reference_speed * direction / np.linalg.norm(direction)
        state = ArmDynamics(robot)(self._target, np.zeros(robot.dof))
        self._dq = np.zeros(robot.dof)
        self._dq[moving] = np.linalg.pinv(state.J[:3, moving]) @ velocity
        further = float(shift[2]) / scenario.reference_speed
        self._contact = RAMP + CRUISE + further
        self._dynamics, self.robot = ArmDynamics(robot), robot
        self._control = ComputedTorque(robot)

    @property
    def start(self) -> np.ndarray:
        """Configuration at rest before the motion, shape (n,) [rad]."""
        return self.reference(0.0)[0]

    def reference(self, time: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return positions, velocities and accelerations at a time [s], each of shape (n,)."""
        x = min(time / RAMP, 1.0)
        way = RAMP * (x**3 - 0.5 * x**4) + max(0.0, time - RAMP)  # in seconds at full velocity
        speed = 3.0 * x**2 - 2.0 * x**3
        change = 6.0 * (x - x**2) / RAMP
        left = RAMP / 2 + (self._contact - RAMP) - way
        return self._target - self._dq * left, speed * self._dq, change * self._dq

    def command(self, time: float, q: np.ndarray, dq: np.ndarray) -> TorqueCommand:
        """Return the command for a measured state, gravity's torque alone once released."""
        if time < self._contact - RELEASE_BEFORE:
            return self._control(q, dq, self.reference(time))
        state = self._dynamics(q, dq)
        inertia = state.M + np.diag(self.robot.apparent_motor_inertia)
        ddq = np.linalg.solve(inertia, state.g - state.h)
        compensated = state.g if self.robot.driver_compensates_gravity else 0.0
        return TorqueCommand(state.g - compensated, dq, state.M @ ddq + state.h)
