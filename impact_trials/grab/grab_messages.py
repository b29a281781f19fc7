# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Makes the messages of a grab's controller for a recording, without ROS."""

from __future__ import annotations

from typing import Any

import numpy as np

from impact_bags.message_maker import COMMAND, Made, MessageMaker
from impact_bags.suite_messages import CONTROLLER_STATUS
from impact_qp.body.phase_modes import mode_of
from impact_qp.body.progress import GrabProgress
from impact_robots.robot import Robot

GRAB = "impact_msgs/msg/GrabStatus"
UNKNOWN = float("nan")


class GrabMessages(MessageMaker):
    """Makes what the node publishes, field by field as it does."""

    def positions(self, time: int, robot: Robot, values: np.ndarray) -> Made:
        """Return the joint positions, shape (n,) [rad], that answer the state of a time [ns]."""
        kind: Any = self._types[COMMAND]
        header, names = self._header(time, ""), list(robot.joint_names)
        return COMMAND, kind(header, kind.INTERFACE_POSITION, False, names, values)

    def progress(self, time: int, said: GrabProgress, zero: float) -> Made:
        """Return how far the grab is; times are told from ``zero`` on, the first state [s]."""
        touched = (touch - zero for touch in said.touched)
        return GRAB, self._types[GRAB](
            self._header(time, ""),
            said.phase,
            said.box,
            *touched,
            said.bound,
            said.solved,
            said.failure,
        )

    def status(self, time: int, said: GrabProgress, limits: str, unsolved: int) -> Made:
        """Return the controller's status; what a single surface has is unknown.

        Args:
            time: of the state that was answered [ns].
            said: with the answer.
            limits: name of the impact limits in force.
            unsolved: cycles without a solution so far.
        """
        kind: Any = self._types[CONTROLLER_STATUS]
        unknown = ("slack", "solve_time", "cycle_time", "normal_speed", "gap")
        return CONTROLLER_STATUS, kind(
            header=self._header(time, ""),
            mode=mode_of(said.phase, held=False),
            impact_limits=getattr(kind, f"IMPACT_LIMITS_{limits.upper()}"),
            active_constraints=[],
            relaxed_constraints=[],
            speed_bound=said.bound,
            infeasible_cycles=unsolved,
            missed_cycles=0,
            dropped_inputs=0,
            message=said.phase,
            **dict.fromkeys(unknown, UNKNOWN),
        )
