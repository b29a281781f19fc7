# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""The controller of a humanoid's grab as a lifecycle node: a state in, joint positions out."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from geometry_msgs.msg import WrenchStamped
from nav_msgs.msg import Odometry
from rclpy.clock import Clock
from rclpy.clock_type import ClockType
from sensor_msgs.msg import JointState

from impact_msgs.msg import ControllerStatus, GrabStatus
from impact_qp.body.grab_reports import grab_message, grab_status
from impact_qp.body.guarded_grab import GrabAnswer, GuardedGrab
from impact_qp.body.humanoid_inputs import BASE, JOINTS, HumanoidReader, StampedSets
from impact_qp.body.parameters import FORMER, OWN_LIMITS, GrabParameters
from impact_qp.control.state_machine import Fault
from impact_qp.exceptions import ControlError
from impact_qp.ros.diagnostics import DiagnosticsReporter
from impact_qp.ros.messages import status_message
from impact_qp.ros.outputs import Outputs
from impact_qp.ros.stamp_steps import StampSteps
from impact_qp.ros.supervision import CycleWatch
from impact_qp.ros.task_name import task_name
from impact_robots.exceptions import ImpactError
from impact_robots.task.find import find_palm_task
from impact_robots.task.palm_task import LIMITS_OF_GRABS, PERIOD
from impact_ros.messages import from_nanoseconds, to_nanoseconds
from impact_ros.node.checked_callback import checked_callback
from impact_ros.node.lifecycle_node import SuiteLifecycleNode
from impact_ros.node.main import main_for
from impact_ros.node.spin import freeze_garbage
from impact_ros.node.throttled_log import ThrottledLog
from impact_ros.parameters import declare
from impact_ros.qos import LOCKSTEP, SENSOR, STREAM


