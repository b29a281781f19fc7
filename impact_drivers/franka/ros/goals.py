# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Sends goals to the loop and tracks their progress in its cycles."""

from __future__ import annotations

from collections import deque
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any

import numpy as np

from impact_drivers.franka.hit_need import hit_need
from impact_drivers.franka.loop.loop_cycle import LoopCycle
from impact_drivers.franka.memory.command_block import CommandWriter
from impact_drivers.franka.memory.request import RequestKind
from impact_drivers.franka.parameters import FrankaParameters
from impact_drivers.franka.ros.pending_goal import CheckedGoal, PendingGoal
from impact_msgs.action import ExecuteImpact
from impact_msgs.msg import ControllerStatus
from impact_qp.control.state_machine import Event, StateMachine
from impact_qp.goals.goal import BAD_GOAL, NOT_FEASIBLE, PREEMPTED, End, Prepared
from impact_qp.goals.start_check import checked_goal
from impact_qp.limits.impact_limits.registry import AUTO, refuse_weak_limits
from impact_qp.ros.actions.goal_server import GoalServer
from impact_robots import ArmDynamics, Robot
from impact_robots.exceptions import ImpactError

RATE = 1000.0  # of the arm's cycles [Hz]


class LoopGoals:
    """One goal at a time, by the rules of the controller's own action.

    A goal is checked in a thread of its own, then sent to the loop. It takes over once the loop has
    begun it; until then, and after a refusal, the current motion continues.

    Attributes:
        server: of the action.
        plan: that the loop carries out.
        idle: no goal since the activation.
        present: number of the request of the goal that has taken over last, 0 without one.
    """

    def __init__(self, node: Any, machine: StateMachine, begin: Any) -> None:
        """Offer the action.

        Args:
            node: that offers it.
            machine: state machine of the node.
            begin: prepares a goal, see :meth:`begin`, or returns the reason of a refusal.
        """
        self._machine = machine
        self.server = GoalServer(node, machine, begin, "impact_qp/execute_impact")
        self.server.set_rate(RATE)
        self._thread = ThreadPoolExecutor(1, "goals")
        self._commands: CommandWriter | None = None
        self._pending: deque[PendingGoal] = deque()
        self.idle, self.present = True, 0

    def configure(self, robot: Robot, settings: FrankaParameters, commands: CommandWriter) -> None:
        """Start with an arm, and a loop that receives ``commands``.

        Raises:
            ControlError: the contact is not given, or not usable.
        """
        self._robot, self._settings, self._commands = robot, settings, commands
        self._default = settings.plan().resolved(robot)
        self.reset()

    def reset(self) -> None:
        """Start from no goal."""
        self.plan, self.idle, self.present = self._default, True, 0
        self.forget(End(PREEMPTED, "activated anew"))

    def forget(self, end: End) -> None:
        """End all goals that have not taken over."""
        while self._pending:
            self._pending.popleft().answer(end)

    def destroy(self) -> None:
        """Withdraw the action."""
        self._thread.shutdown(wait=False, cancel_futures=True)
        self.server.destroy()

    # --- until it takes over -------------------------------------------------------------------

    def begin(self, goal: ExecuteImpact.Goal, cycle: LoopCycle) -> Future[Prepared | End]:
        """Return a future that is done once the goal is begun or refused.

        Args:
            goal: message.
            cycle: of the loop, the last one.
        """
        pending = PendingGoal(self._thread.submit(self._checked, goal, cycle.q, cycle.dq))
        self._pending.append(pending)
        return pending

    def _checked(
        self, goal: ExecuteImpact.Goal, q: np.ndarray, dq: np.ndarray
    ) -> CheckedGoal | End:
        """Return the request to the loop, or the reason of a refusal; may be slow."""
        settings, robot = self._settings, self._robot
        try:
            refuse_weak_limits(goal.impact_limits or AUTO)
        except ImpactError as error:
            return End(BAD_GOAL, str(error))
        state = ArmDynamics(robot)(q, dq)  # its work memory belongs to this thread
        begun = checked_goal(goal, settings, robot, state, 1.0 / RATE)
        if isinstance(begun, End):
            return begun
        run, _ = begun
        raises = settings.raise_thresholds
        return CheckedGoal(run, hit_need(robot, run.plan, q) if raises else None)

    def advance(self, cycle: LoopCycle | None) -> None:
        """Process goals that have not taken over, in their order; ``cycle``: the last one."""
        while self._pending and cycle is not None and self._commands is not None:
            first = self._pending[0]
            if not (self._ask_for(first) if first.number == 0 else self._decide(first, cycle)):
                return
            self._pending.popleft()

    def _ask_for(self, pending: PendingGoal) -> bool:
        """Send a checked goal to the loop; return whether it is finished."""
        if pending.withdrawn:
            return True
        if not pending.work.done():
            return False
        if (error := pending.work.exception()) is not None:
            line = " ".join(str(error).split())
            pending.answer(End(BAD_GOAL, f"{type(error).__name__}: {line}"))
            return True
        checked = pending.work.result()
        if isinstance(checked, End):
            pending.answer(checked)
            return True
        self._ask_again(pending, checked)
        return False

    def _ask_again(self, pending: PendingGoal, checked: CheckedGoal) -> None:
        assert self._commands is not None
        pending.asked(self._commands.ask(RequestKind.GOAL, checked.plan, checked.need))

    def _decide(self, pending: PendingGoal, cycle: LoopCycle) -> bool:
        """Process the loop's decision on a goal; return whether it is finished."""
        checked, number = pending.work.result(), cycle.acknowledged
        assert isinstance(checked, CheckedGoal)
        if number < pending.number:
            return self._wait(pending)
        if cycle.begun == pending.number or (number == pending.number and not cycle.refusal):
            return self._hand_over(pending, checked)
        if number == pending.number:
            pending.answer(End(NOT_FEASIBLE, cycle.refusal))
            return True
        if pending.withdrawn:
            return True
        self._ask_again(pending, checked)  # another request replaced it
        return False

    def _wait(self, pending: PendingGoal) -> bool:
        """Wait for the loop within a time limit; return whether the goal is withdrawn."""
        assert self._commands is not None
        patience = self._settings.answer_timeout
        late = pending.waited > patience
        if late:
            reason = f"the loop has not begun the goal within {patience:g} s"
            pending.answer(End(NOT_FEASIBLE, reason))
        if late or pending.withdrawn:
            self._commands.ask(RequestKind.WITHDRAW)
        return late or pending.withdrawn

    def _hand_over(self, pending: PendingGoal, checked: CheckedGoal) -> bool:
        """Let a goal that the loop has taken take over here; return whether it cannot any more."""
        if pending.withdrawn:  # too late: the previous motion has ended
            self._machine.take(Event.GOAL_FAILED, "another goal came, and was cancelled")
            self.stop("")
            return True
        pending.answer(Prepared(checked.run, lambda: self._start(pending, checked)))
        return False

    def _start(self, pending: PendingGoal, checked: CheckedGoal) -> str:
        """Take over: the loop has begun already; return why not, "" if so."""
        if not self._pending or self._pending[0] is not pending:
            return "deactivated meanwhile"
        self._pending.popleft()
        self.plan, self.idle, self.present = checked.plan, False, pending.number
        return ""

    # --- from then on ----------------------------------------------------------------------------

    def watch(self, cycle: LoopCycle, status: ControllerStatus | None) -> None:
        """Supervise the goal in one cycle; before the loop approaches for it, only wait."""
        if self.server.run is None or self._is_replaced(cycle) or self.server.look_for_cancel():
            return
        if cycle.begun == self.present:
            if cycle.answer is not None and status is not None:
                impact = cycle.status is not None and cycle.status.impact
                self.server.watch(
                    cycle.time, cycle.q, cycle.dq, cycle.answer, lambda: status, impact
                )
        elif cycle.acknowledged == self.present and cycle.refusal:
            self.server.fail(End(NOT_FEASIBLE, cycle.refusal))

    def _is_replaced(self, cycle: LoopCycle) -> bool:
        """Whether the loop has taken another goal, which is about to take over here."""
        if not self._pending or not self._pending[0].number:
            return False
        return cycle.acknowledged == self._pending[0].number and not cycle.refusal

    def stop(self, _reason: str) -> None:
        """Let the loop brake and hold."""
        if self._commands is not None:
            self._commands.ask(RequestKind.STOP)
