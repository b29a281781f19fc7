# SPDX-License-Identifier: Apache-2.0
"""The controller as a lifecycle node: states in, commands out, safe whatever arrives."""

from __future__ import annotations

import time
from collections.abc import Iterable
from dataclasses import fields
from typing import Any

import numpy as np
from rclpy.action import ActionServer, CancelResponse
from rclpy.action.server import ServerGoalHandle
from rclpy.clock import Clock
from rclpy.clock_type import ClockType
from rclpy.duration import Duration
from rclpy.lifecycle import LifecycleNode, LifecycleState, TransitionCallbackReturn
from rclpy.task import Future
from sensor_msgs.msg import JointState
from std_msgs.msg import Float64MultiArray, Header

from impact_msgs.action import ExecuteImpact
from impact_msgs.msg import (
    Contact,
    ControllerStatus,
    DetectorStatus,
    ImpactAnnouncement,
    ImpactEstimate,
    JointCommand,
)
from impact_predictor.answers import prediction_message
from impact_qp.controller import Command, ImpactController, Phase
from impact_qp.exceptions import ControlError
from impact_qp.goal import (
    BAD_GOAL,
    CANCELED,
    INACTIVE,
    INPUT_LOST,
    OK,
    PREEMPTED,
    End,
    GoalRun,
    plan_of,
)
from impact_qp.parameters import ControllerParameters
from impact_robots import ArmDynamics
from impact_robots.exceptions import ImpactError
from impact_ros.main import main_for
from impact_ros.messages import (
    JointReader,
    fill,
    from_nanoseconds,
    non_finite,
    set_vector,
    to_nanoseconds,
    vector,
)
from impact_ros.parameters import declare, from_values
from impact_ros.qos import LATCHED, LOCKSTEP, SENSOR, STREAM
from impact_ros.spin import freeze_garbage

FEEDBACK_RATE = 50.0  # of a goal [Hz]
ACKNOWLEDGED_WITHIN = Duration(seconds=0.1)  # the last command, before its publisher goes

MODES = {
    Phase.APPROACH: ControllerStatus.MODE_APPROACH,
    Phase.COAST: ControllerStatus.MODE_COAST,
    Phase.RETRACT: ControllerStatus.MODE_RETRACT,
    Phase.HOLD: ControllerStatus.MODE_HOLD,
    Phase.PRESS: ControllerStatus.MODE_PRESS,
}
COMMANDS = {
    "torque": JointCommand.INTERFACE_TORQUE,
    "velocity": JointCommand.INTERFACE_VELOCITY,
    "position": JointCommand.INTERFACE_POSITION,
}
LIMITS = {
    "unaware": ControllerStatus.IMPACT_LIMITS_UNAWARE,
    "robust": ControllerStatus.IMPACT_LIMITS_ROBUST,
    "existential": ControllerStatus.IMPACT_LIMITS_EXISTENTIAL,
    "nominal": ControllerStatus.IMPACT_LIMITS_NOMINAL,
}


