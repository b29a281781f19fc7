# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Node franka: starts the loop that controls the arm, sends it goals, publishes its reports."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future
from typing import Any

from rclpy.clock import Clock
from rclpy.clock_type import ClockType
from std_srvs.srv import Trigger

from impact_drivers.exceptions import DriverError
from impact_drivers.franka.loop.loop_cycle import LoopCycle
from impact_drivers.franka.loop_process import LoopProcess
from impact_drivers.franka.memory.request import RequestKind
from impact_drivers.franka.parameters import FrankaParameters
from impact_drivers.franka.ros.cycle_publisher import CyclePublisher
from impact_drivers.franka.ros.diagnostics import LoopDiagnostics
from impact_drivers.franka.ros.goals import RATE, LoopGoals
from impact_drivers.franka.ros.impact_reporter import ImpactReporter
from impact_drivers.franka.supervisor import LoopSupervisor, SupervisedLoop
from impact_msgs.action import ExecuteImpact, Touch
from impact_qp.control.phases import Phase
from impact_qp.control.state_machine import Action, Event, Lifecycle, StateMachine
from impact_qp.exact_friction import exact_friction_warning
from impact_qp.goals.goal import BAD_GOAL, INACTIVE, INPUT_LOST, PREEMPTED, End, Prepared
from impact_qp.plan_parameters import warn_of_later_effect
from impact_qp.ros.actions.touch_server import TouchServer
from impact_ros.node.checked_callback import checked_callback
from impact_ros.node.lifecycle_node import SuiteLifecycleNode
from impact_ros.node.main import main_for
from impact_ros.node.spin import freeze_garbage
from impact_ros.parameters import current, declare

LOOK = 0.002  # period of reading the ring and of the deadman counter [s]
REPORT = 1.0  # between two diagnostics [s]
CONNECTING = 60.0  # largest start-up time of the loop: it compiles, then connects [s]
NO_TOUCH = "this node has no touch; use the node impact_qp with franka_ros2, see doc/people.md"


