# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""The loop's process, started by the node: `python -m impact_drivers.franka.loop_main MEMORY NODE`.

MEMORY is the descriptor of the shared memory, NODE the number of the node's process; the parameters
are one line on standard input. No ROS,
and no second thread except the one that makes controllers in the loop's spare time: libfranka holds
Python's lock while it waits for the arm.
"""

from __future__ import annotations

import sys
from collections.abc import Callable

from impact_detector.parameters import session_for
from impact_detector.session import DetectorSession
from impact_drivers.exceptions import DriverError
from impact_drivers.franka.arm.arm import Arm
from impact_drivers.franka.arm.libfranka_arm import LibfrankaArm
from impact_drivers.franka.arm.real_time import claim
from impact_drivers.franka.child import Wanted
from impact_drivers.franka.loop.loop import FrankaLoop
from impact_drivers.franka.memory.link import LoopEnd
from impact_drivers.franka.parameters import FrankaParameters
from impact_robots.exceptions import ImpactError
from impact_robots.robot import Robot

Connect = Callable[[FrankaParameters], Arm]


def session(settings: FrankaParameters, robot: Robot) -> DetectorSession:
    """Return a new session of the detector; the slow estimates are made by the node."""
    return session_for(settings.detector(), robot, estimates=False)


def libfranka_arm(settings: FrankaParameters) -> LibfrankaArm:
    """Connect to the arm through libfranka; with a real-time kernel, set up real-time scheduling.

    Raises:
        DriverError: there is no arm, or no such library.
    """
    arm = LibfrankaArm(settings.address, realtime=settings.realtime)
    for refused in claim() if settings.realtime else ():
        print(refused)
    return arm


def run(descriptor: int, node: int, settings: FrankaParameters, connect: Connect) -> None:
    """Run the loop until a request to end, or until the node's process has ended.

    Args:
        descriptor: of the shared memory.
        node: number of the node's process.
        settings: of the node.
        connect: to the arm.

    Raises:
        ImpactError: the arm cannot be controlled, or keeps raised collision thresholds.
    """
    wanted = Wanted(node)
    link, robot = LoopEnd(descriptor, settings.request_age), settings.load_robot()
    arm = connect(settings)
    arm.configure(settings)  # it must be idle and without errors
    loop = FrankaLoop(
        arm,
        robot,
        settings.plan().resolved(robot),
        settings,
        lambda: session(settings, robot),
        link.commands,
        link.cycles.write,
        dry_run=settings.dry_run,
        real_time=settings.realtime,
        stopped=wanted.no_longer,
    )
    try:
        loop.run()
    finally:
        print(loop.times.report().line())
    if loop.still_raised:
        raise DriverError(loop.still_raised)


def main(connect: Connect = libfranka_arm) -> int:
    """Run the process; return its exit status: 0 ended in order, 1 failed."""
    try:
        settings = FrankaParameters.from_line(sys.stdin.readline())
        run(int(sys.argv[1]), int(sys.argv[2]), settings, connect)
    except ImpactError as error:
        print(" ".join(str(error).split()), flush=True)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
