# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Advances simulated time only while the controller executes a hit."""

from __future__ import annotations

import time
from collections.abc import Callable

from action_msgs.msg import GoalStatus, GoalStatusArray
from rclpy.qos import qos_profile_action_status_default

from impact_sim.repeated_node import RepeatedSimNode

STATUS = "impact_qp/execute_impact/_action/status"
GOING = (GoalStatus.STATUS_ACCEPTED, GoalStatus.STATUS_EXECUTING, GoalStatus.STATUS_CANCELING)
UNFINISHED = 2.0  # see there [s]


class HitPacer:
    """Resumes a started plant for each goal of a hit."""

    def __init__(
        self,
        plant: RepeatedSimNode,
        ended: Callable[[RepeatedSimNode], None] = lambda plant: None,
        *,
        unfinished: float = UNFINISHED,
    ) -> None:
        """Subscribe to the controller's goals.

        Args:
            plant: in lockstep.
            ended: called with the plant after each hit, before it resumes.
            unfinished: if a goal is still active this long after the plant stopped, the plant
                resumes [s].
        """
        self._plant, self._ended, self._unfinished = plant, ended, unfinished
        self._active: bytes | None = None  # active goal
        self._last: bytes | None = None  # last goal for which the plant was resumed
        self._stopped: float | None = None  # when the plant stopped
        plant.create_subscription(
            GoalStatusArray, STATUS, self._take_status, qos_profile_action_status_default
        )

    def _take_status(self, message: GoalStatusArray) -> None:
        going = [each for each in message.status_list if each.status in GOING]
        self._active = bytes(going[-1].goal_info.goal_id.uuid) if going else None

    def look(self) -> None:
        """Resume the plant if it is stopped and there is a goal for it."""
        plant = self._plant
        if not plant.finished:
            self._stopped = None
            return
        if self._stopped is None:
            self._stopped = time.monotonic()
            if self._last is not None:
                self._ended(plant)
        waited = time.monotonic() - self._stopped
        if self._active is None or (self._active == self._last and waited < self._unfinished):
            return
        self._last, self._stopped = self._active, None
        plant.go_on()
