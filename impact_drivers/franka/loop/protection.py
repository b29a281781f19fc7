# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""The arm's own protection: collision thresholds are low except during a hit."""

from __future__ import annotations

from impact_drivers.franka.arm.arm import Arm
from impact_drivers.franka.arm.settings import ArmSettings
from impact_drivers.franka.loop.goals import LoopGoal
from impact_robots.exceptions import ImpactError

REFLEXES = ("joint_reflex", "cartesian_reflex")
LOW = "the collision thresholds are low: raise_thresholds raises them for a hit"
RAISED = "harder than predicted: hit slower, announce wider ranges, or raise threshold_reserve"
STILL_RAISED = "the collision thresholds are still raised, recover or configure again: "


def advice(fault: str, *, raised: bool) -> str:
    """Return the reason of a hit's end, with advice if collision thresholds caused it.

    Args:
        fault: reason, with libfranka's names of errors.
        raised: the thresholds were raised for the hit.
    """
    if not any(reflex in fault for reflex in REFLEXES):
        return fault
    return f"{fault} ({RAISED if raised else LOW})"


AGAIN = 300_000_000  # between two tries to lower them: an arm may refuse after a reflex [ns]


class Protection:
    """Raises the thresholds for a goal and lowers them again, outside of motions.

    Attributes:
        raised: whether they are raised.
    """

    def __init__(self, arm: Arm, settings: ArmSettings) -> None:
        """Begin with thresholds that are low."""
        self._arm, self._settings, self.raised = arm, settings, False
        self._tried = 0  # when lowering them failed [ns]

    def apply(self, goal: LoopGoal | None) -> None:
        """Set the thresholds of the next motion; ``goal``: of that motion.

        Raises:
            DriverError: the arm refuses.
        """
        if goal is not None and goal.thresholds is not None:
            self.raised = True  # assumed from here on
            self._arm.set_thresholds(goal.thresholds)
        elif self.raised:
            self._arm.set_thresholds(self._settings.low_thresholds)
            self.raised = False

    def lower_again(self, time: int) -> None:
        """Try again to lower thresholds that are still raised, at most every ``AGAIN``; time [ns].

        Only between motions.
        """
        if self.raised and time - self._tried >= AGAIN:
            self._tried = time
            self.lower()

    def lower(self) -> str:
        """Lower the thresholds if they are raised; return the reason of a failure, else ""."""
        try:
            self.apply(None)
        except ImpactError as error:
            return STILL_RAISED + str(error)
        return ""
