# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""The simulated robot as a node: a driver's topics, in lockstep or against the wall clock."""

from __future__ import annotations

import time
from dataclasses import dataclass

import numpy as np
from geometry_msgs.msg import WrenchStamped
from rclpy.clock import Clock
from rclpy.clock_type import ClockType
from rclpy.node import Node
from rosgraph_msgs.msg import Clock as ClockMessage
from sensor_msgs.msg import JointState
from std_msgs.msg import String

from impact_msgs.msg import JointCommand, WrenchBatch
from impact_robots.loader import load_robot
from impact_ros.boundary import guarded
from impact_ros.main import main_for
from impact_ros.messages import fill, from_nanoseconds, reorder, set_vector, to_nanoseconds
from impact_ros.parameters import declare, parameter
from impact_ros.qos import LATCHED, LOCKSTEP, STREAM
from impact_sim.arm_driver import CYCLE_NS, Interface
from impact_sim.exceptions import SimulationError
from impact_sim.scenarios import load_scenario, scenario_names
from impact_sim.sensors import NO_NOISE, PANDA_NOISE
from impact_sim.simulation import FORCE_PERIOD_NS, START_NS, Measurement, Simulation

RESEND_AFTER = 1.0  # in lockstep, send the state again when nobody answers [s]
GIVE_UP_AFTER = 10.0  # and then give up [s]
FAULT = 10.0  # times the robot's limits, beyond which a driver refuses a torque or velocity
FOLLOWING = 1.0  # from the measured position, beyond which it refuses a position [rad]
LOST_COMMANDS = 20  # against the wall clock, brake after so many cycles without command


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
    after_contact: float = parameter(0.5, "End so long after the first contact", unit="s", low=0.0)


