# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""An action of the controller's node: `execute_impact`, and what others have in common with it."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import CancelledError
from concurrent.futures import Future as Work
from dataclasses import dataclass
from typing import Any

import numpy as np
from rclpy.action import ActionServer, CancelResponse
from rclpy.action.server import ServerGoalHandle
from rclpy.task import Future
from std_msgs.msg import Header

from impact_msgs.action import ExecuteImpact
from impact_msgs.msg import ControllerStatus, ImpactEstimate
from impact_predictor.ros.messages import prediction_message
from impact_qp.control.command import Command
from impact_qp.control.state_machine import Event, Fault, StateMachine
from impact_qp.goals.goal import (
    BAD_GOAL,
    CANCELED,
    INACTIVE,
    INPUT_LOST,
    NOT_FEASIBLE,
    OK,
    PREEMPTED,
    End,
    Prepared,
    unforeseen,
)
from impact_qp.ros.messages import feedback_message, result_message
from impact_robots.surface import RANGES
from impact_ros.messages import from_nanoseconds, to_nanoseconds, vector
from impact_ros.surface_message import said

FEEDBACK_RATE = 50.0  # of a goal [Hz]
MAX_WAITING = 4  # goals in preparation or waiting; more are refused

Answer = Prepared | End


@dataclass(eq=False)
class _Goal:
    """One goal from its arrival to its result."""

    handle: ServerGoalHandle
    finished: Future  # of its end and its run
    run: Any = None  # once it is accepted


