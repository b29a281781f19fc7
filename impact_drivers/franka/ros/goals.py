# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Hands goals to the loop and watches in its cycles what becomes of them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from impact_drivers.franka.loop.loop_cycle import LoopCycle
from impact_drivers.franka.memory.command_block import CommandWriter
from impact_drivers.franka.memory.request import RequestKind
from impact_drivers.franka.parameters import FrankaParameters
from impact_msgs.action import ExecuteImpact
from impact_msgs.msg import ControllerStatus
from impact_qp.ros.approach_start import checked_goal
from impact_qp.ros.goal import INACTIVE, NOT_FEASIBLE, End, GoalRun
from impact_qp.ros.goal_server import GoalServer
from impact_robots import ArmDynamics, Robot

RATE = 1000.0  # of the arm's cycles [Hz]


class LoopGoals:
    """One goal at a time, by the rules of the controller's own action.

    Attributes:
        plan: that the loop carries out.
        idle: no goal came since the activation.
    """

    def __init__(self, node: Any, begin: Callable[[ExecuteImpact.Goal], GoalRun | End]) -> None:
        """Offer the action.

        Args:
            node: that offers it.
            begin: begins a goal, see :meth:`begin`, or says why not.
        """
        self.server = GoalServer(node, begin, self._stop, RATE, "impact_qp/execute_impact")
        self._commands: CommandWriter | None = None
        self.idle, self._number = True, 0

    def configure(self, robot: Robot, settings: FrankaParameters, commands: CommandWriter) -> None:
        """Begin with an arm, and a loop that is asked by ``commands``.

        Raises:
            ControlError: the contact is not given, or not usable.
        """
        self._robot, self._settings, self._commands = robot, settings, commands
        self._default, self._dynamics = settings.plan().resolved(robot), ArmDynamics(robot)
        self.reset()

    def reset(self) -> None:
        """Start from no goal."""
        self.plan, self.idle, self._number = self._default, True, 0

    def begin(self, goal: ExecuteImpact.Goal, cycle: LoopCycle) -> GoalRun | End:
        """Ask the loop to carry out a goal; return why not if it cannot be.

        Args:
            goal: message.
            cycle: of the loop, the last one.
        """
        if self._commands is None:
            return End(INACTIVE, "configure the node first")
        self._commands.beat()  # the check takes up to a tenth of a second, for joint_load
        state = self._dynamics(cycle.q, cycle.dq)
        begun = checked_goal(goal, self._settings, self._robot, state, 1.0 / RATE)
        self._commands.beat()
        if isinstance(begun, End):
            return begun
        run, controller = begun
        self.plan, self.idle = controller.plan, False
        self._number = self._commands.ask(RequestKind.GOAL, self.plan)
        return run

    def watch(self, cycle: LoopCycle, status: ControllerStatus | None) -> None:
        """Look after the goal in one cycle; before the loop took it, cycles are not of it."""
        if self.server.run is None or cycle.acknowledged != self._number:
            return
        if cycle.refusal:
            self.server.end(End(NOT_FEASIBLE, cycle.refusal))
        elif cycle.answer is not None and status is not None:
            impact = cycle.verdict is not None and cycle.verdict.impact
            self.server.watch(cycle.time, cycle.q, cycle.dq, cycle.answer, status, impact)

    def _stop(self) -> None:
        """Let the loop brake and hold."""
        if self._commands is not None:
            self._commands.ask(RequestKind.STOP)
