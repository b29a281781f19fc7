# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
r"""A servo-controlled robot: its driver takes a position or velocity at a low rate and holds it.

Its motors are under a servo of their own, without a torque loop:
:math:`\tau_m = K_s(q_d - \theta) - D_s\dot\theta + g(q)`, the servo of doc/theory.md with the
robot's ``servo_stiffness`` and ``servo_damping``. The driver bears gravity by a model, as the
integrators of real servos do after a while. Nothing is known of the next position, so the arm lags
by D_s/K_s, and each new position is a step. A velocity is integrated to positions by the driver.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from impact_robots.robot import Robot
from impact_sim.driver.arm_driver import CYCLE_NS, ArmDriver, Interface
from impact_sim.driver.sensors import NoisySensors
from impact_sim.driver.simulation import Measurement, Simulation
from impact_sim.exceptions import SimulationError
from impact_sim.plant.compliant_wall import CompliantWall
from impact_sim.plant.flexible_arm import FlexibleArm


class PositionServo:
    """The servo of each motor, at 4 kHz; stands where a torque-controlled arm has its loop."""

    def __init__(self, plant: FlexibleArm) -> None:
        """Close the loop on the motors of a plant.

        Raises:
            SimulationError: the robot's YAML does not give stiffness and damping of the servo.
        """
        if plant.robot.servo_stiffness is None or plant.robot.servo_damping is None:
            raise SimulationError(
                f"position driver: robot {plant.robot.name} does not give 'servo_stiffness' and"
                " 'servo_damping'"
            )
        self._plant = plant
        self._stiffness, self._damping = plant.robot.servo_stiffness, plant.robot.servo_damping
        self.gravity = np.zeros(plant.robot.dof)  # that the driver bears, shape (n,) [N.m]
        self.torque = self.gravity  # of the motors in the last period, shape (n,) [N.m]

    def reset(self, joint_torque: np.ndarray) -> None:
        """Start at rest, where the torque in the joints (n,) [N.m] is gravity's."""
        self.gravity = joint_torque.copy()
        self.torque = self.gravity

    def update(self, desired: np.ndarray, _joint_torque: np.ndarray) -> np.ndarray:
        """Return the motors' torques for the next period, shape (n,) [N.m].

        Args:
            desired: positions of the joints under gravity, shape (n,) [rad].
        """
        bent = self.gravity / self._plant.robot.joint_stiffness  # so that the link is there
        ahead = desired + bent - self._plant.theta
        self.torque = self._stiffness * ahead - self._damping * self._plant.dtheta + self.gravity
        return self.torque


class ServoDriver(ArmDriver):
    """Hands positions to the servo as they are; velocities are integrated."""

    def __init__(
        self, robot: Robot, arm: FlexibleArm, sensors: NoisySensors, interface: Interface
    ) -> None:
        """Create the driver, with a servo for a torque loop; arguments as of :class:`ArmDriver`.

        Raises:
            SimulationError: the robot's YAML does not give its servo.
        """
        super().__init__(robot, arm, sensors, interface)
        self.loop = self._servo = PositionServo(arm)

    def desired_torque(self, command: np.ndarray) -> np.ndarray:
        """Return what the servo is given: a position, shape (n,) [rad]."""
        if self.interface is Interface.VELOCITY:
            self._position = self._position + CYCLE_NS * 1e-9 * command
            return self._position
        return command

    @property
    def motor_torque(self) -> np.ndarray:
        """Torque of the motors in the last period of the servo, shape (n,) [N.m]."""
        return self._servo.torque

    def bear_gravity(self) -> None:
        """Let the servo bear gravity as it is now."""
        self._servo.gravity = self.gravity()


class PositionDriver(Simulation):
    """Plant, servo, driver and sensors in lockstep; a command lasts a period of the driver."""

    def __init__(
        self,
        robot: Robot,
        wall: CompliantWall | None = None,
        *,
        rate: float = 200.0,
        interface: Interface = Interface.POSITION,
        **options: Any,
    ) -> None:
        """Build the robot; call ``reset`` before the first ``step``.

        Args:
            robot: the arm.
            wall: what it may hit.
            rate: of commands and states; a whole number of milliseconds between them [Hz].
            interface: positions or velocities.
            options: noise, seed and plant, as of :class:`Simulation`.

        Raises:
            SimulationError: the rate has no whole number of milliseconds, or the robot's YAML does
                not give its servo.
            RobotError: it lacks what else a simulation needs.
        """
        super().__init__(robot, wall, interface=interface, **options)
        self.cycles = round(1e9 / rate / CYCLE_NS)
        if self.cycles < 1 or abs(self.cycles * CYCLE_NS * rate * 1e-9 - 1.0) > 1e-9:
            raise SimulationError(f"rate: expected 1000 Hz over a whole number, got {rate:g}")
        self._driver = self._servo = ServoDriver(robot, self.plant, self._driver.sensors, interface)

    def step(self, command: np.ndarray) -> Measurement:
        """Hold a command (n,) for a period of the driver; the forces are those of all of it.

        Raises:
            SimulationError: wrong shape or not finite; the plant has not moved.
        """
        forces = []
        for _ in range(self.cycles):
            self._servo.bear_gravity()
            measurement = super().step(command)
            forces.append(measurement.forces)
        return Measurement(
            measurement.time_ns, measurement.q, measurement.dq, measurement.tau, np.vstack(forces)
        )

    def brake(self) -> Measurement:
        """Hold where the arm is, as the driver does when commands stay away."""
        still = self.interface is Interface.VELOCITY
        return self.step(np.zeros(self.robot.dof) if still else self.plant.q)

    @property
    def motor_torque(self) -> np.ndarray:
        """Torque of the motors, as their currents show it, shape (n,) [N.m]."""
        return self._servo.motor_torque
