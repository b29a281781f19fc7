# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""A humanoid among boxes as a node: joints, base, palms and soles in lockstep."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from geometry_msgs.msg import PoseStamped, Vector3Stamped, WrenchStamped
from nav_msgs.msg import Odometry
from rclpy.publisher import Publisher
from sensor_msgs.msg import JointState
from std_msgs.msg import String

from impact_msgs.msg import GrabStatus, JointCommand
from impact_ros.message_fields import (
    joint_state_fields,
    odometry_fields,
    stamped,
    vector_field,
    wrench_fields,
    write,
)
from impact_ros.messages import to_nanoseconds
from impact_ros.node.checked_callback import checked_callback
from impact_ros.node.main import main_for
from impact_ros.parameters import declare, parameter
from impact_ros.qos import LATCHED, LOCKSTEP, STREAM
from impact_sim.cell.box_pose import WORLD, pose_message
from impact_sim.driver.arm_driver import Interface
from impact_sim.driver.simulation import START_NS
from impact_sim.humanoid.grab_scenario import GrabScenario
from impact_sim.humanoid.grab_stage import GrabStage, sole_wrenches
from impact_sim.humanoid.model import box_name
from impact_sim.humanoid.senses import QUIET, HumanoidMeasurement, HumanoidNoise
from impact_sim.ros.arm_port import COMMAND
from impact_sim.ros.command_check import checked_command
from impact_sim.ros.lockstep_node import LockstepNode
from impact_sim.ros.standalone import Standalone, shutdown_when_over
from impact_sim.scenario_choice import find

PROGRESS = "impact_humanoid/grab"  # topic of the controller's phases

# measurement, commanded positions, their progress message, whether the next box was put
Listener = Callable[[HumanoidMeasurement, np.ndarray, GrabStatus, bool], None]


@dataclass(frozen=True)
class HumanoidSimParameters:
    """Parameters of the simulated humanoid."""

    scenario: str = parameter("qp_hrp4_grab", "Named scenario of a humanoid's grab, or its YAML")
    seed: int = parameter(0, "Seed of the sensor noise and of where boxes stand", low=0)
    noise: bool = parameter(True, "Sensor noise, as assumed")
    shutdown_when_over: bool = shutdown_when_over()


