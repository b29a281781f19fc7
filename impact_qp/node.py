# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""The controller as a lifecycle node: states in, commands out, safe whatever arrives."""

from __future__ import annotations

import time
from collections.abc import Iterable
from dataclasses import fields
from typing import Any

import numpy as np
from diagnostic_msgs.msg import DiagnosticArray
from rclpy.clock import Clock
from rclpy.clock_type import ClockType
from rclpy.duration import Duration
from rclpy.lifecycle import LifecycleNode, LifecycleState, TransitionCallbackReturn
from sensor_msgs.msg import JointState
from std_msgs.msg import Float64MultiArray

from impact_msgs.action import ExecuteImpact
from impact_msgs.msg import (
    ControllerStatus,
    DetectorStatus,
    ImpactAnnouncement,
    ImpactEstimate,
    JointCommand,
)
from impact_qp.control.command import Command
from impact_qp.control.controller import ImpactController
from impact_qp.control.guarded import GuardedController
from impact_qp.control.phases import Phase
from impact_qp.control.takeover import cannot_be_made_safe
from impact_qp.parameters import ControllerParameters
from impact_qp.ros.goal import BAD_GOAL, INACTIVE, INPUT_LOST, PREEMPTED, End, GoalRun
from impact_qp.ros.goal_reader import plan_of
from impact_qp.ros.goal_server import GoalServer
from impact_qp.ros.messages import (
    announcement_message,
    command_message,
    desired_message,
    diagnostics_message,
    fill_status,
    status_message,
    values_of,
)
from impact_qp.ros.supervision import CycleWatch
from impact_robots import ArmDynamics
from impact_robots.exceptions import ImpactError
from impact_ros.boundary import guarded
from impact_ros.main import main_for
from impact_ros.messages import JointReader, fill, from_nanoseconds, to_nanoseconds
from impact_ros.parameters import declare, from_values
from impact_ros.qos import LATCHED, LOCKSTEP, SENSOR, STREAM
from impact_ros.spin import freeze_garbage

DIAGNOSTIC_PERIOD = 1.0  # [s]
ACKNOWLEDGED_WITHIN = Duration(seconds=0.1)  # the last command, before its publisher goes
STATES, VERDICTS = "joint_states", "impact_detector/status"


