# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""The driver of one flexible-joint arm: interface, torque loop, sensors."""

from __future__ import annotations

from enum import Enum
from math import isfinite

import numpy as np
import pinocchio as pin

from impact_robots.robot import Robot
from impact_sim.driver.sensors import NoisySensors
from impact_sim.exceptions import SimulationError
from impact_sim.plant.flexible_arm import FlexibleArm
from impact_sim.plant.torque_loop import MotorLoop, TorqueLoop

CYCLE_NS = 1_000_000  # one driver cycle [ns]
# Gain of the velocity interface, closed on the motor side: 100 is unstable at some poses [1/s].
SERVO_RATE = 50.0
POSITION_RATE = 10.0  # gain of the position interface around it [1/s]


class Interface(Enum):
    """The commanded quantity."""

    TORQUE = "torque"
    VELOCITY = "velocity"
    POSITION = "position"


class ArmDriver:
    """Converts commands to motor torques, and the arm's state to sensor readings."""

    def __init__(
        self,
        robot: Robot,
        arm: FlexibleArm,
        sensors: NoisySensors,
        interface: Interface = Interface.TORQUE,
        *,
        torque_loop: bool = True,
    ) -> None:
        """Create the driver; call ``reset`` when the arm is in its place.

        Args:
            robot: model of the arm in its electronics.
            arm: the simulated arm.
            sensors: of the arm.
            interface: the commanded quantity.
            torque_loop: False: the motors apply the desired torque directly.
        """
        self.robot, self.arm, self.sensors, self.interface = robot, arm, sensors, interface
        self.loop: MotorLoop = TorqueLoop(robot, enabled=torque_loop)
        self._work, self._n = robot.model.createData(), robot.dof

    def reset(self) -> None:
        """Set the last command to the present state of the arm."""
        self.loop.reset(self.arm.joint_torque)
        self._position = self.arm.q

    def checked(self, command: np.ndarray) -> np.ndarray:
        """Return a command as an array of shape (n,).

        Raises:
            SimulationError: wrong shape or not finite.
        """
        command = np.asarray(command, dtype=float)
        if command.shape != (self._n,) or not all(map(isfinite, command.tolist())):
            raise SimulationError(f"command: expected {self._n} finite numbers")
        return command

    def desired_torque(self, command: np.ndarray) -> np.ndarray:
        """Return the desired torque of a command, gravity included, shape (n,) [N.m]."""
        if self.interface is Interface.VELOCITY:
            return self.servo_torque(command)
        if self.interface is Interface.POSITION:
            feedforward = (command - self._position) / (CYCLE_NS * 1e-9)
            self._position = command
            return self.servo_torque(feedforward + POSITION_RATE * (command - self.arm.q))
        return command + self.gravity() if self.robot.driver_compensates_gravity else command

    def gravity(self) -> np.ndarray:
        """Return the gravity torque at the present position, shape (n,) [N.m]."""
        torque: np.ndarray = pin.computeGeneralizedGravity(self.robot.model, self._work, self.arm.q)
        return torque

    def servo_torque(self, velocity: np.ndarray) -> np.ndarray:
        """Return the torque of the driver's velocity loop, shape (n,) [N.m]."""
        arm, robot, wanted = self.arm, self.robot, SERVO_RATE * (velocity - self.arm.dtheta)
        links: np.ndarray = pin.rnea(robot.model, self._work, arm.q, arm.dq, wanted)
        return links + robot.apparent_motor_inertia * wanted

    def measured(self, forces: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
        """Return measured positions, velocities and torques, (n,) each, and forces, (m, 3) [N]."""
        n = self._n
        readings = self.sensors.noise(n, forces.size)
        self.arm.sense(forces, readings)
        force = readings[3 * n :].reshape(forces.shape)
        return readings[:n], readings[n : 2 * n], readings[2 * n : 3 * n], force