class ImpactHumanoidSimNode(LockstepNode):
    """A humanoid in front of boxes, with position servos.

    Publishes `joint_states`, `odom` (pose of the base in the world, velocity in its own axes), the
    wrench on each palm and sole and the pose of each box, all with one stamp, and waits for the
    positions in `impact_qp/command` and for `impact_humanoid/grab` with that stamp. The next box is
    put into its place when the latter requests it.
    """

    PARAMETERS = HumanoidSimParameters

    def __init__(self, **options) -> None:
        """Put the robot at the start of its scenario; nothing moves before ``start``."""
        super().__init__("impact_humanoid_sim", **options)
        self.parameters = declare(self, HumanoidSimParameters)
        self.scenario = find(self.parameters.scenario, GrabScenario)
        noise = HumanoidNoise() if self.parameters.noise else QUIET
        self.stage = GrabStage(self.scenario, seed=self.parameters.seed, noise=noise)
        self.robot, self.on_cycle = self.stage.robot, _ignored
        self._make_topics()
        self.measured = self.stage.settle()
        self._command: np.ndarray | None = None  # for the present state
        self._status: GrabStatus | None = None  # the same
        self._over = False

    def _make_topics(self) -> None:
        make, layout = self.create_publisher, self.stage.plant.layout
        self._states = make(JointState, "joint_states", STREAM)
        self._base = make(Odometry, "odom", STREAM)
        self._palms, self._soles = (
            [make(WrenchStamped, f"{name}/wrench", STREAM) for name in names]
            for names in (layout.palms, layout.soles)
        )
        count = len(layout.boxes)
        self._boxes = [make(PoseStamped, f"{box_name(k)}_pose", STREAM) for k in range(count)]
        self._sizes = [make(Vector3Stamped, f"{box_name(k)}_size", LATCHED) for k in range(count)]
        for number, size in enumerate(self._sizes):
            edges = {"vector": vector_field(np.array(layout.boxes[number].size))}
            _publish(size, Vector3Stamped(), START_NS, box_name(number), edges)
        self._description = make(String, "robot_description", LATCHED)
        self._description.publish(String(data=self.robot.urdf))
        self._inputs = [
            self.create_subscription(
                kind, topic, checked_callback(self, topic, take, self._note_dropped), LOCKSTEP
            )
            for kind, topic, take in (
                (JointCommand, COMMAND, self._take_command),
                (GrabStatus, PROGRESS, self._take_progress),
            )
        ]

    @property
    def peers(self) -> int:
        """Number of nodes that subscribe to the states and publish commands."""
        if not all(self.count_publishers(each.topic_name) for each in self._inputs):
            return 0
        streams = (self._states, self._base, *self._palms, *self._soles)
        return min(each.get_subscription_count() for each in streams)

    @property
    def finished(self) -> bool:
        """Whether the grab has ended, its last state answered, or the robot fell, or it failed."""
        return bool(self.failure) or self.stage.fell or self._over

    @property
    def waits(self) -> bool:
        """Whether it waits for the first command: the controller may be activated at any time."""
        return not self.stage.moved

    @property
    def simulation(self) -> GrabStage:
        """What has simulated for ``time_ns``."""
        return self.stage

    def _is_awaited(self, message: JointCommand | GrabStatus) -> bool:
        stamp = to_nanoseconds(message.header.stamp)
        return self._started and not self.finished and stamp == self._stamp_ns

    def _take_command(self, message: JointCommand) -> None:
        if self._is_awaited(message):
            joints = self.measured.q[7:]
            self._command = checked_command(message, self.robot, Interface.POSITION, joints)
            self._advance()

    def _take_progress(self, message: GrabStatus) -> None:
        if self._is_awaited(message):
            self._status = message
            self._advance()

    def _advance(self) -> None:
        """Simulate a cycle when both messages have arrived, and publish the sensor readings.

        The answer to the last state moves nothing. It is awaited: a recording has all answers.
        """
        if self._command is None or self._status is None:
            return
        self._note_answered()
        self._over = self.stage.over
        if self._over:
            return
        positions, status = self._command, self._status
        self._command = self._status = None
        self.measured = self.stage.step(positions)
        put = self.stage.follow(status.phase, status.box, status.failure)
        self.on_cycle(self.measured, positions, status, put)
        self._publish()

    @property
    def _stamp_ns(self) -> int:
        return START_NS + self.stage.time_ns

    def publish_states(self) -> None:
        """Publish the present measurement, the joint states last."""
        plant, stamp, measured = self.stage.plant, self._stamp_ns, self.measured
        for number, box in enumerate(self._boxes):
            box.publish(pose_message(stamp, plant.box(number)))
        for palm, force in zip(self._palms, measured.palm_forces, strict=True):
            _publish(palm, WrenchStamped(), stamp, WORLD, wrench_fields(force))
        for sole, wrench in zip(self._soles, sole_wrenches(plant), strict=True):
            fields = wrench_fields(wrench[:3], wrench[3:])
            _publish(sole, WrenchStamped(), stamp, WORLD, fields)
        q, v, robot = measured.q, measured.v, self.robot
        odometry = odometry_fields(robot.base_frame, q[:7], v[:6])
        _publish(self._base, Odometry(), stamp, WORLD, odometry)
        state = joint_state_fields(robot.joint_names, q[7:], v[6:], plant.motor_torque)
        _publish(self._states, JointState(), stamp, "", state)


def _publish(
    publisher: Publisher, message: Any, stamp: int, frame: str, fields: Mapping[str, Any]
) -> None:
    """Write a stamp [ns], a frame and fields into a message, and publish it."""
    write(message, stamped(stamp, frame, fields))
    publisher.publish(message)


def _ignored(
    _measured: HumanoidMeasurement, _q: np.ndarray, _status: GrabStatus, _put: bool
) -> None:
    """Note nothing."""


class StandaloneHumanoidNode(Standalone, ImpactHumanoidSimNode):
    """The humanoid as a process: starts when a controller is connected."""


main = main_for(StandaloneHumanoidNode)

if __name__ == "__main__":
    raise SystemExit(main())
