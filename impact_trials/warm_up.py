# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Compiles what the demo uses: ``python -m impact_trials.warm_up``.

A minute of computing; compiled code is kept, so later calls take a few seconds. What other commands
use (maps of speeds, two arms) is compiled at its first use.
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
    import_module("impact_qp.compiled.existential_rows")  # of the third controller
    done = [*run_campaign(trials_of([load_scenario(SCENARIO)], 1, 0), None, 1)]
    return len(done)


if __name__ == "__main__":
    warm_up()