class ImpactQpNode(LifecycleNode):
    """Approaches a surface at the highest safe speed, coasts on impact, and retracts.

    Answers every `joint_states` message while active. Once it was active it goes on answering with
    a braking, then holding command when it is deactivated, when the clock jumps back or when the
    detector falls silent, and sends one zero command (positions: the last one) when the states fall
    silent, at cleanup and at shutdown.
    """

    PARAMETERS = ControllerParameters

    def __init__(self, **options) -> None:
        """Declare the parameters; everything else waits for `configure`."""
        super().__init__("impact_qp", **options)
        declare(self, ControllerParameters)
        self._controller: ImpactController | None = None
        self._goals: ActionServer | None = None
        self._run = self._handle = self._finished = None
        self._ends: dict[bytes, Future] = {}  # of goals whose result is not out yet
        self._active = False
        self._verdict: DetectorStatus | None = None  # of the detector, on the newest state
        self._forget()

    def _forget(self) -> None:
        """Start from nothing sent, and no state heard."""
        self._engaged = False  # has commanded since configuration
        self._fault = ""
        self._pending: JointState | None = None
        self._state: tuple[np.ndarray, np.ndarray] | None = None  # the last usable one
        self._received = 0.0  # when the pending state came [s of a monotonic clock]
        self._verdict_time = self._state_time = time.monotonic()
        self._stamp = -1
        self._answer: tuple[tuple[Any, Any], ...] = ()
        self._run: GoalRun | None = None  # of the goal that is carried out
        self._handle = self._finished = None  # of that goal, and the future of its end
        self._cycle = 0
        self._announced: bool | None = None  # that an impact is due; None: nothing was said yet
        self._silent = False  # no states: the arm was put to rest
        self._infeasible = self._missed = self._dropped = 0

    # --- life cycle ---------------------------------------------------------------------------

    def on_configure(self, state: LifecycleState) -> TransitionCallbackReturn:
        """Load the robot, make the controller and the topics."""
        try:
            self._settings = self._read_parameters()
            self._robot = self._settings.load_robot()
            plan = self._settings.plan()
            self._controller = ImpactController(self._robot, plan, period=1.0 / self._settings.rate)
        except ImpactError as error:
            self.get_logger().error(str(error))
            return TransitionCallbackReturn.FAILURE
        if self._settings.speed > self._settings.speed_cap:
            self.get_logger().warning(
                f"speed {self._settings.speed} m/s is capped at {plan.speed} m/s (speed_cap)"
            )
        self._reader = JointReader(self._robot.joint_names)
        self._make_topics()
        self._verdict = None
        self._forget()
        freeze_garbage()
        return TransitionCallbackReturn.SUCCESS

    def _read_parameters(self) -> ControllerParameters:
        """Return the parameters as they are now."""
        names = [field.name for field in fields(ControllerParameters)]
        values = {name: self.get_parameter(name).value for name in names}
        return from_values(ControllerParameters, values)

    def _make_topics(self) -> None:
        """Create publishers, subscriptions and, outside lockstep, the watchdog."""
        lockstep = self._settings.lockstep
        profile = LOCKSTEP if lockstep else SENSOR
        self._commands = self.create_publisher(JointCommand, "~/command", STREAM)
        self._values = self.create_publisher(Float64MultiArray, "~/commands", STREAM)
        self._desired = self.create_publisher(JointState, "~/desired_joint_states", STREAM)
        self._status = self.create_publisher(ControllerStatus, "~/status", STREAM)
        self._announcement = self.create_publisher(ImpactAnnouncement, "~/announcement", LATCHED)
        self._inputs = [
            self.create_subscription(JointState, "joint_states", self._on_state, profile),
            self.create_subscription(
                DetectorStatus, "impact_detector/status", self._on_verdict, profile
            ),
        ]
        self._inputs.append(
            self.create_subscription(
                ImpactEstimate, "impact_detector/estimate", self._on_estimate, LATCHED
            )
        )
        self._goals = ActionServer(
            self,
            ExecuteImpact,
            "~/execute_impact",
            self._execute,
            handle_accepted_callback=self._on_goal,
            cancel_callback=lambda handle: CancelResponse.ACCEPT,
        )
        period = self._settings.state_timeout / 2.0
        steady = Clock(clock_type=ClockType.STEADY_TIME)  # watches while simulated time stands
        self._watchdog = None if lockstep else self.create_timer(period, self._watch, clock=steady)

    def on_activate(self, state: LifecycleState) -> TransitionCallbackReturn:
        """Approach from the next state on."""
        self._controller.reset()
        self._forget()
        if not self._settings.approach_on_activation:
            self._controller.stop()
        self._active = self._engaged = True
        return super().on_activate(state)

    def on_deactivate(self, state: LifecycleState) -> TransitionCallbackReturn:
        """Brake and hold for as long as states arrive."""
        self._active = False
        self._controller.stop()
        self._end_goal(End(PREEMPTED, "deactivated"))
        return super().on_deactivate(state)

    def on_cleanup(self, state: LifecycleState) -> TransitionCallbackReturn:
        """Send the last safe command and release everything."""
        self._release("cleaned up")
        return TransitionCallbackReturn.SUCCESS

    def on_shutdown(self, state: LifecycleState) -> TransitionCallbackReturn:
        """Send the last safe command and release everything."""
        self._release("shut down")
        return TransitionCallbackReturn.SUCCESS

    def _release(self, reason: str) -> None:
        """Destroy what `configure` made, after a last command if the arm was commanded at all."""
        if self._controller is None:
            return
        self._end_goal(End(PREEMPTED, reason))
        if self._engaged:
            self._send_rest(reason)
            self._commands.wait_for_all_acked(ACKNOWLEDGED_WITHIN)
        self._active, self._engaged, self._controller = False, False, None
        self._goals.destroy()
        self._goals = None
        for subscription in self._inputs:
            self.destroy_subscription(subscription)
        publishers = (self._commands, self._values, self._desired, self._status)
        for publisher in (*publishers, self._announcement):
            self.destroy_publisher(publisher)
        if self._watchdog is not None:
            self.destroy_timer(self._watchdog)

    def destroy_node(self) -> None:
        """Destroy the node with action and life-cycle services; rclpy leaves these to chance."""
        if self._goals is not None:
            self._goals.destroy()
            self._goals = None
        super().destroy_node()
        self._state_machine.destroy_when_not_in_use()

    # --- inputs -------------------------------------------------------------------------------

    def _on_state(self, message: JointState) -> None:
        """Take a state; in lockstep the answer waits for the detector's verdict on it."""
        if not self._engaged:
            return
        stamp = to_nanoseconds(message.header.stamp)
        if stamp == self._stamp:  # sent again: the answer got lost, or was not waited for
            self._repeat()
            return
        if stamp < self._stamp:
            self._stop(f"clock jumped back by {(self._stamp - stamp) * 1e-9:.3f} s")
            self._stamp = stamp - 1  # say so once
        self._pending, self._received = message, time.perf_counter()
        if not self._settings.lockstep or self._judged(message):
            self._answer_state(message)

    def _judged(self, message: JointState) -> bool:
        verdict = self._verdict
        return verdict is not None and verdict.header.stamp == message.header.stamp

    def _on_verdict(self, message: DetectorStatus) -> None:
        """Take the detector's verdict on a state."""
        self._verdict, self._verdict_time = message, time.monotonic()
        waits = self._engaged and self._settings.lockstep
        if waits and self._pending is not None and self._judged(self._pending):
            self._answer_state(self._pending)

    # --- one cycle ----------------------------------------------------------------------------

    def _answer_state(self, message: JointState) -> None:
        """Compute and send the command for one state."""
        started = time.perf_counter()
        self._pending = None
        command = self._compute(message)
        if command is None:
            self._dropped += 1
            return
        self._stamp = to_nanoseconds(message.header.stamp)
        self._state_time, self._silent = time.monotonic(), False
        self._infeasible += bool(command.relaxed)
        solved = time.perf_counter() - started
        early = not self._settings.lockstep
        reply = (self._commands, self._command_message(message, command))
        if early:
            _send((reply,))
        values = (self._values, self._values_message(command))
        if early:
            _send((values,))
        cycle = time.perf_counter() - self._received
        self._missed += early and cycle > 1.0 / self._settings.rate
        status = self._status_message(message, command, solved, cycle)
        self._announce(command.due)
        told = ((self._desired, self._desired_message(message, command)), (self._status, status))
        _send(told)
        if not early:  # last, so that it arrives when all else is there
            _send((values, reply))
        self._answer = (*told, values, reply)
        self._watch_goal(status, command)

    def _compute(self, message: JointState) -> Command | None:
        """Return the command for a state, None if the state cannot be used."""
        try:
            q, dq, _ = self._reader.read(message)
            if bad := non_finite(self._robot.joint_names, position=q, velocity=dq):
                raise ControlError(f"not finite: {', '.join(bad)}")
            verdict = self._verdict or DetectorStatus()
            self._state = q, dq
            return self._controller.update(q, dq, impact=verdict.impact, ready=verdict.ready)
        except ImpactError as error:
            self.get_logger().warning(f"state dropped: {error}", throttle_duration_sec=1.0)
            return None

    def _repeat(self) -> None:
        """Send the last answer."""
        _send(self._answer)

    # --- goals --------------------------------------------------------------------------------

    def _on_goal(self, handle: ServerGoalHandle) -> None:
        """Begin a goal; it takes the place of the one before it."""
        self._end_goal(End(PREEMPTED, "another goal came"))
        self._handle, self._finished = handle, Future(executor=self.executor)
        self._ends[bytes(handle.goal_id.uuid)] = self._finished
        end = self._begin(handle.request)
        handle.execute()
        if end is not None:
            self._end_goal(end)

    def _begin(self, goal: ExecuteImpact.Goal) -> End | None:
        """Let the controller approach for a goal; return why not if it cannot."""
        if not self._active or self._fault:
            return End(INACTIVE, self._fault or "activate the controller first")
        if self._state is None:
            return End(INPUT_LOST, "no joint state yet")
        settings = self._settings
        try:
            plan = plan_of(goal, settings.plan(), settings.speed_cap, self._robot.base_frame)
            controller = ImpactController(self._robot, plan, period=1.0 / settings.rate)
        except ImpactError as error:
            return End(BAD_GOAL, str(error))
        timeout = settings.goal_timeout if np.isnan(goal.timeout) else goal.timeout
        run, state = GoalRun(self._robot, plan, timeout), ArmDynamics(self._robot)(*self._state)
        limit = controller.impact_limit
        bound = np.inf if limit is None else limit.speed_bound(state).speed
        if (refusal := run.refusal(bound, plan.contact.gap(state.position))) is not None:
            return refusal
        controller.take_over(self._controller)
        self._controller, self._run = controller, run
        return None

    async def _execute(self, handle: ServerGoalHandle) -> ExecuteImpact.Result:
        """Wait for the end of a goal and report it."""
        end, run = await self._ends[bytes(handle.goal_id.uuid)]
        del self._ends[bytes(handle.goal_id.uuid)]
        if end.code == OK:
            handle.succeed()
        elif end.code == CANCELED:
            handle.canceled()
        else:
            handle.abort()
        return self._result(end, run)

    def _end_goal(self, end: End) -> None:
        """End the goal that is carried out, if any."""
        finished, self._finished = self._finished, None
        run, self._run, self._handle = self._run, None, None
        if finished is not None:
            finished.set_result((end, run))

    def _watch_goal(self, status: ControllerStatus, command: Command) -> None:
        """Look after a goal once a cycle."""
        if self._run is None:
            return
        if self._handle.is_cancel_requested:
            self._controller.stop()
            self._end_goal(End(CANCELED, "cancelled"))
            return
        impact = bool(self._verdict and self._verdict.impact)
        end = self._run.add(self._stamp, *self._state, command, impact)
        if end is not None:
            if end.code != OK:
                self._controller.stop()
            self._end_goal(end)
            return
        self._cycle += 1
        if self._cycle % max(1, round(self._settings.rate / FEEDBACK_RATE)) == 0:
            self._handle.publish_feedback(_feedback(status))

    def _on_estimate(self, message: ImpactEstimate) -> None:
        """Take the detector's estimate of an impact."""
        if self._run is not None:
            self._run.take_estimate(message, to_nanoseconds(message.impact_time))

    def _result(self, end: End, run: GoalRun | None) -> ExecuteImpact.Result:
        """Return what became of a goal."""
        unknown = float("nan")
        result = ExecuteImpact.Result(success=end.code == OK, code=end.code, message=end.message)
        result.contact_speed = result.speed_bound = unknown
        if run is None or run.impact_time is None:
            return result
        result.contact_speed, result.speed_bound = run.contact_speed, run.speed_bound
        if (prediction := run.prediction()) is not None:
            header = Header(frame_id=self._robot.base_frame)
            from_nanoseconds(run.impact_time, header.stamp)
            result.announced = prediction_message(prediction, None, header)
        if run.estimate is not None:
            result.measured = run.estimate
            if run.estimate.header.frame_id == self._robot.base_frame:
                result.impulse_in_set = run.holds_impulse(vector(run.estimate.impulse))
        return result

    # --- failures -----------------------------------------------------------------------------

    def _watch(self) -> None:
        """Stop when the states or the detector fall silent."""
        if not self._engaged or self._silent:
            return
        now, limit = time.monotonic(), self._settings.state_timeout
        if now - self._state_time > limit:
            self._lose_states(f"no joint state for {now - self._state_time:.3f} s")
        elif self._active and not self._fault and now - self._verdict_time > limit:
            self._stop(f"no detector status for {now - self._verdict_time:.3f} s")

    def _lose_states(self, reason: str) -> None:
        """Put the arm to rest: a driver would hold the last command, whatever the arm does."""
        if self._active:
            self._stop(reason)
        self._silent = True
        self._send_rest(reason)

    def _stop(self, reason: str) -> None:
        """Brake and hold until the node is activated again."""
        self._fault = reason
        self._controller.stop()
        self._end_goal(End(INPUT_LOST, reason))
        self.get_logger().error(f"stopped: {reason}; deactivate and activate to go on")

    def _send_rest(self, reason: str) -> None:
        """Send what lets the arm rest: gravity compensation, or zero velocity."""
        rest, status = self._controller.rest(), self._new_status(reason)
        status.mode = ControllerStatus.MODE_STOPPED
        from_nanoseconds(max(self._stamp, 0), status.header.stamp)
        self._controller.let_go()
        self._announce(False)
        self._status.publish(status)
        if rest is None:
            return
        command = self._new_command(rest)
        command.header.stamp = status.header.stamp
        self._values.publish(Float64MultiArray(data=rest))
        self._commands.publish(command)

    def _announce(self, due: bool) -> None:
        """Say whether an impact is due, if that is news."""
        if due is self._announced:
            return
        self._announced = due
        message = ImpactAnnouncement(withdrawn=not due)
        from_nanoseconds(max(self._stamp, 0), message.header.stamp)
        message.header.frame_id = self._robot.base_frame
        if due:
            message.window_start = message.header.stamp
            self._fill_contact(message.contact)
        self._announcement.publish(message)

    # --- messages -----------------------------------------------------------------------------

    def _fill_contact(self, message: Contact) -> None:
        """Write the planned contact."""
        contact = self._controller.plan.contact
        low, high = contact.restitution
        message.frame = self._robot.contact_frame
        set_vector(message.normal, contact.rotation[:, 2])
        message.friction = contact.friction
        message.restitution = (low + high) / 2
        message.restitution_uncertainty = (high - low) / 2

    def _values_of(self, command: Command) -> np.ndarray:
        kind = self._settings.interface
        values = {"torque": command.driver_torque, "velocity": command.velocity}
        return values.get(kind, command.position)

    def _new_command(self, values: np.ndarray) -> JointCommand:
        torque = self._settings.interface == "torque"
        message = JointCommand(
            interface=COMMANDS[self._settings.interface],
            includes_gravity=torque and not self._robot.driver_compensates_gravity,
            joint_names=self._robot.joint_names,
        )
        fill(message.values, values)
        return message

    def _command_message(self, state: JointState, command: Command) -> JointCommand:
        message = self._new_command(self._values_of(command))
        message.header.stamp = state.header.stamp
        return message

    def _values_message(self, command: Command) -> Float64MultiArray:
        message = Float64MultiArray()
        fill(message.data, self._values_of(command))
        return message

    def _desired_message(self, state: JointState, command: Command) -> JointState:
        """Return the commanded motion; its effort is what the torque sensors should read."""
        message = JointState(name=self._robot.joint_names)
        message.header.stamp = state.header.stamp
        fill(message.velocity, command.velocity)
        fill(message.position, np.full(self._robot.dof, np.nan))
        fill(message.effort, command.reference_torque)
        return message

    def _status_message(
        self, state: JointState, command: Command, solved: float, cycle: float
    ) -> ControllerStatus:
        blind = command.phase is Phase.APPROACH and not (self._verdict and self._verdict.ready)
        waits = "waiting: the detector is not ready" if blind else ""
        message = self._new_status(self._fault or waits)
        message.solve_time, message.cycle_time = solved, cycle
        message.header.stamp = state.header.stamp
        message.mode = MODES[command.phase]
        message.active_constraints = command.active
        message.relaxed_constraints = command.relaxed
        message.slack = command.slack
        message.normal_speed = command.normal_speed
        message.speed_bound = command.speed_bound
        message.gap = command.gap
        return message

    def _new_status(self, text: str) -> ControllerStatus:
        """Return a status with all counts, the quantities of the arm unknown."""
        unknown = float("nan")
        return ControllerStatus(
            impact_limits=LIMITS[self._settings.impact_limits],
            slack=unknown,
            solve_time=unknown,
            cycle_time=unknown,
            normal_speed=unknown,
            speed_bound=unknown,
            gap=unknown,
            infeasible_cycles=self._infeasible,
            missed_cycles=self._missed,
            dropped_inputs=self._dropped,
            message=text,
        )


def _send(messages: Iterable[tuple[Any, Any]]) -> None:
    """Publish each message with its publisher."""
    for publisher, message in messages:
        publisher.publish(message)


def _feedback(status: ControllerStatus) -> ExecuteImpact.Feedback:
    """Return the progress that a status tells."""
    active = status.active_constraints
    return ExecuteImpact.Feedback(
        distance=status.gap,
        speed=-status.normal_speed,
        bound=status.speed_bound,
        active_limit=active[0] if active else "",
        phase=status.mode,
    )


main = main_for(ImpactQpNode)
