# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""The demo through libfranka, with a fake FR3 on this machine."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from impact_analysis.franka.loop_record import measured
from impact_cli.franka.fci_report import tell
from impact_cli.franka.fci_run import FciRun, ending, recorded_run
from impact_cli.progress import Progress
from impact_drivers.fake_fr3.fake_process import FakeProcess
from impact_drivers.fake_fr3.fake_setup import FakeSetup
from impact_drivers.franka.arm.libfranka_arm import libfranka
from impact_drivers.franka.arm.settings import ArmSettings, read_settings
from impact_drivers.franka.hit_need import hit_need
from impact_drivers.franka.hit_process import HitJob, run_hit
from impact_qp.parameters import ControllerParameters
from impact_robots.exceptions import UsageError
from impact_ros.parameters import from_values
from impact_sim.driver.simulation import START_NS


def start_of_lockstep() -> int:
    """Return the stamp of the first state of a fake arm, that of every simulation [ns]."""
    return START_NS


CONTROLLERS = ("robust", "joint_load")  # the only ones that move an FR3, real or fake


def run_fci_demo(arguments: argparse.Namespace, new_folder: Callable[[], Path]) -> int:
    """Run the demo and return the exit status.

    Args:
        arguments: of the command line.
        new_folder: makes the output folder, once something will be written into it.

    Raises:
        ImpactError: no libfranka, or no impact.
    """
    if arguments.realtime:
        raise UsageError("--realtime: not with --fci, where the arm sets the pace")
    libfranka()  # raises if it is missing
    settings = ArmSettings() if arguments.arm is None else read_settings(arguments.arm)
    if arguments.arm is None:
        settings = replace(settings, raise_thresholds=True)  # no person is near a fake arm
    folder = new_folder()
    runs = [
        _fake_run(arguments, controller, settings, folder, f"[{i + 1}/{len(CONTROLLERS)}]")
        for i, controller in enumerate(CONTROLLERS)
    ]
    tell(runs, folder, json_only=arguments.json)
    return 0


def _fake_run(
    arguments: argparse.Namespace,
    controller: str,
    settings: ArmSettings,
    folder: Path,
    label: str,
) -> FciRun:
    """Hit with a new fake arm."""
    setup = FakeSetup(arguments.scenario, seed=arguments.seed)
    robot, scenario = setup.load_robot(), setup.load_scenario()
    values = scenario.controller_parameters(robot) | {"impact_limits": controller}
    plan = from_values(ControllerParameters, values).plan()
    need = hit_need(robot, plan, setup.start(robot)) if settings.raise_thresholds else None
    job = HitJob(
        "",
        plan,
        replace(settings, realtime=False),
        scenario.detection_threshold,
        arguments.dry_run,
        need=need,
    )
    progress = Progress(f"{label} {controller}")
    with FakeProcess(setup) as fake:
        outcome = run_hit(replace(job, address=fake.address), start_of_lockstep)
        rows = measured(outcome, fake.log)
    progress.close(ending(outcome))
    return recorded_run(job, outcome, rows, robot, folder)
