# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Lowers an arm's collision thresholds after its loop has ended, in a process of its own.

`python -m impact_drivers.franka.restore_main`, with the parameters as one line on standard input.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable

from impact_drivers.exceptions import DriverError
from impact_drivers.franka.arm.arm import Arm
from impact_drivers.franka.arm.libfranka_arm import LibfrankaArm
from impact_drivers.franka.arm.settings import ArmSettings
from impact_drivers.franka.parameters import FrankaParameters
from impact_robots.exceptions import ImpactError

TRIES, PAUSE = 10, 0.3  # an arm that stops itself may refuse for a short time [s]


def restore(connect: Callable[[], Arm], settings: ArmSettings, pause: float = PAUSE) -> str:
    """Connect to an arm and set its collision thresholds low; return why not, "" if they are.

    Args:
        connect: to the arm.
        settings: with the low thresholds.
        pause: between two tries [s].
    """
    reason = ""
    for left in range(TRIES - 1, -1, -1):
        try:
            connect().set_thresholds(settings.low_thresholds)
            return ""
        except ImpactError as error:
            reason = str(error)
        time.sleep(pause if left else 0.0)
    return reason


def connected(address: str) -> Callable[[], Arm]:
    """Return a function that connects to the arm at an address, with or without real time."""

    def connect() -> Arm:
        return LibfrankaArm(address, realtime=False)

    return connect


def main() -> int:
    """Run the process; return its exit status: 0 if the thresholds are low."""
    settings = FrankaParameters.from_line(sys.stdin.readline())
    try:
        reason = restore(connected(settings.address), settings)
    except DriverError as error:
        reason = str(error)
    print(reason, flush=True)
    return 1 if reason else 0


if __name__ == "__main__":
    sys.exit(main())
