# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Announces a controller's impact to the detector."""

from __future__ import annotations

from typing import Any

from impact_msgs.msg import ImpactAnnouncement
from impact_qp.control.plan import Plan
from impact_qp.ros.messages import announcement_message
from impact_robots.robot import Robot


class Announcer:
    """Publishes the impact of a plan when it becomes due, and that none is due any more.

    A goal that replaces another one shortly before its impact is announced, too: the next impact is
    to be judged by the surface of the plan in use.
    """

    def __init__(self, publisher: Any, robot: Robot) -> None:
        """Announce impacts of an arm."""
        self._publisher, self._robot = publisher, robot
        self.reset()

    def reset(self) -> None:
        """Restart with nothing announced."""
        self._announced: Plan | bool | None = None  # false: that none is due

    def announce(self, due: bool, plan: Plan, stamp: Any) -> ImpactAnnouncement | None:
        """Publish and return what is to be announced, None if that is known.

        Args:
            due: whether the plan's impact is.
            plan: in use.
            stamp: of the state, a builtin_interfaces/Time.
        """
        known = plan if due else False
        if known is self._announced:
            return None
        self._announced = known
        message = announcement_message(self._robot, plan, due, stamp)
        self._publisher.publish(message)
        return message
