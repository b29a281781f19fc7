# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""The simulated robot as a node: a driver's topics, in lockstep or against the wall clock."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from rosgraph_msgs.msg import Clock as ClockMessage

from impact_msgs.msg import JointCommand
from impact_robots.description.loader import load_robot
from impact_ros.messages import from_nanoseconds, to_nanoseconds
from impact_ros.node.main import main_for
from impact_ros.parameters import declare, parameter
from impact_ros.qos import STREAM
from impact_sim.driver.arm_driver import CYCLE_NS, Interface
from impact_sim.driver.sensors import NO_NOISE, PANDA_NOISE
from impact_sim.driver.simulation import START_NS, Simulation
from impact_sim.plant.plant import FlexibleJointPlant
from impact_sim.ros.arm_port import ArmPort
from impact_sim.ros.lockstep_node import LockstepNode
from impact_sim.ros.standalone import AGAIN, Standalone, shutdown_when_over
from impact_sim.scenarios import load_scenario, scenario_names

LOST_COMMANDS = 20  # against the wall clock, brake after this many cycles without command


@dataclass(frozen=True)
class SimulationParameters:
    """Parameters of the simulated robot."""

    scenario: str = parameter("qp_panda_demo", "Named scenario", choices=scenario_names())
    seed: int = parameter(0, "Seed of the sensor noise", low=0)
    noise: bool = parameter(True, "Sensor noise as measured on a real Panda")
    interface: str = parameter(
        "torque", "What commands mean", choices=tuple(kind.value for kind in Interface)
    )
    realtime: bool = parameter(False, "Run against the wall clock instead of in lockstep")
    duration: float = parameter(10.0, "Longest simulated time", unit="s", low=0.001)
    after_contact: float = parameter(0.5, "Duration after first contact", unit="s", low=0.0)
    shutdown_when_over: bool = shutdown_when_over()


class ImpactSimNode(LockstepNode):
    """A flexible-joint arm in front of a surface, with the topics of a robot's driver.

    Publishes `joint_states`, `wrench` (1 kHz) and `wrench_batch` (25 kHz, force on the robot in
    base axes), and executes `impact_qp/command`. In lockstep it publishes a state and waits for the
    command with the state's stamp.
    """

    PARAMETERS = SimulationParameters

    def __init__(self, **options) -> None:
        """Put the robot at the start of its scenario; nothing moves before ``start``."""
        super().__init__("impact_sim", **options)
        self.parameters = declare(self, SimulationParameters)
        self.scenario = load_scenario(self.parameters.scenario)
        self.robot = load_robot(self.scenario.robot)
        self.simulation = self._simulated()
        self._make_topics()
        self._measurement = self.simulation.reset(self._start())
        self._command: np.ndarray | None = None  # not yet applied
        self._newest_command = 0  # stamp of the state of the last command [ns]
        self._last: np.ndarray | None = None  # None before the first command
        self._lost = 0
        self.missed_cycles = 0
        self.first_contact_ns: int | None = None
        if self.parameters.realtime:
            self._timer.timer_period_ns = CYCLE_NS
            self._timer.reset()

    def _simulated(self) -> Simulation:
        """Return the arm with its driver and sensors."""
        return Simulation(
            self.robot,
            noise=PANDA_NOISE if self.parameters.noise else NO_NOISE,
            seed=self.parameters.seed,
            interface=Interface(self.parameters.interface),
            plant=self._plant(),
        )

    def _start(self) -> np.ndarray:
        """Return the joint positions at the start, shape (n,) [rad]."""
        return self.scenario.start(self.robot)

    def _plant(self) -> FlexibleJointPlant:
        """Return the arm in front of its wall."""
        return FlexibleJointPlant(self.robot, self.scenario.wall(self.robot))

    def _make_topics(self) -> None:
        """Create the publishers of a driver and a force-torque sensor."""
        self._port = ArmPort(
            self,
            self.robot,
            self._on_command,
            self._note_dropped,
            interface=self.simulation.interface,
        )

    @property
    def peers(self) -> int:
        """Number of nodes that subscribe to the states and publish commands."""
        return self._port.peers

    @property
    def finished(self) -> bool:
        """Whether the experiment has ended (in lockstep after the last command) or failed."""
        if self.failure:
            return True
        if not self.parameters.realtime and self._newest_command < self._stamp_ns:
            return False
        elapsed = self.simulation.time_ns
        if elapsed >= self.parameters.duration * 1e9:
            return True
        first = self.first_contact_ns
        return first is not None and elapsed - first >= self.parameters.after_contact * 1e9

    # --- lockstep -----------------------------------------------------------------------------

    def _on_command(self, message: JointCommand) -> None:
        """Take a command: in lockstep that of the present state, else any that is not older."""
        stamp = to_nanoseconds(message.header.stamp)
        oldest = self._newest_command if self.parameters.realtime else self._stamp_ns
        if not self._started or not oldest <= stamp <= self._stamp_ns:
            return
        self._command = self._port.checked(message, self._measurement)
        self._newest_command = stamp
        self._note_answered()
        if not self.parameters.realtime and not self.finished:
            self._advance(self._command)

    def _advance(self, command: np.ndarray | None) -> None:
        """Simulate one cycle, braking without a command, and publish the sensor readings."""
        self._command = None
        simulation = self.simulation
        self._measurement = simulation.brake() if command is None else simulation.step(command)
        if self.first_contact_ns is None and self.simulation.plant.contact_force.any():
            self.first_contact_ns = self.simulation.time_ns
        self._publish()

    # --- time ---------------------------------------------------------------------------------

    def _tick(self) -> None:
        """Advance by the wall clock, or check the time since the last command."""
        if not self.parameters.realtime:
            super()._tick()
        elif self._started and not self.finished:
            self._advance_in_time()

    def _advance_in_time(self) -> None:
        """Hold the last command when one is lost, as a driver does; brake when many are lost."""
        if self._command is not None:
            self._lost, self._last = 0, self._command
        elif self._last is not None:
            self._lost += 1
            self.missed_cycles += 1
        self._advance(self._last if self._lost <= LOST_COMMANDS else None)

    # --- messages -----------------------------------------------------------------------------

    @property
    def _stamp_ns(self) -> int:
        return START_NS + self._measurement.time_ns

    def publish_states(self) -> None:
        """Publish the present measurement, the joint state last: it triggers the command."""
        self._port.publish(self._measurement)


class StandaloneSimNode(Standalone, ImpactSimNode):
    """The simulated robot as a process: starts when a controller is connected."""

    again = f"{AGAIN}, with larger duration and after_contact for more hits or goals"

    def _make_topics(self) -> None:
        self._clock = self.create_publisher(ClockMessage, "/clock", STREAM)
        super()._make_topics()

    def publish_states(self) -> None:
        """Publish the time too, for viewers and recorders."""
        from_nanoseconds(self._stamp_ns, (message := ClockMessage()).clock)
        self._clock.publish(message)
        super().publish_states()

    @property
    def waits(self) -> bool:
        """Whether it waits for the first command: the controller may be activated at any time."""
        return not self._newest_command


main = main_for(StandaloneSimNode)