class FrankaNode(SuiteLifecycleNode):
    """A Franka Research 3 controlled in its own cycle, for intentional impacts.

    `configure` starts the loop, a process of its own, which connects to the arm and reports its
    states; `activate` begins torque control and holds; goals of `impact_qp/execute_impact` move the
    arm; `deactivate` brakes and ends torque control; `cleanup` ends the loop. `~/recover` clears
    the arm's errors, while the node is inactive. After any stop the arm stays stopped until the
    node is deactivated and activated again. If this node's deadman counter stops, the loop brakes;
    if the loop's process ends, the arm stops by itself.
    """

    PARAMETERS = FrankaParameters

    def __init__(
        self, *, loop: Callable[[FrankaParameters], SupervisedLoop] = LoopProcess, **options: Any
    ) -> None:
        """Declare parameters, topics and action; everything else waits for `configure`.

        Args:
            loop: starts a loop.
            **options: of rclpy's Node, such as context, namespace or parameter_overrides.
        """
        super().__init__("franka", **options)
        declare(self, FrankaParameters)
        warn_of_later_effect(self, lambda: self._supervisor is not None)
        self._make_loop = loop
        self._supervisor: LoopSupervisor | None = None
        self._machine = StateMachine()
        self._publisher, self._impacts = CyclePublisher(self), ImpactReporter(self)
        self._health = LoopDiagnostics(self)
        self._goals = LoopGoals(self, self._machine, self._begin)
        self._touches = TouchServer(self, self._machine, _no_touch, "impact_qp/touch")
        self._machine.actions = {
            Action.END_GOAL: self._goals.server.end_running,
            Action.STOP: self._brake,
        }
        self._take = checked_callback(self, "cycle", self._publish, self._on_drop)
        self.create_service(Trigger, "~/recover", self._recover)
        steady = Clock(clock_type=ClockType.STEADY_TIME)
        self.create_timer(LOOK, self._look, clock=steady)
        self.create_timer(REPORT, self._report, clock=steady)

    # --- from configure to cleanup ------------------------------------------------------------

    def _read_parameters(self) -> FrankaParameters:
        """Return the current parameters, with the task's values."""
        return current(self, FrankaParameters).of_task()

    def set_up(self) -> str:
        """Start the loop, which connects to the arm."""
        settings = self._read_parameters()
        if not settings.address:
            raise DriverError("address: expected that of the arm, got ''")
        if settings.strikes is not None:
            raise DriverError("task: expected a hit without a tool: only node impact_qp strikes")
        robot, plan = settings.load_robot(), settings.plan()
        settings.refuse_pairs(robot, RATE, settings.state_timeout)
        self._publisher.begin(robot)
        self._impacts.begin(robot, settings)
        self._health.begin()
        loop = self._make_loop(settings)
        self._supervisor = LoopSupervisor(
            loop,
            self._take,
            self._on_fault,
            self.get_logger().error,
            state_timeout=settings.state_timeout,
            answer_timeout=settings.answer_timeout,
        )
        self._goals.configure(robot, settings, loop.commands)
        plan.prepare(robot)  # no compilation while a goal waits
        if reason := self._supervisor.connect(CONNECTING):
            raise DriverError(reason)
        if plan.person is not None and (assumed := plan.person.assumed(plan.interface)):
            self.get_logger().warning(f"person: {assumed}")
        if warning := exact_friction_warning(plan, robot):
            self.get_logger().warning(warning)
        self._machine.take(Event.CONFIGURED)
        freeze_garbage()
        remark = ", dry run: torques of zero" if settings.dry_run else ""
        limits = self._goals.plan.impact_limits
        return f"{settings.summary(limits)}, arm at {settings.address}{remark}"

    def release(self, reason: str) -> None:
        """Let the arm brake, end the loop, if there is one, and log its output."""
        if self._supervisor is None:
            return
        self._goals.forget(End(PREEMPTED, reason))
        self._machine.take(Event.CLEANED_UP, reason)
        for line in self._supervisor.end():
            self.get_logger().info(f"loop: {line}")
        self._supervisor = None

    def destroy_node(self) -> None:
        """Destroy the node with its actions, which rclpy leaves to the garbage collector."""
        self.release("the node ended")
        self._goals.destroy()
        self._touches.destroy()
        super().destroy_node()

    # --- while configured ---------------------------------------------------------------------

    def begin(self) -> str:
        """Begin torque control: the arm holds."""
        assert self._supervisor is not None
        self._goals.reset()
        reason = self._supervisor.activate()
        self._machine.take(Event.ACTIVATION_REFUSED if reason else Event.ACTIVATED, reason)
        return reason

    def stop(self) -> None:
        """Brake and end torque control."""
        assert self._supervisor is not None
        self._goals.forget(End(PREEMPTED, "deactivated"))
        self._machine.take(Event.DEACTIVATED, "deactivated")
        if reason := self._supervisor.ask(RequestKind.FINISH):
            self.get_logger().warning(f"deactivated: {reason}")
        self._machine.take(Event.AT_REST)

    def _recover(self, _request: Trigger.Request, answer: Trigger.Response) -> Trigger.Response:
        """Clear the arm's errors, while there are no commands."""
        if self._supervisor is None:
            answer.message = "expected a configured node"
        elif self._machine.situation.lifecycle is Lifecycle.ACTIVE:
            answer.message = "expected an inactive node: deactivate it first"
        else:
            answer.message = self._supervisor.ask(RequestKind.RECOVER)
        answer.success = not answer.message
        return answer

    def _begin(self, goal: ExecuteImpact.Goal) -> End | Future[Prepared | End]:
        """Begin to check a goal; return the reason if it is refused at once."""
        supervisor = self._supervisor
        if supervisor is None or not self._machine.situation.ready:
            return End(INACTIVE, self._machine.reason or "activate the node first")
        cycle, age = supervisor.cycle, supervisor.age
        if cycle is None or age > supervisor.patience:
            return End(INPUT_LOST, f"the last state of the arm is {age:.3g} s old")
        return self._goals.begin(goal, cycle)

    # --- every few cycles ---------------------------------------------------------------------

    def _look(self) -> None:
        """Read the loop's reports."""
        if self._supervisor is not None:
            self._supervisor.look()
            self._goals.advance(self._supervisor.cycle)

    def _publish(self, cycle: LoopCycle) -> None:
        """Publish a cycle and its results."""
        goals = self._goals
        self._follow(cycle)
        status = self._publisher.publish(cycle, goals.plan, idle=goals.idle)
        self._health.take(cycle)
        if (news := self._publisher.news(cycle, goals.plan)) is not None:
            self._impacts.announce(news)
        goals.watch(cycle, status)
        if (estimate := self._impacts.take(cycle)) is not None:
            goals.server.take_estimate(estimate)

    def _follow(self, cycle: LoopCycle) -> None:
        """Report the arm's own transitions to the state machine."""
        if cycle.answer is None or not cycle.answer.phase.stands:
            return
        if cycle.begun and cycle.begun == self._goals.present:
            self._machine.take(Event.FINISHED)
        if cycle.answer.phase is Phase.HOLD:
            self._machine.take(Event.AT_REST)

    def _brake(self, _reason: str) -> None:
        """Let the loop brake and hold; requests to finish are sent elsewhere."""
        if self._machine.situation.ready and self._goals.present:
            self._goals.stop("")

    def _on_fault(self, reason: str) -> None:
        """Abort the goal for a fault, and log the reason."""
        self.get_logger().error(f"stopped: {reason}; deactivate and activate to go on")
        self._goals.forget(End(INPUT_LOST, reason))
        self._machine.take(Event.FAULT, reason)
        if (cycle := self._supervisor.cycle) is not None:
            self._publisher.stopped(cycle.time, self._goals.plan, cycle.counts, reason)

    def _on_drop(self, line: str) -> None:
        """Stop because a cycle could not be processed: a goal must not run unsupervised."""
        self._supervisor.fail(line)

    def _report(self) -> None:
        """Publish the diagnostics."""
        supervisor = self._supervisor
        if supervisor is not None and supervisor.cycle is not None:
            self._health.report(supervisor.cycle, supervisor.loop.cycles, supervisor.fault)


def _no_touch(_goal: Touch.Goal) -> End:
    """Refuse a touch: its detection is not part of the loop."""
    return End(BAD_GOAL, NO_TOUCH)


main = main_for(FrankaNode)
