# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""The action `strike` of the controller's node."""

from __future__ import annotations

from concurrent.futures import Future as Work
from math import nan
from typing import Any

from impact_msgs.action import ExecuteImpact, Strike
from impact_msgs.msg import ControllerStatus
from impact_qp.exceptions import ControlError
from impact_qp.goals.goal import End, unforeseen
from impact_qp.goals.goal_reader import given
from impact_qp.ros.actions.goal_server import GoalServer
from impact_qp.strike.series_run import SeriesRun, WantedStrikes

DEEPEST = 1.0  # nail [m]
_RANGES = "handle_stiffness", "head_mass", "nail_resistance"


class StrikeServer(GoalServer):
    """Executes one series of strikes at a time, as :class:`.GoalServer`."""

    ACTION = Strike

    def _feedback(self, run: SeriesRun, status: ControllerStatus) -> Strike.Feedback:
        """Return the progress of the strikes."""
        return Strike.Feedback(
            strike=run.number,
            phase=status.mode,
            speed=run.now.plan.strike,
            promised_load=run.now.promised,
            contact_speed=run.contact_speed,
            load=run.load,
            depth=run.depth,
        )

    def _finish(self, goal: Any, end: End) -> None:
        """Report the end of a series, and remember the load of its last strike."""
        if goal.run is not None and (work := goal.run.remember()) is not None:
            work.add_done_callback(self._say_forgotten)
        super()._finish(goal, end)

    def _say_forgotten(self, work: Work[None]) -> None:
        """Log why a load could not be remembered, from any thread."""
        if work.cancelled() or (error := work.exception()) is None:
            return
        line = f"the load of the last strike sets no ceiling: {unforeseen(error)}"
        self._node.get_logger().error(line)

    def _described(self, goal: Strike.Goal) -> str:
        """Return a series in one line, for the log."""
        at = goal.contact.pose.position
        return (
            f"strike [{at.x:g}, {at.y:g}, {at.z:g}] in {goal.contact.header.frame_id!r}, depth"
            f" {goal.depth:g}, strikes {goal.strikes}, highest_speed {goal.highest_speed:g}, learn"
            f" {goal.learn}, timeout {goal.timeout:g}"
        )

    def _result(self, end: End, run: SeriesRun | None) -> Strike.Result:
        """Return the result of a series."""
        result = Strike.Result(success=end.success, code=end.code, message=end.message)
        result.depth = result.highest_load = nan
        for name in _RANGES:
            _set_range(result, name, (nan, nan))
        if run is None:
            return result
        planner = run.series.planner
        result.strikes, result.depth, result.highest_load = run.met, run.depth, run.highest_load
        _set_range(result, "head_mass", planner.tool.mass)
        if planner.tool.gives:
            _set_range(result, "handle_stiffness", planner.tool.stiffness)
        if planner.target.nail is not None:
            _set_range(result, "nail_resistance", planner.target.nail.resistance)
        return result


def _set_range(result: Strike.Result, name: str, ends: tuple[float, float]) -> None:
    """Set both ends of a range."""
    for side, value in zip(("low", "high"), ends, strict=True):
        setattr(result, f"{name}_{side}", value)


def wanted_of(goal: Strike.Goal) -> WantedStrikes:
    """Return what a goal asks for beside its place.

    Raises:
        ControlError: the depth is not one.
    """
    if not given(goal.depth):
        return WantedStrikes(goal.strikes, None, goal.learn)
    if not 0.0 < goal.depth <= DEEPEST:
        raise ControlError(f"depth: expected above 0 up to {DEEPEST:g} m, got {goal.depth:g}")
    return WantedStrikes(goal.strikes, goal.depth, goal.learn)


def one_of(goal: Strike.Goal) -> Any:
    """Return the ExecuteImpact goal of one of the strikes, at the highest safe speed."""
    return ExecuteImpact.Goal(
        contact=goal.contact,
        speed=nan,
        highest_speed=goal.highest_speed,
        timeout=goal.timeout,
    )
