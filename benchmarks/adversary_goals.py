# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Good and bad goals, drawn at random, and their results."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pinocchio as pin
from adversary_rig import CAP, Rig, wall
from rclpy.action import ActionClient

from impact_msgs.action import ExecuteImpact
from impact_robots.surface import RANGES
from impact_ros.messages import set_vector

NAN, RESULT = float("nan"), ExecuteImpact.Result
OPEN = tuple(f"{name}_{end}" for name in RANGES for end in ("low", "high"))
REFUSED = (RESULT.CODE_BAD_GOAL, RESULT.CODE_NOT_FEASIBLE, RESULT.CODE_INACTIVE)
SERVED = 0.02  # for an answer before the arm goes on, so that each run is alike [s of real time]
SETTLES = 5  # cycles in which a goal or a cancel has its effects
ANSWERED_WITHIN = 5.0  # a goal [s of real time]
SAID = 5.0  # within which a result comes that is out [s of real time]
ENDS_WITHIN = 3.0  # a goal, after its time-out or a contact [s]
GOOD = ("plain", "slow", "open", "joint_load", "existential", "press", "zeros")
BAD = ("unset", "fast", "millimetres", "behind", "far", "flipped", "absurd", "frame", "quaternion")


def goal_of(kind: str, random: np.random.Generator) -> Any:
    """Return a goal of a kind of ``GOOD`` or ``BAD``."""
    goal = ExecuteImpact.Goal(speed=0.6 * CAP, timeout=float(random.uniform(1.0, 4.0)))
    for name in OPEN:
        setattr(goal.surface, name, NAN)
    place(goal, wall().point, wall().normal)
    change = _CHANGES.get(kind)
    if change is not None:
        change(goal, random)
    return goal


def place(goal: Any, point: np.ndarray, normal: np.ndarray) -> None:
    """Put a goal's surface somewhere."""
    set_vector(goal.contact.pose.position, point)
    turn = pin.Quaternion.FromTwoVectors(np.array([0.0, 0.0, 1.0]), np.array(normal, dtype=float))
    for name in "xyzw":
        setattr(goal.contact.pose.orientation, name, getattr(turn, name))


def _set(**fields: Any) -> Any:
    def change(goal: Any, _random: np.random.Generator) -> None:
        for name, value in fields.items():
            setattr(goal, name, value)

    return change


def _moved(scale: float = 1.0, along: float = 0.0, sign: float = 1.0) -> Any:
    def change(goal: Any, _random: np.random.Generator) -> None:
        place(goal, scale * wall().point + along * wall().normal, sign * wall().normal)

    return change


def _zeros(goal: Any, _random: np.random.Generator) -> None:
    goal.speed = goal.timeout = 0.0
    goal.surface = type(goal.surface)()


def _unset(goal: Any, _random: np.random.Generator) -> None:
    goal.contact.pose = type(goal.contact.pose)()


def _frame(goal: Any, _random: np.random.Generator) -> None:
    goal.contact.header.frame_id = "moon"


def _quaternion(goal: Any, _random: np.random.Generator) -> None:
    goal.contact.pose.orientation.w += 0.5


_PRESS = {"after": ExecuteImpact.Goal.AFTER_PRESS, "press_force": 5.0}
_CHANGES = {
    "slow": _set(speed=0.03),
    "open": _set(speed=NAN, timeout=2.0),
    "joint_load": _set(speed=NAN, impact_limits="joint_load"),
    "existential": _set(speed=NAN, impact_limits="existential"),
    "press": _set(**_PRESS),
    "zeros": _zeros,
    "unset": _unset,
    "fast": _set(speed=10.0),
    "millimetres": _moved(scale=1000.0),
    "behind": _moved(along=0.6),
    "far": _moved(along=-3.0),
    "flipped": _moved(sign=-1.0),
    "absurd": _set(press_force=1e308, after=ExecuteImpact.Goal.AFTER_PRESS),
    "frame": _frame,
    "quaternion": _quaternion,
}


