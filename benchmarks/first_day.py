# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""The steps of doc/first_day.md with a simulated Panda: expected results; no times.

Run it with ``./impact bench first_day``.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from impact_detector.signals.sample import FUSED
from impact_robots import load_robot
from impact_sim import Simulation, load_scenario
from impact_sim.arm.watched_plant import WatchedPlant
from impact_trials.in_process.impact_trial import qp_controller
from impact_trials.lockstep import lockstep
from impact_trials.trial import detector_session

SCENARIO = "qp_panda_demo"
SPEEDS = (0.02, 0.05, 0.07)  # [m/s]
SEEDS = range(3)
THRESHOLDS = (15.0, 9.0)  # of `fused`: the default, and learned from the scenario free_motion
QUIET = 0.1  # without contact behind the hit, which ends a run [s]
LONGEST = 12.0  # [s]


def measure() -> dict[str, float]:
    """Return all figures, each the worst of some hits."""
    figures: dict[str, float] = {}
    for threshold in THRESHOLDS:
        for speed in SPEEDS:
            name = f"threshold {threshold:g}, {speed:g} m/s"
            runs = [_run(speed, seed, threshold) for seed in SEEDS]
            for key in runs[0]:
                values = [run[key] for run in runs if np.isfinite(run[key])]
                figures[f"{name}: {key}"] = max(values, default=np.nan)
            seen = sum(np.isfinite(run["detected after [ms]"]) for run in runs)
            figures[f"{name}: detected, of {len(runs)}"] = float(seen)
    return figures


def _run(speed: float, seed: int, threshold: float) -> dict[str, float]:
    """Return what one hit does."""
    scenario = replace(load_scenario(SCENARIO), controller="robust", reference_speed=speed)
    robot = load_robot(scenario.robot)
    plant = WatchedPlant(robot, scenario.wall(robot))
    simulation = Simulation(robot, seed=seed, plant=plant)
    session, controller = detector_session(scenario, robot), qp_controller(scenario, robot)
    session.set_threshold(FUSED, threshold)
    speeds: list[float] = []
    found: dict[str, Any] = {"largest": 0.0, "delay": np.nan, "load": 0.0, "before": None}
    found |= {"left": np.nan, "force": 0.0}
    for cycle in lockstep(simulation, controller, session, scenario.start(robot)):
        speeds.append(-float(plant.contact_velocity @ np.array(scenario.normal)))
        _look(found, cycle, plant, robot)
        time = cycle.measurement.time
        if time > LONGEST or (
            plant.contact_start and time > plant.contact_start.time + found["left"] + QUIET
        ):
            break
    return {
        "speed [mm/s]": 1e3 * max(speeds),
        "largest statistic before": found["largest"],
        "detected after [ms]": 1e3 * found["delay"],
        "left the wall after [ms]": 1e3 * found["left"],
        "change of torque [% of limit]": 1e2 * found["load"],
        "force [N]": found["force"],
    }


def _look(found: dict[str, Any], cycle: Any, plant: WatchedPlant, robot: Any) -> None:
    """Keep what a cycle shows."""
    tau, force = cycle.measurement.tau, np.linalg.norm(cycle.measurement.forces, axis=1)
    found["force"] = max(found["force"], float(force.max()))
    if plant.contact_start is None:
        found["before"] = tau
        if cycle.status.ready:
            found["largest"] = max(found["largest"], cycle.status.statistic)
        return
    if cycle.status.impact and not np.isfinite(found["delay"]):
        found["delay"] = cycle.measurement.time - plant.contact_start.time
    if not plant.contact_force.any():
        if not np.isfinite(found["left"]):
            found["left"] = cycle.measurement.time - plant.contact_start.time
        return
    found["left"] = np.nan
    change = np.abs(tau - found["before"]) / robot.limits.impulsive_torque
    found["load"] = max(found["load"], float(change.max()))