class ImpactSimNode(Node):
    """A flexible-joint arm in front of a surface, with the topics of a robot's driver.

    Publishes `joint_states`, `wrench` (1 kHz) and `wrench_batch` (25 kHz, force on the robot in
    base axes), and obeys `impact_qp/command`. In lockstep it publishes a state and waits for the
    command that carries the state's stamp.
    """

    PARAMETERS = SimulationParameters

    def __init__(self, **options) -> None:
        """Put the robot where its scenario starts; nothing moves before ``start``."""
        super().__init__("impact_sim", **options)
        self.parameters = declare(self, SimulationParameters)
        self.scenario = load_scenario(self.parameters.scenario)
        self.robot = load_robot(self.scenario.robot)
        self.simulation = Simulation(
            self.robot,
            self.scenario.wall(self.robot),
            noise=PANDA_NOISE if self.parameters.noise else NO_NOISE,
            seed=self.parameters.seed,
            interface=Interface(self.parameters.interface),
        )
        self._make_topics()
        self._measurement = self.simulation.reset(self.scenario.start(self.robot))
        self._command: np.ndarray | None = None  # not yet applied
        self._dropped = ""  # why the last command was, if it was
        self._newest_command = 0  # stamp of the state that the last one answers [ns]
        self._last: np.ndarray | None = None  # None before the first command
        self._lost = 0
        self.missed_cycles = 0
        self.first_contact_ns: int | None = None
        self.failure = ""
        self._started = False
        self._sent = self._answered = time.monotonic()
        self._timer = self.create_timer(
            CYCLE_NS * 1e-9 if self.parameters.realtime else RESEND_AFTER / 2.0,
            self._tick,
            clock=Clock(clock_type=ClockType.STEADY_TIME),
        )

    def _make_topics(self) -> None:
        """Create what a driver and a force-torque sensor publish."""
        self._states = self.create_publisher(JointState, "joint_states", STREAM)
        self._wrench = self.create_publisher(WrenchStamped, "wrench", STREAM)
        self._batch = self.create_publisher(WrenchBatch, "wrench_batch", STREAM)
        self._description = self.create_publisher(String, "robot_description", LATCHED)
        self._description.publish(String(data=self.robot.urdf))
        topic = "impact_qp/command"
        on_command = guarded(self, topic, self._on_command, self._note_dropped)
        self._input = self.create_subscription(JointCommand, topic, on_command, LOCKSTEP)

    @property
    def peers(self) -> int:
        """Nodes that hear the states and have a command to send: 0 until somebody is there."""
        if self.count_publishers(self._input.topic_name) == 0:
            return 0
        return self._states.get_subscription_count()

    @property
    def finished(self) -> bool:
        """The experiment is over, in lockstep with its last state answered, or has failed."""
        if self.failure:
            return True
        if not self.parameters.realtime and self._newest_command < self._stamp_ns:
            return False
        elapsed = self.simulation.time_ns
        if elapsed >= self.parameters.duration * 1e9:
            return True
        first = self.first_contact_ns
        return first is not None and elapsed - first >= self.parameters.after_contact * 1e9

    def start(self) -> None:
        """Publish the first state."""
        self._started = True
        self._answered = time.monotonic()
        self._publish()

    # --- lockstep -----------------------------------------------------------------------------

    def _on_command(self, message: JointCommand) -> None:
        """Take a command: in lockstep that which answers the present state, else any not older."""
        stamp = to_nanoseconds(message.header.stamp)
        oldest = self._newest_command if self.parameters.realtime else self._stamp_ns
        if not self._started or not oldest <= stamp <= self._stamp_ns:
            return
        self._command = self._checked(message)
        self._newest_command, self._dropped = stamp, ""
        self._answered = time.monotonic()
        if not self.parameters.realtime and not self.finished:
            self._advance(self._command)

    def _note_dropped(self, line: str) -> None:
        """Keep why a command was dropped: without another one, it is why the run fails."""
        self._dropped = line

    def _checked(self, message: JointCommand) -> np.ndarray:
        """Return the values in the robot's joint order, shape (n,).

        Raises:
            ImpactError: not what this robot's driver would accept.
        """
        kinds = {
            Interface.TORQUE: JointCommand.INTERFACE_TORQUE,
            Interface.VELOCITY: JointCommand.INTERFACE_VELOCITY,
            Interface.POSITION: JointCommand.INTERFACE_POSITION,
        }
        if message.interface != kinds[self.simulation.interface]:
            raise SimulationError(
                f"command: expected the {self.simulation.interface.value} interface"
            )
        names, count = message.joint_names, len(message.values)
        if not len(names) == count == self.robot.dof:
            raise SimulationError(
                f"command: expected {self.robot.dof} names and values, got {len(names)} and {count}"
            )
        values = np.array(message.values)[reorder(names, self.robot.joint_names)]
        if not np.all(np.isfinite(values)):
            raise SimulationError(f"command: expected finite numbers, got {values.tolist()}")
        self._check_size(values)
        return values

    def _check_size(self, values: np.ndarray) -> None:
        """Refuse what a driver would refuse, and the plant's integration would not survive.

        Raises:
            SimulationError: far beyond the robot's limits, or from where the arm is.
        """
        limits, kind = self.robot.limits, self.simulation.interface
        if kind is Interface.POSITION:
            far, largest = np.abs(values - self._measurement.q), np.full(len(values), FOLLOWING)
        else:
            limit = limits.torque if kind is Interface.TORQUE else limits.velocity
            far, largest = np.abs(values), FAULT * limit
        if np.any(far > largest):
            joint = int(np.argmax(far / largest))
            raise SimulationError(
                f"command: {kind.value} of {self.robot.joint_names[joint]}: expected at most"
                f" {largest[joint]:g}{' from the arm' if kind is Interface.POSITION else ''},"
                f" got {far[joint]:g}"
            )

    def _advance(self, command: np.ndarray | None) -> None:
        """Simulate one cycle, braking without a command, and publish what the sensors say."""
        self._command = None
        simulation = self.simulation
        self._measurement = simulation.brake() if command is None else simulation.step(command)
        if self.first_contact_ns is None and self.simulation.plant.contact_force.any():
            self.first_contact_ns = self.simulation.time_ns
        self._publish()

    # --- time ---------------------------------------------------------------------------------

    def _tick(self) -> None:
        """Advance by the wall clock, or see whether somebody still answers."""
        if not self._started or self.finished:
            return
        if self.parameters.realtime:
            self._advance_in_time()
            return
        waited = time.monotonic() - self._answered
        if waited > GIVE_UP_AFTER:
            why = self._dropped or "is the controller running and active?"
            self.failure = f"no command for {waited:.0f} s: {why}"
        elif time.monotonic() - self._sent > RESEND_AFTER:
            self._publish()

    def _advance_in_time(self) -> None:
        """Hold the last command over a lost one, as a driver does; brake over many lost ones."""
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

    def _publish(self) -> None:
        """Publish the present measurement, the joint state last: it asks for the answer."""
        measurement = self._measurement
        self._sent = time.monotonic()
        if measurement.time_ns > 0:
            self._batch.publish(self._batch_message(measurement))
        self._wrench.publish(self._wrench_message(measurement))
        self._states.publish(self._state_message(measurement))

    def _state_message(self, measurement: Measurement) -> JointState:
        message = JointState(name=self.robot.joint_names)
        from_nanoseconds(self._stamp_ns, message.header.stamp)
        fill(message.position, measurement.q)
        fill(message.velocity, measurement.dq)
        fill(message.effort, measurement.tau)
        return message

    def _wrench_message(self, measurement: Measurement) -> WrenchStamped:
        message = WrenchStamped()
        from_nanoseconds(self._stamp_ns, message.header.stamp)
        message.header.frame_id = self.robot.base_frame
        set_vector(message.wrench.force, measurement.forces[-1])
        return message

    def _batch_message(self, measurement: Measurement) -> WrenchBatch:
        message = WrenchBatch(sample_period=FORCE_PERIOD_NS * 1e-9)
        first = self._stamp_ns - CYCLE_NS + FORCE_PERIOD_NS
        from_nanoseconds(first, message.header.stamp)
        message.header.frame_id = self.robot.base_frame
        fill(message.force, measurement.forces)
        return message


class StandaloneSimNode(ImpactSimNode):
    """The simulated robot on its own: starts when a controller listens, and ends with a failure."""

    _end_logged = False  # that the experiment is over

    def _make_topics(self) -> None:
        self._clock = self.create_publisher(ClockMessage, "/clock", STREAM)
        super()._make_topics()

    def _publish(self) -> None:
        """Publish the time too, for what draws or records beside the suite."""
        from_nanoseconds(self._stamp_ns, (message := ClockMessage()).clock)
        self._clock.publish(message)
        super()._publish()

    def _tick(self) -> None:
        if not self._started and self.peers:
            self.start()
        if not self._newest_command:  # the controller may be activated at any time
            self._answered = time.monotonic()
        super()._tick()
        if self.failure:
            raise SimulationError(self.failure)
        if self.finished and not self._end_logged:
            self._end_logged = True
            self.get_logger().info(f"over after {self.simulation.time_ns * 1e-9:.2f} s simulated")


main = main_for(StandaloneSimNode)
