# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""The demo's experiments without ROS 2: in this process, with the same figures."""

from __future__ import annotations

import sys
from collections.abc import Callable
from importlib import import_module
from pathlib import Path

from impact_bags.writing.writer import Tap
from impact_cli.exceptions import RosNeededError
from impact_cli.progress import Progress
from impact_ros.interrupts import deferred_interrupts
from impact_sim.scenarios import Scenario

Settings = tuple[int, bool, Tap | None]  # seed, against the wall clock, listener


def must_run_here(
    realtime: bool, experiment: str = "impact_bringup.experiments.experiment"
) -> bool:
    """Return whether ROS 2 is missing, and print one line about it.

    Args:
        realtime: whether real time is requested.
        experiment: module that runs the experiment over DDS.

    Raises:
        RosNeededError: real time is requested, which needs ROS 2.
    """
    try:
        with deferred_interrupts():
            import_module(experiment)
    except ImportError as error:
        if realtime:
            raise RosNeededError("demo --realtime", error) from None
        print(
            f"demo: no ROS 2 ({error}); running without DDS in this process, with the same figures",
            file=sys.stderr,
        )
        return True
    return False


def run_here(
    scenario: Scenario, controller: str, folder: Path, settings: Settings, label: str
) -> int:
    """Run one experiment in this process; no cycle is missed.

    Raises:
        ImpactError: the experiment failed.
    """
    from impact_bags.reading.run_record import Run
    from impact_trials.in_process.run import run_in_process

    seed, _, tap = settings
    progress = Progress(label)
    shown = shown_gap(progress, scenario)
    seconds = run_in_process(Run(scenario, controller, folder, seed=seed, progress=shown, tap=tap))
    progress.close(f"done, {seconds:.2f} s simulated")
    return 0


def shown_gap(progress: Progress, scenario: Scenario) -> Callable[[float, float], None]:
    """Return a callback that shows simulated time [s] and gap [m] as progress."""
    return lambda t, gap: progress.update(
        1.0 - gap / scenario.run_up, f"{t:.2f} s simulated, gap {gap * 1e3:.0f} mm"
    )
