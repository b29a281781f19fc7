# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""The controller as a lifecycle node: states in, commands out, with guards."""

from __future__ import annotations

from concurrent.futures import Future as Work
from functools import partial
from typing import Any

from rclpy.clock import Clock
from rclpy.clock_type import ClockType
from sensor_msgs.msg import JointState

from impact_msgs.action import ExecuteImpact, Strike, Touch
from impact_msgs.msg import DetectorStatus, ImpactEstimate
from impact_qp.control.controller import ImpactController
from impact_qp.control.guarded import GuardedController
from impact_qp.control.plan import Plan
from impact_qp.control.state_machine import Action, Event, StateMachine
from impact_qp.exact_friction import exact_friction_warning
from impact_qp.goals.goal import BAD_GOAL, INACTIVE, INPUT_LOST, PREEMPTED, End
from impact_qp.goals.planner import Check, Planner, start
from impact_qp.goals.start_check import activation_refusal, checked_goal
from impact_qp.limits.impact_limits.registry import AUTO
from impact_qp.parameters import ControllerParameters
from impact_qp.plan_parameters import warn_of_later_effect
from impact_qp.ros.actions.goal_server import Answer, GoalServer
from impact_qp.ros.actions.strike_server import StrikeServer, one_of, wanted_of
from impact_qp.ros.actions.touch_server import TouchServer
from impact_qp.ros.approach_cycle import ApproachCycle
from impact_qp.ros.control_cycle import bring_to_rest
from impact_qp.ros.diagnostics import DiagnosticsReporter
from impact_qp.ros.outputs import Outputs
from impact_qp.strike.series_run import Follow
from impact_qp.strike.strike_goal import StrikeTask, strike_task
from impact_qp.touch.touch_run import checked_touch
from impact_robots import PointState, Robot
from impact_robots.exceptions import ImpactError
from impact_ros.node.checked_callback import checked_callback
from impact_ros.node.lifecycle_node import SuiteLifecycleNode
from impact_ros.node.main import main_for
from impact_ros.node.spin import freeze_garbage
from impact_ros.parameters import current, declare
from impact_ros.qos import LATCHED, LOCKSTEP, SENSOR

STATES, DETECTIONS, ESTIMATES = "joint_states", "impact_detector/status", "impact_detector/estimate"


