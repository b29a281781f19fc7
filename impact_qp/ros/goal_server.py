# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""The action `execute_impact` of the controller's node."""

from __future__ import annotations

from collections.abc import Callable
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
from impact_qp.ros.goal import BAD_GOAL, CANCELED, OK, PREEMPTED, End, GoalRun
from impact_qp.ros.messages import feedback_message, result_message
from impact_ros.messages import from_nanoseconds, to_nanoseconds, vector

FEEDBACK_RATE = 50.0  # of a goal [Hz]
RESULT_KEPT = 900  # for a client that asks late; then it gets an empty one [s]


class GoalServer:
    """Carries out one goal at a time; a new one takes the place of the one before it."""

    def __init__(
        self,
        node: Any,
        begin: Callable[[ExecuteImpact.Goal], GoalRun | End],
        stop: Callable[[], None],
        rate: float,
        name: str = "~/execute_impact",
    ) -> None:
        """Offer the action.

        Args:
            node: that offers it.
            begin: lets the controller approach for a goal; returns why not if it cannot.
            stop: lets the controller brake and hold.
            rate: of the cycles [Hz].
            name: of the action.
        """
        self._node, self._begin, self._stop = node, begin, stop
        self._every = max(1, round(rate / FEEDBACK_RATE))
        self._ends: dict[bytes, Future] = {}  # of goals whose result is not out yet
        self._run: GoalRun | None = None
        self._handle: ServerGoalHandle | None = None
        self._finished: Future | None = None
        self._cycle = 0
        self._server = ActionServer(
            node,
            ExecuteImpact,
            name,
            self._execute,
            handle_accepted_callback=self._on_goal,
            cancel_callback=lambda handle: CancelResponse.ACCEPT,
            result_timeout=RESULT_KEPT,
        )

    def destroy(self) -> None:
        """Withdraw the action."""
        self._server.destroy()

    @property
    def run(self) -> GoalRun | None:
        """The goal that is carried out."""
        return self._run

    def _on_goal(self, handle: ServerGoalHandle) -> None:
        """Begin a goal; it takes the place of the one before it."""
        self.end(End(PREEMPTED, "another goal came"))
        self._handle, self._finished = handle, Future(executor=self._node.executor)
        self._ends[bytes(handle.goal_id.uuid)] = self._finished
        self._node.get_logger().info(f"goal: {_described(handle.request)}")
        try:
            begun = self._begin(handle.request)
        except Exception as error:  # whatever a goal brings about, it ends this goal only
            begun = End(BAD_GOAL, f"{type(error).__name__}: {' '.join(str(error).split())}")
        handle.execute()
        if isinstance(begun, End):
            self.end(begun)
        else:
            self._run = begun

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

    def end(self, end: End) -> None:
        """End the goal that is carried out, if any."""
        finished, self._finished = self._finished, None
        run, self._run, self._handle = self._run, None, None
        if finished is not None:
            self._node.get_logger().info(f"goal ended with code {end.code}: {end.message or 'ok'}")
            finished.set_result((end, run))

    def watch(
        self,
        stamp: int,
        q: np.ndarray,
        dq: np.ndarray,
        command: Command,
        status: ControllerStatus,
        impact: bool,
    ) -> None:
        """Look after a goal once a cycle.

        Args:
            stamp: of the state [ns].
            q: joint positions, shape (n,) [rad].
            dq: joint velocities, shape (n,) [rad/s].
            command: that answers it.
            status: that reports it.
            impact: the detector holds that the arm has hit something.
        """
        if self._run is None or self._handle is None:
            return
        if self._handle.is_cancel_requested:
            self._stop()
            self.end(End(CANCELED, "cancelled"))
            return
        end = self._run.add(stamp, q, dq, command, impact)
        if end is not None:
            if end.code != OK:
                self._stop()
            self.end(end)
            return
        self._cycle += 1
        if self._cycle % self._every == 0:
            self._handle.publish_feedback(feedback_message(status))

    def take_estimate(self, message: ImpactEstimate) -> None:
        """Take the detector's estimate of an impact."""
        if self._run is not None:
            self._run.take_estimate(message, to_nanoseconds(message.impact_time))

    def _result(self, end: End, run: GoalRun | None) -> ExecuteImpact.Result:
        """Return what became of a goal."""
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


def _described(goal: ExecuteImpact.Goal) -> str:
    """Return a goal in one line, for the log."""
    position, turn = goal.contact.pose.position, goal.contact.pose.orientation
    names = (
        "speed",
        "highest_speed",
        "friction_low",
        "friction_high",
        "restitution_low",
        "restitution_high",
        "stiffness_low",
        "stiffness_high",
    )
    numbers = ", ".join(f"{name} {getattr(goal, name):g}" for name in names)
    return (
        f"contact [{position.x:g}, {position.y:g}, {position.z:g}], orientation"
        f" [{turn.x:g}, {turn.y:g}, {turn.z:g}, {turn.w:g}] in {goal.contact.header.frame_id!r},"
        f" {numbers}, impact_limits {goal.impact_limits!r}, after {goal.after},"
        f" press_force {goal.press_force:g}, timeout {goal.timeout:g}"
    )
