# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""The learner as a lifecycle node: hits in, ranges of wall and joints out."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from rclpy.clock import Clock
from rclpy.clock_type import ClockType
from rclpy.timer import Timer
from sensor_msgs.msg import JointState

from impact_msgs.action import LearnSurface
from impact_msgs.msg import ImpactEvent, JointCommand
from impact_predictor.joint_load.drive import drive_of
from impact_qp.control.state_machine import Action, Event, StateMachine
from impact_qp.exceptions import ControlError
from impact_qp.goals.goal import BAD_GOAL, INACTIVE, PREEMPTED, End
from impact_qp.learning.hit_record import HitRecorder
from impact_qp.learning.learn_goal import learner_of
from impact_qp.learning.parameters import LearnerParameters
from impact_qp.learning.ros.learn_server import LOOK_EVERY, LearnServer
from impact_qp.learning.surface_learner import SurfaceLearner
from impact_robots.exceptions import ImpactError
from impact_robots.robot import Robot
from impact_ros.messages import JointReader, reorder, to_nanoseconds
from impact_ros.node.checked_callback import checked_callback
from impact_ros.node.lifecycle_node import SuiteLifecycleNode
from impact_ros.node.main import main_for
from impact_ros.parameters import declare
from impact_ros.qos import LATCHED, RECORD, RECORD_BEST_EFFORT


class ImpactLearnerNode(SuiteLifecycleNode):
    """Learns a surface and the arm's joints from hits that it requests from the controller.

    The action `~/learn_surface` requests one hit after the other from `impact_qp/execute_impact`,
    each as fast as the previous hits make safe; estimates are computed between hits, in a thread.
    The controller moves the arm, and holds it after each hit: on any failure the present hit is
    cancelled and no other one is requested. The speed of a hit that came close to a limit is a
    ceiling of that place for all later goals; only `cleanup` lifts it.
    """

    PARAMETERS = LearnerParameters

    def __init__(self, **options: Any) -> None:
        """Declare the parameters; everything else waits for `configure`."""
        super().__init__("impact_learner", **options)
        self._machine = StateMachine({Action.END_GOAL: self._stop_goal})
        self._last: SurfaceLearner | None = None  # its ceilings hold for the next goal, too
        self._ticks: Timer | None = None
        self._server = LearnServer(self, self._machine, self._begin)  # is destroyed in any case
        self.settings = declare(self, LearnerParameters)

    def set_up(self) -> str:
        """Load the robot, offer the action and listen."""
        settings = self.settings
        robot = self._robot = settings.load_robot()
        robot.require("impact_qp")
        drive_of(robot, "torque")
        self._server.configure(
            HitRecorder(robot),
            cap=settings.speed_cap,
            silence=settings.silence_timeout,
            lockstep=settings.lockstep,
        )
        self._listen(robot)
        steady = Clock(clock_type=ClockType.STEADY_TIME)
        self._ticks = self.create_timer(LOOK_EVERY, self._server.look, clock=steady)
        self._take(Event.CONFIGURED)
        return f"{robot.name}, cap {settings.speed_cap:g} m/s"

    def _listen(self, robot: Robot) -> None:
        """Subscribe to the data recorded of a hit."""
        self._reader = JointReader(robot.joint_names)
        stream = RECORD if self.settings.lockstep else RECORD_BEST_EFFORT
        rows: tuple[tuple[Any, str, Callable[[Any], None], Any], ...] = (
            (JointState, "joint_states", self._take_state, stream),
            (JointCommand, "impact_qp/command", self._take_command, stream),
            (ImpactEvent, "impact_detector/impact", self._take_event, LATCHED),
        )
        drop = self._server.note_dropped
        self._listeners = [
            self.create_subscription(
                kind, topic, checked_callback(self, topic, take, drop), quality
            )
            for kind, topic, take, quality in rows
        ]

    def _take_state(self, message: JointState) -> None:
        """Record a state."""
        values = self._reader.read(message)
        self._server.recorder.add_state(to_nanoseconds(message.header.stamp), *values)
        self._server.hear(command=False)

    def _take_command(self, message: JointCommand) -> None:
        """Record a command."""
        if message.interface != JointCommand.INTERFACE_TORQUE:
            raise ControlError("expected torques: only their hits can be learned from")
        values = np.array(message.values)
        order = reorder(message.joint_names, self._robot.joint_names)
        if len(values) != len(message.joint_names):
            raise ControlError(f"expected {len(message.joint_names)} values, got {len(values)}")
        self._server.recorder.add_command(to_nanoseconds(message.header.stamp), values[order])
        self._server.hear(state=False)

    def _take_event(self, message: ImpactEvent) -> None:
        """Store the impact of a hit."""
        stamps = message.header.stamp, message.impact_time
        self._server.recorder.add_event(*map(to_nanoseconds, stamps))

    def _begin(self, goal: LearnSurface.Goal) -> SurfaceLearner | End:
        """Return the learner of a goal's surface, or why there is none."""
        if not self._machine.situation.ready:
            return End(INACTIVE, "activate the learner first")
        try:
            ceilings = self._last.learned.known.ceilings if self._last is not None else ()
            self._last = learner_of(goal, self.settings, self._robot, ceilings)
        except ImpactError as error:
            return End(BAD_GOAL, str(error))
        return self._last

    def begin(self) -> str:
        """Accept goals from now on; nothing moves before one arrives."""
        self._take(Event.ACTIVATED)
        return ""

    def stop(self) -> None:
        """Cancel the present hit, and request no other one."""
        self._take(Event.DEACTIVATED, "deactivated")

    def _take(self, event: Event, reason: str = "") -> None:
        """Take an event; this node commands nothing, so every stop is at rest."""
        self._machine.take(event, reason)
        self._machine.take(Event.AT_REST)

    def _stop_goal(self, reason: str) -> None:
        """Cancel the present hit, and request no further one."""
        self._server.stop(End(PREEMPTED, reason))

    def release(self, reason: str) -> None:
        """Cancel the present hit, and destroy the resources of `configure`."""
        self._take(Event.CLEANED_UP, reason)
        if self._ticks is None:
            return
        self.destroy_timer(self._ticks)
        for subscription in self._listeners:
            self.destroy_subscription(subscription)
        self._ticks = self._last = None

    def destroy_node(self) -> None:
        """Destroy the node with its action, which rclpy leaves to the garbage collector."""
        self._server.destroy()
        super().destroy_node()


main = main_for(ImpactLearnerNode)

if __name__ == "__main__":
    raise SystemExit(main())
