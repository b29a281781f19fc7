# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""The robot as its driver shows it: one command in and one measurement out per millisecond."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

import numpy as np

from impact_robots.dynamics import ArmDynamics
from impact_robots.robot import Robot
from impact_sim.compliant_wall import CompliantWall
from impact_sim.driver_cycle import CLEARANCE, integrate_cycle
from impact_sim.exceptions import SimulationError
from impact_sim.plant import FlexibleJointPlant
from impact_sim.sensors import PANDA_NOISE, Noise, NoisySensors
from impact_sim.torque_loop import TorqueLoop

START_NS = 1_000_000_000  # stamp of the first state: zero means "no time" in ROS [ns]
CYCLE_NS = 1_000_000  # one driver cycle [ns]
FORCE_PERIOD_NS = 40_000  # the wall's force sensor, 25 kHz [ns]
SAMPLES_PER_CYCLE = CYCLE_NS // FORCE_PERIOD_NS
# Of the velocity interface, closed on the motors' side: at 100 it is unstable at some poses [1/s].
SERVO_RATE = 50.0
POSITION_RATE = 10.0  # of the position interface around it [1/s]


class Interface(Enum):
    """What a command means."""

    TORQUE = "torque"
    VELOCITY = "velocity"
    POSITION = "position"


@dataclass(frozen=True)
class Measurement:
    """What the sensors say at one instant; arrays of shape (n,) in the robot's joint order."""

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
            wall: what it may hit.
            noise: of the sensors.
            seed: of that noise.
            interface: what commands mean.
            torque_loop: False lets the motors follow the desired torque directly.
            plant: to be used instead of a new one with ``wall``.

        Raises:
            RobotError: the robot's YAML lacks what a simulation needs.
        """
        robot.require("impact_sim")
        self.robot = robot
        self.interface = interface
        self.plant = FlexibleJointPlant(robot, wall) if plant is None else plant
        self._loop = TorqueLoop(robot, enabled=torque_loop)
        self._sensors = NoisySensors(noise, seed)
        self._dynamics = ArmDynamics(robot)
        self._steps_per_sample = round(FORCE_PERIOD_NS * 1e-9 / self.plant.contact_step)
        self.time_ns = 0
        self._substep = 0

    def reset(self, q: np.ndarray, dq: np.ndarray | None = None) -> Measurement:
        """Put the arm at ``q`` (n,) [rad], moving with ``dq`` (n,) [rad/s], and measure it.

        Args:
            q: link positions.
            dq: velocities of links and motors; none: at rest.
        """
        self.plant.reset(q, dq)
        self._loop.reset(self.plant.joint_torque)
        self._position = self.plant.q  # last commanded
        self.time_ns = 0
        self._substep = 0
        return self._measure(np.zeros((SAMPLES_PER_CYCLE, 3)))

    def step(self, command: np.ndarray) -> Measurement:
        """Apply a command for one cycle.

        Args:
            command: joint torques [N.m], without gravity if the robot's driver adds it, joint
                velocities [rad/s] or positions [rad], by the interface; shape (n,).

        Raises:
            SimulationError: wrong shape or not finite; the plant has not moved.
        """
        command = np.asarray(command, dtype=float)
        if command.shape != (self.robot.dof,) or not np.all(np.isfinite(command)):
            raise SimulationError(f"command: expected {self.robot.dof} finite numbers")
        return self._advance(self._desired_torque(command))

    def brake(self) -> Measurement:
        """Let the driver brake the arm for one cycle, as it does when commands stay away."""
        return self._advance(self._servo_torque(np.zeros(self.robot.dof)))

    def _advance(self, desired: np.ndarray) -> Measurement:
        """Simulate one cycle with a desired torque, gravity included, shape (n,) [N.m]."""
        near = self._may_touch()  # for the whole cycle: the force sensor samples all of it or none
        forces: list[np.ndarray] = []
        integrate_cycle(
            self.plant,
            self._loop,
            desired,
            is_near=lambda: near,
            contact_step=lambda: self._contact_step(forces),
        )
        self.time_ns += CYCLE_NS
        return self._measure(np.array(forces) if near else np.zeros((SAMPLES_PER_CYCLE, 3)))

    def _desired_torque(self, command: np.ndarray) -> np.ndarray:
        """Return what the driver asks of the torque loop, gravity included, shape (n,) [N.m]."""
        if self.interface is Interface.VELOCITY:
            return self._servo_torque(command)
        if self.interface is Interface.POSITION:
            feedforward = (command - self._position) / (CYCLE_NS * 1e-9)
            self._position = command
            return self._servo_torque(feedforward + POSITION_RATE * (command - self.plant.q))
        if not self.robot.driver_compensates_gravity:
            return command
        return command + self._dynamics(self.plant.q, self.plant.dq).g

    def _servo_torque(self, velocity: np.ndarray) -> np.ndarray:
        """Return the torque of the driver's velocity loop, shape (n,) [N.m]."""
        state = self._dynamics(self.plant.q, self.plant.dq)
        wanted = SERVO_RATE * (velocity - self.plant.dtheta)
        return state.M @ wanted + self.robot.apparent_motor_inertia * wanted + state.h

    def _may_touch(self) -> bool:
        """Return whether the tool can reach the wall within this cycle."""
        if self.plant.wall is None:
            return False
        travel = np.linalg.norm(self.plant.contact_velocity) * CYCLE_NS * 1e-9
        return self.plant.gap < CLEARANCE + travel

    def _contact_step(self, forces: list[np.ndarray]) -> None:
        """Integrate one small step; collect the force sensor's sample where one is due."""
        self.plant.advance_contact()
        self._substep = (self._substep + 1) % self._steps_per_sample
        if self._substep == 0:
            forces.append(self.plant.contact_force)

    def _measure(self, forces: np.ndarray) -> Measurement:
        """Return what the sensors see now."""
        q, dq, tau = self._sensors.joints(self.plant.q, self.plant.dq, self.plant.joint_torque)
        return Measurement(self.time_ns, q, dq, tau, self._sensors.forces(forces))