class GoalServer:
    """Executes one goal at a time; a new one preempts it once accepted.

    A refused goal changes nothing but its own result. Servers of one machine preempt each other's.
    """

    ACTION: Any = ExecuteImpact

    def __init__(
        self,
        node: Any,
        machine: StateMachine,
        begin: Callable[[Any], Answer | Work[Answer]],
        name: str = "~/execute_impact",
    ) -> None:
        """Offer the action.

        Args:
            node: that offers it.
            machine: situation of the node; :meth:`end_running` implements its ``END_GOAL``.
            begin: prepares a goal, now or in parallel to the thread that answers states, or returns
                why it is refused. A waiting goal may be cancelled.
            name: of the action.
        """
        self._node, self._machine, self._begin = node, machine, begin
        self._every = 1
        self._goals: dict[bytes, _Goal] = {}  # results not yet sent
        self._waiting: list[tuple[_Goal, Work[Answer]]] = []  # in the order of their arrival
        self._present: _Goal | None = None
        self._end: End | None = None  # of the present goal, if known
        self._cycle = 0
        self._server = ActionServer(
            node,
            self.ACTION,
            name,
            self._execute,
            handle_accepted_callback=self._on_goal,
            cancel_callback=self._on_cancel,
        )

    def set_rate(self, rate: float) -> None:
        """Tell at which rate :meth:`watch` is called [Hz]."""
        self._every = max(1, round(rate / FEEDBACK_RATE))

    def forget(self, end: End) -> None:
        """End the waiting goals; their results, and that of the running one, are sent later."""
        for goal, work in self._waiting:
            work.cancel()
            self._finish(goal, end)
        self._waiting = []

    def destroy(self) -> None:
        """Withdraw the action; unsent results are lost."""
        self.forget(End(PREEMPTED, "shut down"))
        if self._server in self._node.waitables:  # not destroyed yet
            self._server.destroy()

    @property
    def run(self) -> Any:
        """The running goal."""
        return None if self._present is None else self._present.run

    @property
    def waiting(self) -> int:
        """Number of goals in preparation or waiting."""
        return len(self._waiting)

    # --- from arrival to acceptance -------------------------------------------------------------

    def _on_goal(self, handle: ServerGoalHandle) -> None:
        """Let a goal be prepared; an error ends this goal only."""
        goal = _Goal(handle, Future(executor=self._node.executor))
        self._goals[bytes(handle.goal_id.uuid)] = goal
        self._node.get_logger().info(f"goal: {self._described(handle.request)}")
        handle.execute()
        if len(self._waiting) >= MAX_WAITING:
            self._refuse(goal, End(INACTIVE, f"{MAX_WAITING} goals wait already"))
            return
        try:
            work = self._begin(handle.request)
        except Exception as error:
            self._refuse(goal, _failure(error))
            return
        if isinstance(work, Work):
            self._waiting.append((goal, work))
            work.add_done_callback(self._wake)
        else:
            self._decide(goal, work)

    def _wake(self, _work: Work[Answer]) -> None:
        """Let the executor's thread check, from any thread."""
        if (executor := self._node.executor) is not None:
            executor.create_task(self._look)

    def _look(self) -> None:
        """Decide on prepared goals, in the order of their arrival."""
        while self._waiting and self._waiting[0][1].done():
            goal, work = self._waiting.pop(0)
            try:
                answer = work.result()
            except CancelledError:
                answer = End(CANCELED, "cancelled")
            except Exception as error:
                answer = _failure(error)
            self._decide(goal, answer)

    def _decide(self, goal: _Goal, answer: Answer) -> None:
        """Let a goal preempt the running one, or refuse it."""
        if goal.handle.is_cancel_requested:
            answer = End(CANCELED, "cancelled")
        elif not self._machine.situation.ready:
            answer = End(INACTIVE, self._machine.reason or "activate the controller first")
        elif isinstance(answer, Prepared) and (reason := answer.start()):
            answer = End(NOT_FEASIBLE, reason)
        if isinstance(answer, End):
            self._refuse(goal, answer)
            return
        self._end = End(PREEMPTED, "another goal came")
        self._machine.take(Event.GOAL_ACCEPTED, self._end.message)
        goal.run, self._present, self._end = answer.run, goal, None

    def _refuse(self, goal: _Goal, end: End) -> None:
        self._machine.take(Event.GOAL_REFUSED)
        self._finish(goal, end)

    def _on_cancel(self, handle: ServerGoalHandle) -> CancelResponse:
        """Accept; a waiting goal needs no further preparation, a running one brakes next."""
        for goal, work in self._waiting:
            if goal.handle.goal_id == handle.goal_id:
                work.cancel()
        return CancelResponse.ACCEPT

    # --- from acceptance to the result ----------------------------------------------------------

    def _take(self, event: Event, end: End) -> None:
        """Report the end of the present goal."""
        self._end = end
        self._machine.take(event, end.message)
        self._end = None

    def end_running(self, reason: str) -> None:
        """End the present goal according to the situation; for ``Action.END_GOAL``."""
        goal, self._present = self._present, None
        if goal is None:
            return
        faulty = self._machine.situation.fault is not Fault.NONE
        self._finish(goal, self._end or End(INPUT_LOST if faulty else PREEMPTED, reason))

    def _finish(self, goal: _Goal, end: End) -> None:
        self._node.get_logger().info(f"goal ended with code {end.code}: {end.message or 'ok'}")
        goal.finished.set_result(end)

    async def _execute(self, handle: ServerGoalHandle) -> Any:
        """Wait for the end of a goal and report it."""
        goal = self._goals[bytes(handle.goal_id.uuid)]
        end = await goal.finished
        del self._goals[bytes(handle.goal_id.uuid)]
        if end.code == OK:
            handle.succeed()
        elif end.code == CANCELED and handle.is_cancel_requested:
            handle.canceled()
        else:
            handle.abort()
        return self._result(end, goal.run)

    def watch(
        self,
        stamp: int,
        q: np.ndarray,
        dq: np.ndarray,
        command: Command,
        status: Callable[[], ControllerStatus],
        impact: bool,
    ) -> None:
        """Watch a goal once per cycle.

        Args:
            stamp: of the state [ns].
            q: joint positions, shape (n,) [rad].
            dq: joint velocities, shape (n,) [rad/s].
            command: that answers it.
            status: returns what reports it.
            impact: an impact is detected.
        """
        goal = self._present
        if goal is None or goal.run is None or self.look_for_cancel():
            return
        end = goal.run.add(stamp, q, dq, command, impact)
        if end is not None:
            self._take(Event.GOAL_REACHED if end.success else Event.GOAL_FAILED, end)
            return
        self._cycle += 1
        if self._cycle % self._every == 0:
            goal.handle.publish_feedback(self._feedback(goal.run, status()))

    def look_for_cancel(self) -> bool:
        """End the present goal if a client cancelled it; return whether one did."""
        if self._present is None or not self._present.handle.is_cancel_requested:
            return False
        self._take(Event.GOAL_CANCELED, End(CANCELED, "cancelled"))
        return True

    def fail(self, end: End) -> None:
        """End the present goal after a failure."""
        self._take(Event.GOAL_FAILED, end)

    def take_estimate(self, message: ImpactEstimate) -> None:
        """Take the detector's estimate of an impact."""
        if (run := self.run) is not None:
            run.take_estimate(message, to_nanoseconds(message.impact_time))

    def _feedback(self, run: Any, status: ControllerStatus) -> Any:
        """Return the progress of a goal."""
        return feedback_message(status)

    def _described(self, goal: Any) -> str:
        """Return a goal in one line, for the log."""
        return _described(goal)

    def _result(self, end: End, run: Any) -> Any:
        """Return the result of a goal."""
        result = result_message(end)
        if run is None or run.impact_time is None:
            return result
        result.contact_speed, result.speed_bound = run.contact_speed, run.speed_bound
        if (prediction := run.prediction()) is not None:
            header = Header(frame_id=run.robot.base_frame)
            from_nanoseconds(run.impact_time, header.stamp)
            result.announced = prediction_message(prediction, None, header)
        if run.estimate is not None:
            result.measured = run.estimate
            if run.estimate.header.frame_id == run.robot.base_frame:
                result.impulse_in_set = run.holds_impulse(vector(run.estimate.impulse))
        return result


def _failure(error: Exception) -> End:
    return End(BAD_GOAL, unforeseen(error))


def _described(goal: ExecuteImpact.Goal) -> str:
    """Return a goal in one line, for the log."""
    position, turn = goal.contact.pose.position, goal.contact.pose.orientation
    ranges = ", ".join("{} {:g} to {:g}".format(n, *said(goal.surface, n)) for n in RANGES)
    return (
        f"contact [{position.x:g}, {position.y:g}, {position.z:g}], orientation"
        f" [{turn.x:g}, {turn.y:g}, {turn.z:g}, {turn.w:g}] in {goal.contact.header.frame_id!r},"
        f" speed {goal.speed:g}, highest_speed {goal.highest_speed:g}, {ranges},"
        f" impact_limits {goal.impact_limits!r}, after {goal.after},"
        f" press_force {goal.press_force:g}, timeout {goal.timeout:g}"
    )