class ImpactQpNode(SuiteLifecycleNode):
    """Approaches a surface at the highest safe speed, coasts on impact, and retracts.

    Answers every `joint_states` message while active; :mod:`impact_qp.control.state_machine`
    decides the reactions to events. If the clock jumps back, cycles are missed or the detection
    status stops arriving, it brakes, then holds. Deactivated, it brakes, ramps its commands to
    rest, and then sends nothing. If states stop arriving or cannot be trusted, at cleanup and at
    shutdown it ramps the commands to rest: zero torque or velocity (positions: the last one), at
    the robot's rate limits.
    """

    PARAMETERS = ControllerParameters

    def __init__(self, **options) -> None:
        """Declare the parameters; everything else waits for `configure`."""
        super().__init__("impact_qp", **options)
        self._machine = StateMachine()
        self._guarded: GuardedController | None = None
        self._strikes: StrikeTask | None = None  # what a tool strikes, if one does
        self._goal_server = GoalServer(self, self._machine, self._begin)  # is destroyed in any case
        self._touch_server = TouchServer(self, self._machine, self._begin_touch, "~/touch")
        strikes = StrikeServer(self, self._machine, self._begin_strikes, "~/strike")
        self._servers: tuple[GoalServer, ...] = self._goal_server, self._touch_server, strikes
        declare(self, ControllerParameters)
        warn_of_later_effect(self, lambda: self._guarded is not None)

    # --- from configure to cleanup ------------------------------------------------------------

    def set_up(self) -> str:
        """Load the robot, create the controller and the topics."""
        settings = self._settings = self._read_parameters()
        settings.refuse_weak_limits(settings.impact_limits)
        robot, plan = settings.load_robot(), settings.plan()
        settings.refuse_pairs(robot, settings.rate, settings.state_timeout)
        self._strikes = strike_task(settings)
        controller = ImpactController(robot, plan, period=1.0 / settings.rate)
        plan.prepare(robot)  # code that a goal may use must not be compiled while it waits
        self._guarded = GuardedController(controller, self._machine)
        self._log_restrictions(robot, plan)
        self._make_cycle(robot)
        self._make_topics()
        self._planner.warm(robot, plan)
        self._machine.take(Event.CONFIGURED)
        freeze_garbage()
        return settings.summary(controller.plan.impact_limits)

    def _read_parameters(self) -> ControllerParameters:
        """Return the present parameters, including those of the task."""
        return current(self, ControllerParameters).of_task()

    def _log_restrictions(self, robot: Robot, plan: Plan) -> None:
        """Log a capped speed, exact friction, and assumed data."""
        speed = self._settings.speed
        if speed > self._settings.speed_cap:
            self.get_logger().warning(
                f"speed {speed} m/s is capped at {plan.speed} m/s (speed_cap)"
            )
        if plan.person is not None and (assumed := plan.person.assumed(plan.interface)):
            self.get_logger().warning(f"person: {assumed}")
        if warning := exact_friction_warning(plan, robot):
            self.get_logger().warning(warning)
        if self._strikes is not None and self._settings.approach_on_activation:
            self.get_logger().info("a tool strikes: no approach at activation, strikes are goals")
        if robot.assumed:
            self.get_logger().info(f"robot {robot.name}: {', '.join(robot.assumed)} are assumed")

    def _make_cycle(self, robot: Robot) -> None:
        """Create the chain from one state to its command."""
        settings = self._settings
        lockstep, controller = settings.lockstep, self._guarded
        assert controller is not None
        outputs = Outputs(
            self, robot, settings.interface, lockstep=lockstep, prefix="~", announces=True
        )
        self._cycle = ApproachCycle(self, controller, outputs, settings, self._watch)
        self._planner = Planner(beside=not lockstep)
        for server in self._servers:
            server.set_rate(settings.rate)
        self._machine.actions = {
            **self._machine.actions,
            Action.RESET: self._start_anew,
            Action.END_GOAL: self._end_goal,
        }

    def _make_topics(self) -> None:
        """Subscribe to the inputs; start the diagnostics and, outside lockstep, the watchdog."""
        settings, cycle = self._settings, self._cycle
        profile = LOCKSTEP if settings.lockstep else SENSOR
        self._listeners = [
            self.create_subscription(
                kind,
                topic,
                checked_callback(self, topic, callback, dropped),
                quality,
                raw=kind is JointState,
            )
            for kind, topic, callback, dropped, quality in (
                (JointState, STATES, cycle.take_serialized_state, cycle.drop_state, profile),
                (DetectorStatus, DETECTIONS, cycle.take_status, None, profile),
                (ImpactEstimate, ESTIMATES, self._take_estimate, None, LATCHED),
            )
        ]
        steady = Clock(clock_type=ClockType.STEADY_TIME)  # watches while simulated time stands
        self._diagnostics = DiagnosticsReporter(
            self,
            steady,
            {STATES: "the arm's", DETECTIONS: "the detector's", **cycle.outputs.owners},
            lambda: (cycle.fault, cycle.watch.counts, cycle.inputs.newest),
        )
        self._watchdog = None
        if not settings.lockstep:
            period = settings.state_timeout / 2.0
            self._watchdog = self.create_timer(period, cycle.look, clock=steady)

    def release(self, reason: str) -> None:
        """Destroy the resources of `configure`, after a last command if any was sent."""
        if self._guarded is None:
            return
        self._cycle.clean_up(reason)
        bring_to_rest([self._cycle], 1.0 / self._settings.rate)
        self._machine.actions = {}
        self._guarded = None
        self._forget_goals(reason)
        self._planner.close()
        for subscription in self._listeners:
            self.destroy_subscription(subscription)
        self._cycle.destroy()
        self._diagnostics.destroy()
        if self._watchdog is not None:
            self.destroy_timer(self._watchdog)

    def destroy_node(self) -> None:
        """Destroy the node with its action, which rclpy leaves to the garbage collector."""
        for server in self._servers:
            server.destroy()
        super().destroy_node()

    # --- while configured ---------------------------------------------------------------------

    def begin(self) -> str:
        """Approach from the next state on, unless the arm is too fast for it."""
        wrong_steps, state = self._cycle.steps.problem, self._present_state()
        at_once = self._approaches_at_once
        reason = wrong_steps or activation_refusal(self._guarded, state, approaches=at_once)
        if reason:
            self._machine.take(Event.ACTIVATION_REFUSED, reason)
            return reason
        bring_to_rest([self._cycle], 1.0 / self._settings.rate)  # deactivated a moment ago
        self._machine.take(Event.ACTIVATED_TO_MOVE if at_once else Event.ACTIVATED)
        return ""

    def _start_anew(self, reason: str) -> None:
        """Begin from the measured state."""
        self._guarded.begin_anew()
        self._cycle.reset()
        self._cycle.idle = not self._approaches_at_once

    @property
    def _approaches_at_once(self) -> bool:
        """Whether an activation begins to approach; strikes with a tool are goals."""
        return self._settings.approach_on_activation and self._strikes is None

    def _present_state(self) -> PointState | None:
        """Return the dynamics of the last state, None if it is too old."""
        inputs = self._cycle.inputs
        fresh = inputs.state_age < self._settings.state_timeout
        return inputs.point() if fresh or self._settings.lockstep else None

    def stop(self) -> None:
        """Brake, then send nothing; goals in preparation end, too."""
        self._forget_goals("deactivated")
        self._cycle.deactivate()

    def _forget_goals(self, reason: str) -> None:
        """End the goals that wait, so that none begins after a later activation."""
        for server in self._servers:
            server.forget(End(PREEMPTED, reason))

    def _watch(self, *answer: Any) -> None:
        """Let the servers look at an answer; one of them has a goal at most."""
        for server in self._servers:
            server.watch(*answer)

    def _end_goal(self, reason: str) -> None:
        for server in self._servers:
            server.end_running(reason)

    def _take_estimate(self, message: ImpactEstimate) -> None:
        for server in self._servers:
            server.take_estimate(message)

    def _begin(self, goal: ExecuteImpact.Goal) -> Answer | Work[Answer]:
        """Prepare a goal in parallel to the thread that answers states; return an early refusal."""
        check = checked_goal if self._strikes is None else self._strikes.checked_goal
        return self._prepared(goal, goal.impact_limits or AUTO, check)

    def _begin_touch(self, goal: Touch.Goal) -> Answer | Work[Answer]:
        """Prepare a touch, as :meth:`_begin`."""
        if self._machine.situation.ready and goal.effort != Touch.Goal.EFFORT_NONE:
            effort = self._cycle.inputs.effort
            if effort is None or not effort.any():
                return End(
                    BAD_GOAL, "effort: expected efforts in joint_states, got none; or EFFORT_NONE"
                )
        return self._prepared(goal, AUTO, checked_touch)

    def _begin_strikes(self, goal: Strike.Goal) -> Answer | Work[Answer]:
        """Prepare the first of several strikes, as :meth:`_begin`."""
        if (inactive := self._inactive()) is not None:
            return inactive
        if self._strikes is None:
            line = "task: expected one with a tool and a target to strike, got none"
            return End(BAD_GOAL, line)
        try:
            wanted = wanted_of(goal)
        except ImpactError as error:
            return End(BAD_GOAL, str(error))
        follow = Follow(
            self._planner.submit,
            lambda controller: start(self._guarded, controller, self._on_start),
        )
        check = partial(self._strikes.checked_series, wanted=wanted, follow=follow)
        return self._prepared(one_of(goal), AUTO, check)

    def _prepared(self, goal: Any, limits: str, check: Check) -> Answer | Work[Answer]:
        """Prepare a goal with the named impact limits; ``check`` reads it."""
        if (inactive := self._inactive()) is not None:
            return inactive
        try:
            self._settings.refuse_weak_limits(limits)
        except ImpactError as error:
            return End(BAD_GOAL, str(error))
        if (state := self._cycle.inputs.state) is None:
            return End(INPUT_LOST, "no joint state yet")
        assert self._guarded is not None
        settings, begun = self._settings, self._on_start
        return self._planner.prepare(goal, settings, self._guarded, state, begun, check)

    def _inactive(self) -> End | None:
        """Return why no goal can begin now, None if one may."""
        if self._machine.situation.ready:
            return None
        return End(INACTIVE, self._machine.reason or "activate the controller first")

    def _on_start(self) -> None:
        self._cycle.idle = False


main = main_for(ImpactQpNode)
