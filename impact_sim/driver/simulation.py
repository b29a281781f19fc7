# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""The robot with its driver: one command in and one measurement out per millisecond."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from impact_robots.robot import Robot
from impact_sim.driver.arm_driver import CYCLE_NS, ArmDriver, Interface
from impact_sim.driver.driver_cycle import CLEARANCE, integrate_cycle
from impact_sim.driver.sensors import PANDA_NOISE, Noise, NoisySensors
from impact_sim.plant.compliant_wall import CompliantWall
from impact_sim.plant.plant import FlexibleJointPlant
from impact_sim.plant.torque_loop import MotorLoop, TorqueLoop

START_NS = 1_000_000_000  # stamp of the first state: zero means "no time" in ROS [ns]
FORCE_PERIOD_NS = 40_000  # the wall's force sensor, 25 kHz [ns]
SAMPLES_PER_CYCLE = CYCLE_NS // FORCE_PERIOD_NS
_NO_FORCE = np.zeros((SAMPLES_PER_CYCLE, 3))
_new = tuple.__new__  # half the time of the constructor


class Measurement(NamedTuple):
    """Sensor readings at one instant; arrays of shape (n,) in the robot's joint order."""

    time_ns: int  # since the start
    q: np.ndarray  # link positions [rad]
    dq: np.ndarray  # link velocities [rad/s]
    tau: np.ndarray  # joint torque sensors [N.m]
    forces: np.ndarray  # on the robot, base axes, 25 kHz up to this instant, shape (25, 3) [N]

    @property
    def time(self) -> float:
        """Time since the start [s]."""
        return self.time_ns * 1e-9


class Simulation:
    """Plant, torque loop, driver and sensors in lockstep."""

    def __init__(
        self,
        robot: Robot,
        wall: CompliantWall | None = None,
        *,
        noise: Noise = PANDA_NOISE,
        seed: int = 0,
        interface: Interface = Interface.TORQUE,
        torque_loop: bool = True,
        plant: FlexibleJointPlant | None = None,
    ) -> None:
        """Build the robot; call ``reset`` before the first ``step``.

        Args:
            robot: the arm.
            wall: the wall in front of it.
            noise: of the sensors.
            seed: of that noise.
            interface: the commanded quantity.
            torque_loop: False: the motors apply the desired torque directly.
            plant: to be used instead of a new one with ``wall``.

        Raises:
            RobotError: the robot's YAML lacks fields that a simulation needs.
        """
        robot.require("impact_sim")
        self.robot = robot
        self.interface = interface
        self.plant = FlexibleJointPlant(robot, wall) if plant is None else plant
        sensors = NoisySensors(noise, seed)
        self._driver = ArmDriver(robot, self.plant, sensors, interface, torque_loop=torque_loop)
        self._steps_per_sample = round(FORCE_PERIOD_NS * 1e-9 / self.plant.contact_step)
        self.time_ns = 0
        self._substep = 0

    @property
    def arm(self) -> Robot:
        """The robot whose joints are commanded and measured."""
        return self.robot

    def reset(self, q: np.ndarray, dq: np.ndarray | None = None) -> Measurement:
        """Put the arm at ``q`` (n,) [rad], moving with ``dq`` (n,) [rad/s], and measure it.

        Args:
            q: link positions.
            dq: velocities of links and motors; None: at rest.
        """
        self.plant.reset(q, dq)
        self._driver.reset()
        self.time_ns = 0
        self._substep = 0
        return self._measure(_NO_FORCE)

    def step(self, command: np.ndarray) -> Measurement:
        """Apply a command for one cycle.

        Args:
            command: joint torques [N.m], without gravity if the robot's driver adds it, joint
                velocities [rad/s] or positions [rad], by the interface; shape (n,).

        Raises:
            SimulationError: wrong shape or not finite; the plant has not moved.
        """
        return self._advance(self._driver.desired_torque(self._driver.checked(command)))

    def brake(self) -> Measurement:
        """Let the driver brake the arm for one cycle, as it does without commands."""
        return self._advance(self._driver.servo_torque(np.zeros(self.robot.dof)))

    def _advance(self, desired: np.ndarray) -> Measurement:
        """Simulate one cycle with a desired torque, gravity included, shape (n,) [N.m]."""
        near = self._may_hit()  # for the whole cycle: the force sensor samples all of it or none
        loop = self._driver.loop
        if isinstance(loop, TorqueLoop) and self.plant.compiled:
            force = self.plant.advance_cycle(loop, desired, near=near).force
        else:
            force = self._plain_cycle(loop, desired, near)
        self.time_ns += CYCLE_NS
        return self._measure(self._sampled(force) if near else _NO_FORCE)

    def _plain_cycle(self, loop: MotorLoop, desired: np.ndarray, near: bool) -> np.ndarray:
        """Simulate a cycle with any loop and law; return the small steps' forces, (K, 3) [N]."""
        forces = [np.empty((0, 3))]
        integrate_cycle(
            self.plant,
            [(self.plant, loop, desired)],
            is_near=lambda: near,
            contact_steps=lambda steps: forces.append(self.plant.advance_contact(steps).force),
        )
        return np.concatenate(forces)

    def _sampled(self, force: np.ndarray) -> np.ndarray:
        """Return the forces of those small steps that the force sensor sees, shape (m, 3) [N]."""
        every, before = self._steps_per_sample, self._substep
        self._substep = (before + len(force)) % every
        return force[every - 1 - before :: every]

    def _may_hit(self) -> bool:
        """Return whether the tool can reach the wall within this cycle."""
        if self.plant.wall is None:
            return False
        return self.plant.gap < CLEARANCE + self.plant.contact_speed * CYCLE_NS * 1e-9

    def _measure(self, forces: np.ndarray) -> Measurement:
        """Return the present sensor readings."""
        return _new(Measurement, (self.time_ns, *self._driver.measured(forces)))
