# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Compiles what the demo uses: ``python -m impact_trials.warm_up``.

On all cores, as far as no part waits for another. Compiled code is kept, so later calls take a few
seconds. What other commands use (maps of speeds, two arms) is compiled at its first use.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from importlib import import_module

from impact_predictor.joint_load.load import warm_up as warm_up_loads
from impact_robots.cell import robot_named
from impact_sim.plant.plant import FlexibleJointPlant
from impact_sim.scenarios import load_scenario
from impact_trials.campaign import run_campaign, trials_of
from impact_trials.processes import cores, finished
from impact_trials.trial import detector_session

SCENARIO = "qp_panda_demo"  # runs the controller, the plant close to a wall and all detectors


def _import(*names: str) -> None:
    for name in names:
        import_module(name)


def _make_plant() -> None:
    FlexibleJointPlant(robot_named(load_scenario(SCENARIO).robot))


def _make_detectors() -> None:
    scenario = load_scenario(SCENARIO)
    detector_session(scenario, robot_named(scenario.robot))


QP, PREDICTOR = "impact_qp.compiled", "impact_predictor.compiled"
PARTS: tuple[Callable[[], None], ...] = (  # the longest first; what two of them need is short
    partial(_import, f"{QP}.standard_program", f"{QP}.existential_rows"),
    _make_plant,
    warm_up_loads,
    partial(_import, f"{PREDICTOR}.mobility", f"{PREDICTOR}.velocity_bounds"),
    partial(_import, f"{PREDICTOR}.coulomb"),
    _make_detectors,
    partial(_import, f"{QP}.guards"),
)


def warm_up() -> int:
    """Compile the parts, then simulate one hit, and whatever they lack; return the trials done."""
    for _ in finished(_do, ((part,) for part in PARTS), cores(), "warm_up"):
        pass
    return len([*run_campaign(trials_of([load_scenario(SCENARIO)], 1, 0), None, 1)])


def _do(part: Callable[[], None]) -> None:
    part()


if __name__ == "__main__":
    warm_up()
