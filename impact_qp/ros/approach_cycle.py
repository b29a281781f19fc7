# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""The control cycle of an arm that approaches a surface."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from rclpy.node import Node

from impact_msgs.msg import ControllerStatus
from impact_qp.control.command import Command
from impact_qp.control.guarded import GuardedController
from impact_qp.control.status import BLIND, command_fields, remark
from impact_qp.limits.beside import Beside
from impact_qp.ros.control_cycle import ControlCycle, Watching
from impact_qp.ros.messages import status_message
from impact_qp.ros.outputs import Outputs
from impact_ros.messages import to_nanoseconds

# Fraction of a period since a state came, after which nothing is begun that can wait: a detector in
# the same process is next, and the state after that must find the process idle.
SPARE = 0.4

# stamp of the state [ns], its q and dq (n,), the command, what returns its status, an impact is
# detected
OnAnswer = Callable[
    [int, np.ndarray, np.ndarray, Command, Callable[[], ControllerStatus], bool], None
]


class ApproachCycle(ControlCycle):
    """Announces the impact that is due, and lets a goal look at each answer.

    Attributes:
        idle: activated, and without a motion to carry out so far.
    """

    _guarded: GuardedController

    def __init__(
        self,
        node: Node,
        guarded: GuardedController,
        outputs: Outputs,
        watching: Watching,
        on_answer: OnAnswer,
    ) -> None:
        """Answer; arguments as of :class:`.ControlCycle`.

        Args:
            node: see there.
            guarded: see there.
            outputs: see there.
            watching: see there; a detection status counts until the time-out.
            on_answer: called after each answer.
        """
        super().__init__(node, guarded, outputs, watching, evidence_age=watching.state_timeout)
        self._on_answer, self.idle = on_answer, False
        self._spare = SPARE * guarded.controller.period
        self._beside = None if self._lockstep else Beside()

    def destroy(self) -> None:
        """Destroy the timer, the publishers and the thread of deferred work."""
        super().destroy()
        if self._beside is not None:
            self._beside.close()

    def _command(self, stamp: int, q: np.ndarray, dq: np.ndarray, impact: bool) -> Command | None:
        ready = not self._waits_for(stamp)
        effort = self.inputs.effort
        return self._guarded.answer(stamp, q, dq, impact=impact, ready=ready, effort=effort)

    def _waits_for(self, stamp: int) -> str:
        """Return why the arm may not approach at a state's stamp [ns], "" if it may."""
        if not self.inputs.ready(stamp):
            return BLIND
        known = self.steps.right or not self._lockstep
        return "" if known else "waiting: the step of the states' stamps is not known"

    def _note(self, command: Command, stamp: Any) -> dict[str, np.ndarray]:
        self.watch.counts.infeasible += bool(command.relaxed)
        self.outputs.announce(command.due, self._guarded.controller.plan, stamp)
        return {"velocity": command.velocity, "effort": command.reference_torque}

    def _described(self, command: Command, stamp: Any) -> ControllerStatus:
        guarded, plan = self._guarded, self._guarded.controller.plan
        waits = self._waits_for(to_nanoseconds(stamp))
        return status_message(
            self.watch.counts,
            remark(command, fault=guarded.fault, waits=waits),
            stamp,
            fault=guarded.fault_kind,
            limits=plan.impact_limits,
            **command_fields(command, idle=self.idle),
        )

    def _answered(self, command: Command, status: Callable[[], ControllerStatus]) -> None:
        assert self.inputs.state is not None
        impact = self.inputs.impact(self.stamp)
        self._on_answer(self.stamp, *self.inputs.state, command, status, impact)
        if self._beside is None:
            self._guarded.catch_up()
            return
        with self._beside.helps():
            self._guarded.catch_up(self._received + self._spare)

    def _described_rest(self, reason: str, stamp: Any) -> ControllerStatus:
        plan, counts = self._guarded.controller.plan, self.watch.counts
        self.outputs.announce(False, plan, stamp)
        fault, limits = self._guarded.fault_kind, plan.impact_limits
        return status_message(counts, reason, stamp, fault=fault, limits=limits)

    def _say_stopped(self, reason: str) -> None:
        if not self._guarded.inactive:
            line = f"stopped: {reason}; deactivate and activate to go on"
            self._node.get_logger().error(line)