class Sender:
    """Sends goals to the node of a rig, and judges how they end."""

    def __init__(self, rig: Rig) -> None:
        """Make the action's client."""
        self._rig = rig
        self._client = ActionClient(rig.host.driver, ExecuteImpact, "impact_qp/execute_impact")
        self._handles: dict[int, Any] = {}
        self.codes: dict[int, int] = {}  # of goals that have ended, by number
        self.results: dict[int | None, Any] = {}
        self._until: dict[int, float] = {}  # when a goal must have ended [s]
        self._count, self.may_end = 0, False

    def close(self) -> None:
        """Withdraw the client."""
        self._client.destroy()

    def send(self, kind: str, goal: Any | None = None) -> int | None:
        """Send a goal and let the arm go on until it is answered; return its number if accepted."""
        rig, goal = self._rig, goal_of(kind, self._rig.random) if goal is None else goal
        if not rig.host.wait_for(self._client.server_is_ready, 1.0):
            return None
        rig.host.wait_for(lambda: not self.running, SERVED)  # results that are out
        before, number = self.running[-1:] if rig.checks.active else [], self._count
        self._count += 1
        asked = rig.checks.goals
        asked.append(number)
        future = self._client.send_goal_async(goal)
        if not self._patient(future.done):
            rig.checks.note("goal", f"{kind}: no answer")
            return None
        if not future.result().accepted:
            asked.remove(number)
            return None
        self._handles[number] = future.result()
        result = future.result().get_result_async()
        result.add_done_callback(lambda done: self._ended(number, done.result().result))
        timeout = goal.timeout if goal.timeout > 0.0 else 10.0
        self._until[number] = rig.now + timeout + ENDS_WITHIN
        self._settle(lambda: number in self.codes)
        self._judge_taken(kind, number, before)
        return number

    def _settle(self, done: Callable[[], bool] = bool) -> None:
        """Let what was just asked for have its effects; results come in real time."""
        for _ in range(SETTLES):
            self._rig.cycle()
            self._rig.host.wait_for(done, SERVED / SETTLES)
        self._rig.host.serve(0.001)

    def _judge_taken(self, kind: str, number: int, before: list[int]) -> None:
        """A goal that was refused may not have ended another.

        A goal may be ended by one that was asked for before, and accepted meanwhile.
        """
        taken = [n for n in before if self.codes.get(n) not in REFUSED]
        lost = [n for n in taken if self.codes.get(n) == RESULT.CODE_PREEMPTED and n == max(taken)]
        if self.codes.get(number) in REFUSED and lost:
            self._rig.checks.note("refused goal", f"{kind}: it ended the goal before it")

    def _patient(self, condition: Any) -> bool:
        for _ in range(round(ANSWERED_WITHIN / SERVED)):
            if self._rig.host.wait_for(condition, SERVED):
                return True
            self._rig.cycle()
        return bool(condition())

    def _ended(self, number: int, result: Any) -> None:
        self.codes[number], self.results[number] = result.code, result
        if number in self._rig.checks.goals:
            self._rig.checks.goals.remove(number)

    @property
    def running(self) -> list[int]:
        """Goals that were accepted and have not ended."""
        return [number for number in self._handles if number not in self.codes]

    def cancel(self) -> None:
        """Cancel whatever runs."""
        for number in self.running:
            future = self._handles[number].cancel_goal_async()
            self._patient(future.done)
            if future.done() and future.result().goals_canceling:
                self._until[number] = self._rig.now + ENDS_WITHIN
        self._settle()

    def look(self) -> None:
        """Serve the client, and judge whether goals end in time."""
        rig = self._rig
        if self.running:
            rig.host.serve(0.0)
        for number in self.running:
            latest = max(self._until[number], rig.impact_at) + ENDS_WITHIN
            if rig.now > latest and not rig.host.wait_for(lambda n=number: n in self.codes, SAID):
                rig.checks.note("goal", "it has not ended long after its time-out")