class ImpactHumanoidNode(SuiteLifecycleNode):
    """Grabs boxes with both palms of a humanoid whose joints have position servos.

    Answers each state while active; a state consists of the messages of joints, base, palms and
    soles with one stamp. On every failure the robot is held where it is by its servos. An unusable
    state is answered with the last positions, and the grab continues; missing states, a clock that
    jumps back, a fall or an invalid command end it. Inactive it sends nothing.
    """

    PARAMETERS = GrabParameters

    def __init__(self, **options: Any) -> None:
        """Declare the parameters; everything else waits for `configure`."""
        super().__init__("impact_humanoid", **options)
        self.settings = declare(self, GrabParameters)
        self._log = ThrottledLog(self.get_logger())
        self._grab: GuardedGrab | None = None

    # --- the life cycle -----------------------------------------------------------------------

    def set_up(self) -> str:
        """Make the controller, the topics and the watchdog."""
        settings = self.settings
        task = find_palm_task(task_name(self, settings))
        if settings.impact_limits not in (OWN_LIMITS, FORMER):
            task = replace(task, impact_limits=settings.impact_limits)
        settings.refuse_weak_limits(task.impact_limits, LIMITS_OF_GRABS)
        if task.interface != "position":
            raise ControlError(f"{task.name}: interface: expected position, got {task.interface}")
        self._grab = GuardedGrab(
            task, hold_distance=settings.hold_distance, speed_cap=settings.speed_cap
        )
        self._watch = CycleWatch(PERIOD, settings.max_consecutive_missed)
        self._steps = StampSteps(PERIOD)
        self._limits = task.impact_limits
        self._make_topics()
        self._forget()
        freeze_garbage()
        return f"{task.name}, {task.impact_limits}"

    def _make_topics(self) -> None:
        """Publish, subscribe, report, and watch outside lockstep."""
        assert self._grab is not None
        robot, lockstep = self._grab.robot, self.settings.lockstep
        self._outputs = Outputs(self, robot, "position", lockstep=lockstep)
        self._progress = self.create_publisher(GrabStatus, "~/grab", STREAM)
        self._reader = HumanoidReader(robot)
        kinds = {JOINTS: JointState, BASE: Odometry}
        self._listeners = [
            self.create_subscription(
                kinds.get(topic, WrenchStamped),
                topic,
                checked_callback(self, topic, self._taker(topic), self._drop),
                LOCKSTEP if lockstep else SENSOR,
            )
            for topic in self._reader.topics
        ]
        steady = Clock(clock_type=ClockType.STEADY_TIME)  # watches while simulated time stands
        self._diagnostics = DiagnosticsReporter(
            self,
            steady,
            {JOINTS: "the robot's", **self._outputs.owners},
            lambda: (self.fault, self._watch.counts, None if self._stamp < 0 else self._stamp),
        )
        self._watchdog = None
        if not lockstep:
            half = self.settings.state_timeout / 2.0
            self._watchdog = self.create_timer(half, self._look, clock=steady)

    def _forget(self) -> None:
        """Begin to wait for states."""
        self._sets, self._stamp = StampedSets(self._reader.topics), -1
        self._last = time.monotonic()
        self._silent = False

    @property
    def fault(self) -> str:
        """Why the grab was ended, "" if it was not."""
        return "" if self._grab is None else self._grab.fault

    def begin(self) -> str:
        """Begin with the next state, if all topics are published and the robot is at the start."""
        assert self._grab is not None
        dumb = [topic for topic in self._reader.topics if not self.count_publishers(topic)]
        if dumb:
            return f"nobody publishes {', '.join(dumb)}"
        if self._steps.problem:
            return self._steps.problem
        known = self.settings.lockstep or self._silence <= self.settings.state_timeout
        if known and self._grab.refusal:
            return self._grab.refusal
        self._grab.activate()
        self._outputs.reset()
        self._watch.reset()
        self._forget()
        return ""

    def stop(self) -> None:
        """Stop sending: the servos hold the last positions."""
        if self._grab is not None:
            self._grab.deactivate()
            self._report("deactivated")

    def release(self, reason: str) -> None:
        """Release everything; the servos hold the last positions."""
        if self._grab is None:
            return
        self._report(reason)
        self._grab = None
        for subscription in self._listeners:
            self.destroy_subscription(subscription)
        self._outputs.destroy()
        self.destroy_publisher(self._progress)
        self._diagnostics.destroy()
        if self._watchdog is not None:
            self.destroy_timer(self._watchdog)

    # --- what arrives -------------------------------------------------------------------------

    def _taker(self, topic: str) -> Callable[[Any], None]:
        """Return the callback for the messages of a topic."""

        def take(message: Any) -> None:
            stamp = to_nanoseconds(message.header.stamp)
            if stamp < self._stamp:
                self._watch.counts.dropped += 1  # too late; if all were late, the clock went back
            whole = self._sets.add(topic, stamp, message)
            if whole is None or self._grab is None:
                return
            if self.settings.lockstep:
                self._steps.take(stamp)
            if self._grab.engaged:
                self._take_state(stamp, whole)
            else:
                self._look_at(stamp, whole)

        return take

    def _drop(self, _line: str) -> None:
        self._watch.counts.dropped += 1

    def _look_at(self, stamp: int, messages: dict[str, Any]) -> None:
        """Check a state of an inactive robot; it may block an activation."""
        assert self._grab is not None
        self._last = time.monotonic()
        self._grab.look(stamp, self._reader.read(messages))

    def _take_state(self, stamp: int, messages: dict[str, Any]) -> None:
        """Answer the messages of all topics with one stamp."""
        received, lockstep = time.perf_counter(), self.settings.lockstep
        if stamp == self._stamp:
            if lockstep:
                self._outputs.repeat_answer()
            return
        if stamp < self._stamp:
            self._end(f"clock jumped back by {(self._stamp - stamp) * 1e-9:.3f} s")
            self._watch.resume()
        self._sets.forget(stamp)
        if not (lockstep or self._watch.take(stamp, received)):
            return
        if problem := self._steps.problem or self._watch.problem:
            self._end(problem)
        answer = self._answer(stamp, messages)
        self._last, self._silent = time.monotonic(), False
        if answer is None:
            return
        self._send(answer, stamp, messages[JOINTS].header.stamp, received)
        if not lockstep:
            self._watch.answered(time.perf_counter() - received)

    def _answer(self, stamp: int, messages: dict[str, Any]) -> GrabAnswer | None:
        """Return the answer to messages of one stamp, and log why the robot is only held."""
        assert self._grab is not None
        timeout, before = self.settings.state_timeout, self._grab.fault
        try:
            answer = self._grab.answer(stamp, self._reader.read(messages), timeout)
        except ImpactError as error:
            answer = self._grab.held(stamp, str(error), timeout)
        if self._grab.fault and not before:
            self._say_ended()
        elif not self._grab.fault and (answer is None or answer.problem):
            self._watch.counts.dropped += 1
            why = "first state cannot be used" if answer is None else answer.problem
            self._log.warning(f"held: {why}")
        return answer

    def _send(self, answer: GrabAnswer, stamp: int, header_stamp: Any, received: float) -> None:
        """Send an answer with its reports."""
        assert self._grab is not None
        self._stamp, outputs, counts = stamp, self._outputs, self._watch.counts
        counts.infeasible = self._grab.infeasible
        took = time.perf_counter() - received
        outputs.begin_answer(answer.positions, header_stamp)

        def status() -> ControllerStatus:
            made = grab_status(answer, counts, header_stamp, self._limits)
            made.solve_time, made.cycle_time = took, outputs.sent - received
            return made

        more = [(self._progress, grab_message(answer, header_stamp))]
        outputs.finish_answer(status, header_stamp, more, position=answer.positions)

    # --- what ends the grab -------------------------------------------------------------------

    def _end(self, reason: str) -> None:
        """End the grab where the robot is, and log it once."""
        if self._grab is None or self._grab.fault:
            return
        self._grab.stop(reason)
        self._say_ended()

    def _say_ended(self) -> None:
        self.get_logger().error(f"the grab was ended: {self.fault}; it is held where it is")

    @property
    def _silence(self) -> float:
        """Since the last state [s]."""
        return time.monotonic() - self._last

    def _look(self) -> None:
        """End the grab if states stop arriving; the servos hold the last positions."""
        silent = self._silence
        if self._grab is None or not self._grab.engaged:
            return
        if self._silent or silent <= self.settings.state_timeout:
            return
        self._silent, before = True, self._grab.fault
        self._grab.lose(f"no state for {silent:.3f} s: none of {', '.join(self._sets.missing)}")
        if not before:
            self._say_ended()
        self._report(self.fault)
        self._watch.resume()

    def _report(self, text: str) -> None:
        """Publish that nothing is commanded any more, and why."""
        fault = Fault.NONE if self._grab is None else self._grab.fault_kind
        stamp = from_nanoseconds(max(self._stamp, 0))
        status = status_message(self._watch.counts, text, stamp, fault=fault, limits=self._limits)
        self._outputs.report(status)


main = main_for(ImpactHumanoidNode)

if __name__ == "__main__":
    raise SystemExit(main())
