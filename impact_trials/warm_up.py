# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Compiles what else is compiled when it is first used: ``python -m impact_trials.warm_up``.

Two minutes of computing; compiled code is kept, so later calls take a few seconds.
"""

from __future__ import annotations

from importlib import import_module

from impact_predictor.joint_load.load import warm_up as warm_up_loads
from impact_sim.scenarios import load_scenario
from impact_trials.campaign import run_campaign, trials_of

SCENARIO = "qp_panda_demo"  # runs the controller, the plant close to a wall and all detectors


def warm_up() -> int:
    """Simulate one hit and the load of one joint; return the number of trials done."""
    warm_up_loads()
    for name in ("reach_steps", "existential_rows", "spreading_program"):  # of maps; of demos
        import_module(f"impact_qp.compiled.{name}")
    for name in ("coulomb", "mobility", "velocity_bounds"):
        import_module(f"impact_predictor.compiled.{name}")
    done = [*run_campaign(trials_of([load_scenario(SCENARIO)], 1, 0), None, 1)]
    return len(done)


if __name__ == "__main__":
    warm_up()
