# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Memory of the controller's process while goals arrive for ten minutes (``--quick``: one).

Goals are refused, cancelled and replaced by the next one, some three a second, over real DDS; the
simulated arm answers in another process. Run it with ``./impact bench soak``: at most 1 MB more
after the first minute is aimed at.
"""

from __future__ import annotations

import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pinocchio as pin
import yaml
from adversary_dds import ROBOT, SCENARIO, DdsArm
from predictor_service import importable
from rclpy.action import ActionClient

from impact_bringup.experiments.child import child_process
from impact_bringup.experiments.domain import own_domain
from impact_msgs.action import ExecuteImpact
from impact_qp.node import ImpactQpNode
from impact_ros.messages import set_vector
from impact_ros.node.main import main_for

WHOLE, QUICK, WARM = 600.0, 60.0, 60.0  # [s]
QUICK_WARM = 20.0  # of the short form, whose figure is no measure of the aim [s]
SPEEDS = (0.02, 9.0, 0.03)  # of the goals in turn: the second one is refused [m/s]
CYCLES = 50  # for which each goal goes on
PAGE = 4096.0  # [bytes]


def measure(quick: bool = False) -> dict[str, float]:
    """Return how much the process grew, and for how many goals.

    Args:
        quick: one minute, of which the first 20 s warm up.
    """
    seconds, warm = (QUICK, QUICK_WARM) if quick else (WHOLE, WARM)
    with own_domain(), tempfile.TemporaryDirectory() as folder, importable():
        arm = DdsArm(node=False, approach_on_activation=False)
        file = Path(folder) / "parameters.yaml"
        file.write_text(yaml.safe_dump({"impact_qp": {"ros__parameters": arm.settings}}))
        ros = ["--ros-args", "--params-file", str(file)]
        with child_process(Path(__file__).stem, ros, Path(folder) / "log") as process:
            try:
                return _soaked(arm, lambda: _resident(process.pid), seconds, warm)
            finally:
                arm.close()


def _soaked(
    arm: DdsArm, resident: Callable[[], float], seconds: float, warm: float
) -> dict[str, float]:
    """Send goals for some time; return what the process took before and after [MB]."""
    client = ActionClient(arm.driver, ExecuteImpact, "impact_qp/execute_impact")
    arm.start()
    arm.need(client.server_is_ready, "the action")
    start, goals, before, at = time.monotonic(), 0, float("nan"), 0.0
    while (now := time.monotonic() - start) < seconds:
        if not at and now >= warm:
            before, at = resident(), now
        _one_goal(arm, client, goals)
        goals += 1
    after, minutes = resident(), (seconds - at) / 60.0
    client.destroy()
    return {
        "goals": goals,
        "resident after warming up [MB]": before,
        "resident at the end [MB]": after,
        "grown [MB]": after - before,
        "grown per minute [MB]": (after - before) / minutes,
    }


def _one_goal(arm: DdsArm, client: Any, number: int) -> None:
    """Send a goal, let the arm move, and cancel every other one; the next one takes over."""
    goal = ExecuteImpact.Goal(speed=SPEEDS[number % len(SPEEDS)])
    set_vector(goal.contact.pose.position, SCENARIO.surface_point(ROBOT))
    turn = goal.contact.pose.orientation
    turn.x, turn.y, turn.z, turn.w = _towards(SCENARIO.normal)
    future = client.send_goal_async(goal)
    arm.need(future.done, "an answer to the goal")
    future.result().get_result_async()
    arm.cycles(CYCLES)
    if number % 2:
        ended = future.result().cancel_goal_async()
        arm.need(ended.done, "an answer to the cancel")
        arm.cycles(CYCLES)
    if arm.gap < 0.03:  # back to where it began, before it hits
        arm.lifecycle.request("deactivate")
        arm.cycles(5 * CYCLES)
        arm.arm.reset(SCENARIO.start(ROBOT), arm.arm.dq * 0.0)
        arm.lifecycle.request("activate")
    for heard in (arm.status, arm.commands, arm.plain, arm.log):
        del heard[:-1]


def _towards(normal: Any) -> tuple[float, float, float, float]:
    """Return the quaternion x, y, z, w that turns z into the normal."""
    turn = pin.Quaternion(np.array([0.0, 0.0, 1.0]), np.array(normal, float))
    return float(turn.x), float(turn.y), float(turn.z), float(turn.w)


def _resident(pid: int) -> float:
    """Return the memory that a process holds [MB]."""
    pages = int(Path(f"/proc/{pid}/statm").read_text(encoding="ascii").split()[1])
    return pages * PAGE / 1e6


if __name__ == "__main__":  # the controller's process
    sys.exit(main_for(ImpactQpNode)())