class ImpactQpNode(LifecycleNode):
    """Approaches a surface at the highest safe speed, coasts on impact, and retracts.

    Answers every `joint_states` message while active. Once it was active it goes on answering with
    a braking, then holding command when it is deactivated, when the clock jumps back, when cycles
    are missed or when the detector falls silent. When the states fall silent or cannot be believed,
    at cleanup and at shutdown it brings the arm to rest: zero torque or velocity (positions: the
    last one), reached at the robot's rate limits.
    """

    PARAMETERS = ControllerParameters

    def __init__(self, **options) -> None:
        """Declare the parameters; everything else waits for `configure`."""
        super().__init__("impact_qp", **options)
        self._guarded: GuardedController | None = None
        self._goal_server: GoalServer | None = None
        self._active = self._engaged = False
        declare(self, ControllerParameters)
        self._verdict: DetectorStatus | None = None  # of the detector, on the newest state
        self._state: tuple[np.ndarray, np.ndarray] | None = None  # the last usable one
        self._state_time = time.monotonic()
        self._watch = CycleWatch(1.0, 0)
        self._forget()

    def _forget(self) -> None:
        """Start from nothing sent."""
        self._engaged = False  # has commanded since configuration
        self._fault = ""
        self._pending: JointState | None = None
        self._received = 0.0  # when the pending state came [s of a monotonic clock]
        self._sent = 0.0  # when the last command left [s of the same clock]
        self._verdict_time = self._state_time = time.monotonic()
        self._stamp = -1
        self._answer: tuple[tuple[Any, Any], ...] = ()
        self._announced: bool | None = None  # that an impact is due; None: nothing was said yet
        self._silent = False  # no states: the arm was put to rest
        self._idle = False  # activated, and told to do nothing so far
        self._watch.reset()

    # --- life cycle ---------------------------------------------------------------------------

    def on_configure(self, state: LifecycleState) -> TransitionCallbackReturn:
        """Load the robot, make the controller and the topics."""
        try:
            settings = self._settings = self._read_parameters()
            self._robot = settings.load_robot()
            plan, period = settings.plan(), 1.0 / settings.rate
            self._guarded = GuardedController(ImpactController(self._robot, plan, period=period))
        except ImpactError as error:
            self.get_logger().error(str(error))
            return TransitionCallbackReturn.FAILURE
        if settings.speed > settings.speed_cap:
            self.get_logger().warning(
                f"speed {settings.speed} m/s is capped at {plan.speed} m/s (speed_cap)"
            )
        if self._robot.assumed:
            self.get_logger().info(
                f"robot {self._robot.name}: {', '.join(self._robot.assumed)} are assumed"
            )
        self._reader = JointReader(self._robot.joint_names)
        self._dynamics = ArmDynamics(self._robot)
        self._watch = CycleWatch(period, settings.max_consecutive_missed)
        self._make_topics()
        self._verdict = self._state = None
        self._forget()
        freeze_garbage()
        self.get_logger().info(f"configured: {settings.summary()}")
        return TransitionCallbackReturn.SUCCESS

    def _read_parameters(self) -> ControllerParameters:
        """Return the parameters as they are now."""
        names = [field.name for field in fields(ControllerParameters)]
        values = {name: self.get_parameter(name).value for name in names}
        return from_values(ControllerParameters, values)

    def _make_topics(self) -> None:
        """Create publishers, subscriptions and, outside lockstep, the watchdog."""
        settings = self._settings
        profile = LOCKSTEP if settings.lockstep else SENSOR
        self._commands = self.create_publisher(JointCommand, "~/command", STREAM)
        self._values = self.create_publisher(Float64MultiArray, "~/commands", STREAM)
        self._desired = self.create_publisher(JointState, "~/desired_joint_states", STREAM)
        self._status = self.create_publisher(ControllerStatus, "~/status", STREAM)
        self._announcement = self.create_publisher(ImpactAnnouncement, "~/announcement", LATCHED)
        self._diagnostics = self.create_publisher(DiagnosticArray, "/diagnostics", STREAM)
        estimates, goals = (
            "impact_detector/estimate",
            GoalServer(self, self._begin, self._stop_moving, settings.rate),
        )
        self._goal_server = goals
        self._inputs = [
            self.create_subscription(kind, topic, guarded(self, topic, callback, dropped), quality)
            for kind, topic, callback, dropped, quality in (
                (JointState, STATES, self._on_state, self._on_dropped_state, profile),
                (DetectorStatus, VERDICTS, self._on_verdict, None, profile),
                (ImpactEstimate, estimates, goals.take_estimate, None, LATCHED),
            )
        ]
        steady = Clock(clock_type=ClockType.STEADY_TIME)  # watches while simulated time stands
        self._timers_made = [self.create_timer(DIAGNOSTIC_PERIOD, self._report, clock=steady)]
        if not settings.lockstep:
            period = settings.state_timeout / 2.0
            self._timers_made.append(self.create_timer(period, self._watch_inputs, clock=steady))

    def on_activate(self, state: LifecycleState) -> TransitionCallbackReturn:
        """Approach from the next state on, unless the arm is too fast for it."""
        self.get_logger().info("activation was requested")
        if reason := self._why_not_now():
            self.get_logger().error(f"not activated: {reason}")
            return TransitionCallbackReturn.FAILURE
        self._guarded.reset()
        self._forget()
        self._idle = not self._settings.approach_on_activation
        if self._idle:
            self._guarded.controller.stop()
        self._active = self._engaged = True
        return super().on_activate(state)

    def _why_not_now(self) -> str:
        """Return why the approach cannot begin from the last state, "" if it can."""
        if self._guarded.doubts:
            return f"the joint states are not believed: {self._guarded.fault}"
        fresh = time.monotonic() - self._state_time < self._settings.state_timeout
        if self._state is None or not (fresh or self._settings.lockstep):
            return ""  # the first state tells
        controller, state = self._guarded.controller, self._dynamics(*self._state)
        gap = controller.plan.contact.gap(state.position)
        return cannot_be_made_safe(self._robot, controller.impact_limit, state, gap)

    def on_deactivate(self, state: LifecycleState) -> TransitionCallbackReturn:
        """Brake and hold for as long as states arrive."""
        self.get_logger().info("deactivation was requested")
        self._active = False
        self._stop_moving()
        self._goal_server.end(End(PREEMPTED, "deactivated"))
        return super().on_deactivate(state)

    def on_cleanup(self, state: LifecycleState) -> TransitionCallbackReturn:
        """Bring the arm to rest and release everything."""
        self._release("cleaned up")
        return TransitionCallbackReturn.SUCCESS

    def on_shutdown(self, state: LifecycleState) -> TransitionCallbackReturn:
        """Bring the arm to rest and release everything."""
        self._release("shut down")
        return TransitionCallbackReturn.SUCCESS

    def _release(self, reason: str) -> None:
        """Destroy what `configure` made, after a last command if the arm was commanded at all."""
        if self._guarded is None:
            return
        self.get_logger().info(f"{reason} by request")
        self._goal_server.end(End(PREEMPTED, reason))
        if self._engaged:
            self._bring_to_rest(reason)
            self._commands.wait_for_all_acked(ACKNOWLEDGED_WITHIN)
        self._active, self._engaged, self._guarded = False, False, None
        self._goal_server.destroy()
        self._goal_server = None
        for subscription in self._inputs:
            self.destroy_subscription(subscription)
        publishers = (self._commands, self._values, self._desired, self._status)
        for publisher in (*publishers, self._announcement, self._diagnostics):
            self.destroy_publisher(publisher)
        for timer in self._timers_made:
            self.destroy_timer(timer)

    def destroy_node(self) -> None:
        """Destroy the node with action and life-cycle services; rclpy leaves these to chance."""
        if self._goal_server is not None:
            self._goal_server.destroy()
            self._goal_server = None
        super().destroy_node()
        self._state_machine.destroy_when_not_in_use()

    # --- inputs -------------------------------------------------------------------------------

    def _on_state(self, message: JointState) -> None:
        """Take a state; in lockstep the answer waits for the detector's verdict on it."""
        stamp = to_nanoseconds(message.header.stamp)
        if not self._engaged:
            self._look_at(message, stamp)
            return
        if stamp == self._stamp:
            self._on_repeated()
            return
        if not self._settings.lockstep and not self._silent:
            self._watch_inputs()  # whoever wakes first after a pause: this or the watchdog
        if stamp < self._stamp:
            self._stop(f"clock jumped back by {(self._stamp - stamp) * 1e-9:.3f} s")
            self._watch.resume()
            self._stamp = stamp - 1  # say so once
        self._pending, self._received = message, time.perf_counter()
        if not self._settings.lockstep or self._judged(message):
            self._answer_state(message)

    def _look_at(self, message: JointState, stamp: int) -> None:
        """Take a state that is not to be answered: where the arm is before an activation."""
        q, dq, _ = self._reader.read(message)
        if self._guarded.accepts(stamp, q, dq):
            self._state, self._state_time = (q, dq), time.monotonic()

    def _on_repeated(self) -> None:
        """Answer a state that was sent again in lockstep, where answers may be lost, as before.

        Elsewhere a stamp that stands still is that of a driver which has; it keeps nothing alive.
        """
        if self._settings.lockstep:
            _send(self._answer)

    def _on_dropped_state(self, _reason: str) -> None:
        self._watch.counts.dropped += 1

    def _judged(self, message: JointState) -> bool:
        verdict = self._verdict
        return verdict is not None and verdict.header.stamp == message.header.stamp

    def _on_verdict(self, message: DetectorStatus) -> None:
        """Take the detector's verdict on a state."""
        to_nanoseconds(message.header.stamp)
        self._verdict, self._verdict_time = message, time.monotonic()
        waits = self._engaged and self._settings.lockstep
        if waits and self._pending is not None and self._judged(self._pending):
            self._answer_state(self._pending)

    # --- one cycle ----------------------------------------------------------------------------

    def _answer_state(self, message: JointState) -> None:
        """Compute and send the command for one state."""
        started = time.perf_counter()
        self._pending = None
        stamp = to_nanoseconds(message.header.stamp)
        command = self._compute(message, stamp)
        if command is None:
            return
        self._stamp, self._state_time, self._silent = stamp, time.monotonic(), False
        self._notice(self._guarded.fault)
        solved = time.perf_counter() - started
        self._send_answer(message.header.stamp, command, started, solved)

    def _compute(self, message: JointState, stamp: int) -> Command | None:
        """Return the command for a state, None if nothing new is to be sent."""
        verdict = self._verdict or DetectorStatus()
        impact, guarded_controller = verdict.impact, self._guarded
        try:
            q, dq, _ = self._reader.read(message)
            command = None
            if guarded_controller.accepts(stamp, q, dq, impact=impact):
                if not self._is_due(stamp):
                    return None
                self._notice(self._watch.problem)
                command = guarded_controller.answer(
                    stamp, q, dq, impact=impact, ready=verdict.ready
                )
        except ImpactError as error:
            self._watch.counts.dropped += 1
            self.get_logger().warning(f"{STATES} dropped: {error}", throttle_duration_sec=1.0)
            return None
        if command is None:
            self._distrust(stamp)
        else:
            self._state = q, dq
        return command

    def _is_due(self, stamp: int) -> bool:
        """Tell whether a state is to be answered, or came faster than the rate."""
        return self._settings.lockstep or self._watch.take(stamp, self._received)

    def _send_answer(self, stamp: Any, command: Command, started: float, solved: float) -> None:
        """Send a command, outside lockstep before all else, and what there is to tell of it."""
        lockstep, counts = self._settings.lockstep, self._watch.counts
        values = values_of(command, self._settings.interface)
        replies = self._replies(values, stamp)
        if not lockstep:
            _send(replies)
        self._sent = time.perf_counter()
        cycle = self._sent - self._received
        if not lockstep:
            self._watch.answered(cycle)
        counts.infeasible += bool(command.relaxed)
        status = status_message(self._plan, counts, self._remark(command), stamp)
        fill_status(status, command)
        status.solve_time, status.cycle_time = solved, cycle
        if self._idle and command.phase is Phase.HOLD:
            status.mode = ControllerStatus.MODE_IDLE
        self._announce(command.due)
        desired = desired_message(self._robot.joint_names, command, stamp)
        told = ((self._desired, desired), (self._status, status))
        _send(told)
        if lockstep:  # last, so that it arrives when all else is there
            _send(replies)
        self._answer = (*told, *replies)
        impact = bool(self._verdict and self._verdict.impact)
        self._goal_server.watch(self._stamp, *self._state, command, status, impact)

    def _replies(self, values: np.ndarray, stamp: Any) -> tuple[tuple[Any, Any], ...]:
        """Return a command's two messages with their publishers; the stamped one comes last."""
        plain = Float64MultiArray()
        fill(plain.data, values)
        stamped = command_message(self._robot, self._settings.interface, values, stamp)
        pair = (self._values, plain), (self._commands, stamped)
        return pair if self._settings.lockstep else pair[::-1]

    @property
    def _plan(self) -> Any:
        return self._guarded.controller.plan

    def _remark(self, command: Command) -> str:
        """Return the status's line for people."""
        blind = command.phase is Phase.APPROACH and not (self._verdict and self._verdict.ready)
        return self._fault or ("waiting: the detector is not ready" if blind else "")

    def _notice(self, problem: str) -> None:
        """Stop for a problem: too many cycles missed, or an approach that must not begin."""
        if problem and self._active and not self._fault:
            self._stop(problem)

    # --- goals --------------------------------------------------------------------------------

    def _begin(self, goal: ExecuteImpact.Goal) -> GoalRun | End:
        """Let the controller approach for a goal; return why not if it cannot."""
        if not self._active or self._fault:
            return End(INACTIVE, self._fault or "activate the controller first")
        if self._state is None:
            return End(INPUT_LOST, "no joint state yet")
        settings = self._settings
        state = self._dynamics(*self._state)
        try:
            plan = plan_of(goal, settings, self._robot, state)
            controller = ImpactController(self._robot, plan, period=1.0 / settings.rate)
        except ImpactError as error:
            return End(BAD_GOAL, str(error))
        timeout = goal.timeout if goal.timeout > 0.0 else settings.goal_timeout
        run = GoalRun(self._robot, plan, timeout)
        if (refusal := run.refusal(controller.impact_limit, state)) is not None:
            return refusal
        self._guarded.adopt(controller)
        self._idle = False
        return run

    # --- failures -----------------------------------------------------------------------------

    def _watch_inputs(self) -> None:
        """Stop when the states or the detector fall silent."""
        if not self._engaged or self._silent:
            return
        now, limit = time.monotonic(), self._settings.state_timeout
        if now - self._state_time > limit:
            self._lose_states(f"no joint state for {now - self._state_time:.3f} s")
        elif self._active and not self._fault and now - self._verdict_time > limit:
            self._stop(f"no detector status for {now - self._verdict_time:.3f} s")

    def _distrust(self, stamp: int) -> None:
        """Put the arm to rest: its states cannot be believed, or the command must not be sent."""
        self._watch.counts.dropped += 1
        if not self._silent:
            self._stamp = stamp
            self._lose_states(self._guarded.fault)

    def _lose_states(self, reason: str) -> None:
        """Put the arm to rest: a driver would hold the last command, whatever the arm does."""
        if self._active:
            self._stop(reason)
        self._silent = True
        self._bring_to_rest(reason)

    def _stop(self, reason: str) -> None:
        """Brake and hold until the node is activated again."""
        self._fault = reason
        self._stop_moving()
        self._goal_server.end(End(INPUT_LOST, reason))
        self.get_logger().error(f"stopped: {reason}; deactivate and activate to go on")

    def _stop_moving(self) -> None:
        """Brake and hold."""
        self._guarded.controller.stop()

    def _bring_to_rest(self, reason: str) -> None:
        """Send what lets the arm rest, at the robot's rate limits; takes a tenth of a second."""
        stamp = from_nanoseconds(max(self._stamp, 0))
        status = status_message(self._plan, self._watch.counts, reason, stamp)
        status.mode = ControllerStatus.MODE_STOPPED
        self._announce(False)
        self._status.publish(status)
        due, period = time.perf_counter(), 1.0 / self._settings.rate
        due = max(due, self._sent + period)  # what is sent changes by one step a period at most
        for values in self._guarded.settle():
            time.sleep(max(0.0, due - time.perf_counter()))
            due += period
            _send(self._replies(values, stamp))
        self._watch.resume()

    def _announce(self, due: bool) -> None:
        """Say whether an impact is due, if that is news."""
        if due is self._announced:
            return
        self._announced = due
        stamp = from_nanoseconds(max(self._stamp, 0))
        self._announcement.publish(announcement_message(self._robot, self._plan, due, stamp))

    def _report(self) -> None:
        """Publish diagnostics; warn when somebody else publishes joint states too."""
        sources = self.count_publishers(self.resolve_topic_name(STATES))
        if sources > 1:
            self.get_logger().warning(
                f"{STATES} has {sources} publishers, expected one: the arm's",
                throttle_duration_sec=10.0,
            )
        name = self.get_fully_qualified_name().lstrip("/")
        stamp, counts = self.get_clock().now().to_msg(), self._watch.counts
        self._diagnostics.publish(diagnostics_message(name, stamp, self._fault, counts, sources))


def _send(messages: Iterable[tuple[Any, Any]]) -> None:
    """Publish each message with its publisher."""
    for publisher, message in messages:
        publisher.publish(message)


main = main_for(ImpactQpNode)
