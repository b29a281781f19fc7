# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""The demo `hammer_nail`: an arm drives a nail in four ways, in this process."""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from impact_bags import BagWriter
from impact_bags.writing.writer import Tap
from impact_cli.demo.demo_viewer import demo_viewer
from impact_cli.ending import end_runs
from impact_cli.progress import Progress
from impact_qp.control.command import Command
from impact_qp.control.state_machine import Fault
from impact_trials.lockstep import Cycle
from impact_trials.recording.run_bag import RunBag

if TYPE_CHECKING:
    from impact_analysis.strikes.driven_nail import DrivenNail
    from impact_trials.strikes.hammer_nail import HammerNail
    from impact_trials.strikes.nail_run import NailRun
    from impact_trials.strikes.strike_bench import Record

PUBLISHED, RIGID, HANDLE, LEARNING = (
    *("published bound", "joint_load, rigid"),
    *("joint_load, handle", "joint_load, handle, learning"),
)
RECORDED = 3  # strikes of each run
CONTROLLERS = (PUBLISHED, RIGID, HANDLE, LEARNING)


def run_hammer_demo(arguments: argparse.Namespace, new_folder: Callable[[], Path]) -> int:
    """Drive the nail in all ways; the exit status is 1 if a load was above its limit.

    Args:
        arguments: of the demo: seed, json, options of the viewer.
        new_folder: makes the folder for what is written.

    Raises:
        ImpactError: the folder cannot be made, or an arm does not return from a strike.
    """
    from impact_analysis.strikes.driven_nail import DrivenNail, nail_sentence, nail_table
    from impact_analysis.strikes.nail_picture import draw_nails
    from impact_trials.strikes.hammer_nail import HammerNail

    started, world = time.monotonic(), HammerNail()
    with demo_viewer(arguments, world.robot_name) as viewer:
        folder, runs = new_folder(), list[DrivenNail]()
        print(f"demo: {arguments.scenario}: in this process, not over DDS", file=sys.stderr)
        for index, controller in enumerate(CONTROLLERS):
            viewer.begin(controller)
            label = f"[{index + 1}/{len(CONTROLLERS)}] {controller}"
            bag = folder / controller.replace(", ", "_").replace(" ", "_") / "bag"
            runs.append(_driven(world, controller, arguments.seed, bag, viewer.tap, label))
        draw_nails(runs, folder / "nail.png")
        end_runs(
            folder / "table.json",
            {
                "scenario": arguments.scenario,
                "seed": arguments.seed,
                "runs": [each.as_json() for each in runs],
            },
            lambda: (f"\n{nail_table(runs)}", nail_sentence(runs)),
            as_json=arguments.json,
            started=started,
        )
        viewer.watch()
    return 0 if all((each.highest_load or 0.0) <= 1.0 for each in runs) else 1


def _driven(
    world: HammerNail, controller: str, seed: int, bag: Path, tap: Tap | None, label: str
) -> DrivenNail:
    """Drive the nail in one way, and record it."""
    from impact_analysis.strikes.driven_nail import DrivenNail
    from impact_trials.strikes.nail_run import NailStrike

    progress, strikes = Progress(label), list[NailStrike]()
    run, nail = _run(world, controller, seed, progress), world.target.nail
    deepest = (nail and nail.depth) or 1.0
    with _recording(bag, world, controller, tap, lambda: len(strikes) < RECORDED) as record:
        for each in run.strikes(record):
            strikes.append(each)
            depth = each.measured_depth
            note = f"{len(strikes)} strikes, {depth * 1e3:.1f} mm"
            progress.update(depth / deepest, note)
    found = DrivenNail(controller, run, strikes)
    progress.close(f"done, {found.count} strikes, {found.depth * 1e3:.1f} mm")
    return found


def _run(world: HammerNail, controller: str, seed: int, progress: Progress) -> NailRun:
    """Return one way to drive the nail, ready to begin."""
    from impact_trials.strikes.nail_run import NailRun, best_pose

    if controller in (PUBLISHED, RIGID):
        return NailRun(world, world.rigid_tool, published=controller == PUBLISHED, seed=seed)
    if controller == HANDLE:
        return NailRun(world, world.tool, seed=seed)
    q = best_pose(world, lambda done: progress.update(done, "looking for the best pose"))
    return NailRun(world, world.tool, learns=True, q=q, seed=seed)


@contextmanager
def _recording(
    path: Path, world: HammerNail, controller: str, tap: Tap | None, early: Callable[[], bool]
) -> Iterator[Record]:
    """Give what records a cycle and its command in a bag: of early strikes, or if it is shown."""
    path.parent.mkdir()
    limits = "robust" if controller == PUBLISHED else "joint_load"
    with BagWriter(path, tap=tap) as writer:
        bag = RunBag(writer, world.arm, limits)

        def record(cycle: Cycle, command: Command) -> None:
            if tap is not None or early():
                bag.add(cycle, command, "", Fault.NONE)

        yield record
