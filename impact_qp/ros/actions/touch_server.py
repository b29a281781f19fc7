# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""The action `touch` of the controller's node."""

from __future__ import annotations

from math import nan

from geometry_msgs.msg import PoseStamped

from impact_msgs.action import Touch
from impact_msgs.msg import ControllerStatus
from impact_qp.goals.goal import End
from impact_qp.ros.actions.goal_server import GoalServer
from impact_qp.touch.touch_run import TouchRun
from impact_robots import PointState
from impact_ros.message_fields import constant
from impact_ros.messages import from_nanoseconds, set_orientation, set_vector

_UNKNOWN = ("travelled", "peak_force", "promised_force", "detection_force", "speed")


class TouchServer(GoalServer):
    """Executes one touch at a time, as :class:`.GoalServer`."""

    ACTION = Touch

    def _feedback(self, run: TouchRun, status: ControllerStatus) -> Touch.Feedback:
        """Return the progress of a touch."""
        return Touch.Feedback(
            travelled=run.controller.touch.goal.distance - status.gap,
            speed=-status.normal_speed,
            force=float(run.controller.sense.force),
            phase=status.mode,
        )

    def _described(self, goal: Touch.Goal) -> str:
        """Return a touch in one line, for the log."""
        along = goal.direction.vector
        return (
            f"touch along [{along.x:g}, {along.y:g}, {along.z:g}] in"
            f" {goal.direction.header.frame_id!r}, force {goal.force:g}, stiffness"
            f" {goal.stiffness:g}, speed {goal.speed:g}, distance {goal.distance:g}, timeout"
            f" {goal.timeout:g}, then {goal.then}, effort {goal.effort}"
        )

    def _result(self, end: End, run: TouchRun | None) -> Touch.Result:
        """Return the result of a touch."""
        result = Touch.Result(success=end.success, code=end.code, message=end.message)
        for name in _UNKNOWN:
            setattr(result, name, nan)
        for each in (result.contact, result.before):
            set_vector(each.pose.position, [nan] * 3)
            turn = each.pose.orientation
            turn.x = turn.y = turn.z = turn.w = nan
        if run is None:
            return result
        found = run.result()
        result.triggered, result.signal = found.triggered, found.signal
        result.travelled, result.speed = found.travelled, found.speed
        result.promised_force, result.detection_force = found.promised, found.detection
        result.peak_force = found.peak_force
        result.peak_source = constant(Touch.Result, "PEAK", found.peak_source)
        for pose, point in ((result.contact, found.contact), (result.before, found.before)):
            if point is not None:
                self._fill_pose(pose, point, run)
        if found.before is not None:
            result.joints_before = found.before.q.tolist()
        return result

    def _fill_pose(self, pose: PoseStamped, point: PointState, run: TouchRun) -> None:
        pose.header.frame_id = run.robot.base_frame
        from_nanoseconds(run.impact_time or 0, pose.header.stamp)
        set_vector(pose.pose.position, point.position)
        set_orientation(pose.pose.orientation, point.rotation)
