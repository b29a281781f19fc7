# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Predictions and joint loads of a million drawn states on all cores, start of processes included.

Run it with ``./impact bench many_states`` (some minutes), or with ``--quick`` for fewer states.
"""

from __future__ import annotations

from time import perf_counter

import numpy as np

from impact_robots import Surface, load_robot
from impact_trials.many_states import loads_of_states, predict_states
from impact_trials.processes import cores

ROBOT = load_robot("panda")
SURFACE = Surface(None, [-1.0, 0.0, 0.0], 0.279, 0.1)
STATES, FEW = 1_000_000, 20_000
STIFFNESS = 1e5  # [N/m]


def measure(quick: bool = False) -> dict[str, float]:
    """Return all figures; rates in states per second, half of which hit; quick: fewer states."""
    random, limits, count = np.random.default_rng(0), ROBOT.limits, FEW if quick else STATES
    q = random.uniform(limits.position_lower, limits.position_upper, (count, 7))
    dq = random.uniform(-1.0, 1.0, (count, 7))
    figures = {"states": float(count), "cores": float(cores())}
    for jobs in (1, cores()):
        some = slice(0, count // 10 if jobs == 1 else count)
        start = perf_counter()
        predict_states(ROBOT, SURFACE, q[some], dq[some], jobs=jobs)
        rate = len(q[some]) / (perf_counter() - start)
        figures[f"predictions, {'one process' if jobs == 1 else 'all cores'} [1/s]"] = rate
        start = perf_counter()
        loads_of_states(ROBOT, SURFACE, q[some], dq[some], stiffness=STIFFNESS, jobs=jobs)
        rate = len(q[some]) / (perf_counter() - start)
        figures[f"joint loads, {'one process' if jobs == 1 else 'all cores'} [1/s]"] = rate
    return figures
