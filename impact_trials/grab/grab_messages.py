# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Makes the messages of a grab's controller for a recording, without ROS."""

from __future__ import annotations

from typing import Any

import numpy as np

from impact_bags.message_maker import COMMAND, Made, MessageMaker
from impact_bags.suite_messages import CONTROLLER_STATUS
from impact_qp.body.progress import GrabProgress
from impact_qp.control.status import Counts, status_fields
from impact_robots.robot import Robot

GRAB = "impact_msgs/msg/GrabStatus"


class GrabMessages(MessageMaker):
    """Makes what the node publishes, from the fields that it writes."""

    def positions(self, time: int, robot: Robot, values: np.ndarray) -> Made:
        """Return the joint positions, shape (n,) [rad], that answer the state of a time [ns]."""
        kind: Any = self.types[COMMAND]
        header, names = self._header(time, ""), list(robot.joint_names)
        return COMMAND, kind(header, kind.INTERFACE_POSITION, False, names, values)

    def progress(self, time: int, said: GrabProgress, zero: float) -> Made:
        """Return how far the grab is; times are told from ``zero`` on, the first state [s]."""
        return self.message(GRAB, time, "", said.fields(zero))

    def status(self, time: int, said: GrabProgress, limits: str, unsolved: int) -> Made:
        """Return the controller's status; what a single surface has is unknown.

        Args:
            time: of the state that was answered [ns].
            said: with the answer.
            limits: name of the impact limits in force.
            unsolved: cycles without a solution so far.
        """
        fields = status_fields(
            self.types[CONTROLLER_STATUS],
            Counts(infeasible=unsolved),
            said.phase,
            limits=limits,
            **said.status(),
        )
        return self.message(CONTROLLER_STATUS, time, "", fields)
