# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""The named faults over DDS; each runs in a separate process with a time limit.

One alone: ``./impact shell -- python benchmarks/adversary_faults.py "frozen stamp"``.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import adversary_goal_faults as goals
import adversary_process_faults as processes
import adversary_state_faults as states
from adversary_dds import DdsArm, FaultError

from impact_bringup.experiments.child import child_process
from impact_bringup.experiments.domain import own_domain

KILLED_AFTER = 120.0  # [s]
TOLD = {"approach_on_activation": False, "impact_limits": "robust"}


@dataclass(frozen=True)
class Fault:
    """What goes wrong, and with which parameters of the controller."""

    run: Callable[[DdsArm], None]
    changes: dict[str, Any] = field(default_factory=dict)
    apart: bool = False  # the controller is another process


FAULTS = {
    "one sample in degrees": Fault(states.one_sample_in_degrees),
    "zeros before ready": Fault(states.zeros_before_ready),
    "joint in another turn": Fault(states.joint_in_another_turn),
    "second publisher": Fault(states.second_publisher),
    "frozen stamp": Fault(states.frozen_stamp, {"interface": "velocity", "state_timeout": 0.3}),
    "stamps left at 0": Fault(states.stamps_left_at_zero, {"state_timeout": 0.3}),
    "nanosec 4294967295": Fault(processes.odd_nanoseconds, apart=True),
    "sec 2147483647": Fault(processes.last_second, apart=True),
    "sample_period 1e300": Fault(processes.endless_sample_period, apart=True),
    "states stop": Fault(states.states_stop, {"state_timeout": 0.3}),
    "detector stops": Fault(states.detector_stops, {"state_timeout": 0.5}),
    "clock jumps back": Fault(states.clock_jumps_back),
    "process stopped": Fault(processes.stopped_and_continued, {"state_timeout": 0.2}, apart=True),
    "two interrupts": Fault(processes.two_interrupts, apart=True),
    "SIGTERM": Fault(processes.terminated, apart=True),
    "another node fails": Fault(processes.another_node_fails, apart=True),
    "default goal": Fault(goals.default_goal, TOLD),
    "friction_low only": Fault(goals.friction_low_only, TOLD),
    "weaker limits by goal": Fault(goals.weaker_limits, TOLD),
    "absurd goals": Fault(goals.absurd_goals, TOLD),
    "active too fast, too near": Fault(states.active_too_fast_too_near),
    "flood of states": Fault(states.flood_of_states),
    "blocked arm, positions": Fault(states.blocked_arm, {"interface": "position"}),
    "blocked arm, velocities": Fault(states.blocked_arm, {"interface": "velocity"}),
}
QUICK = (
    "one sample in degrees",
    "zeros before ready",
    "joint in another turn",
    "frozen stamp",
    "states stop",
    "nanosec 4294967295",
    "SIGTERM",
    "flood of states",
    "blocked arm, positions",
)


def in_process(name: str) -> str:
    """Run a fault in a process of its own; return what failed, empty if nothing did."""
    with tempfile.TemporaryDirectory() as folder:
        log = Path(folder) / "log"
        with child_process(Path(__file__).stem, [name], log) as process:
            try:
                process.wait(KILLED_AFTER)
            except subprocess.TimeoutExpired:
                process.kill()
                return f"not over after {KILLED_AFTER:g} s"
        lines = log.read_text(errors="replace").splitlines()
    try:
        return str(json.loads(lines[-1])["failed"])
    except (IndexError, KeyError, TypeError, ValueError):
        return f"died: {lines[-1] if lines else 'said nothing'}"


def try_fault(name: str) -> str:
    """Run a fault here; return what failed, empty if nothing did."""
    fault = FAULTS[name]
    with own_domain():
        arm = DdsArm(node=not fault.apart, **fault.changes)
        try:
            fault.run(arm)
        except FaultError as error:
            return str(error)
        finally:
            arm.close()
    return ""


if __name__ == "__main__":
    print(json.dumps({"failed": try_fault(sys.argv[1])}))
