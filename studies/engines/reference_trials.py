# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""The scenarios ``rs_*`` with references by each impact map, laws and engine, one trial each."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from impact_analysis.demo.spreading_evaluation import evaluate_spreading, feedback_of
from impact_predictor.multicontact.reference_maps import REFERENCE_MAPS
from impact_qp.arms.plans import SpreadChoice, expected_impact
from impact_sim.cell.spreading_file import load_spreading, spreading_names
from impact_trials.in_process.spreading_trial import spread
from impact_trials.truth.spread_figures import feedback_figures
from studies.fields.field_study import succeeded
from studies.in_turn import made_in_turn


class MapTrial(NamedTuple):
    """One trial with references by one map."""

    scenario: str
    kind: str  # push or grab
    object_map: str  # of REFERENCE_MAPS
    seed: int
    along: float  # predicted velocity of the plates after the impact, along the approach [m/s]
    up: float  # the same upwards, mean of the arms [m/s]
    peak: float  # of the feedback along the approach [m/s^2]
    net: float  # integral of the feedback's size, mean of the arms [m/s]
    success: bool  # no arm stopped, and a grabbed box was lifted
    slip: float  # of the plates on a grabbed box; of pushes NaN [m]


def run(seeds: int, seed: int, jobs: int, progress: Callable[[float, str], None]) -> list[MapTrial]:
    """Return the trials of all scenarios and maps; the number of processes changes nothing.

    Args:
        seeds: of each scenario.
        seed: the first one.
        jobs: processes; with 1 it is this one.
        progress: called with the fraction done and a note.

    Raises:
        ImpactError: a trial failed, or a process died.
    """
    work = [
        (name, kind, seed + k)
        for k in range(seeds)
        for name in spreading_names()
        for kind in REFERENCE_MAPS
    ]
    return made_in_turn(map_trial, work, jobs, progress, study="engines", what="trials")


def map_trial(name: str, object_map: str, seed: int) -> MapTrial:
    """Make one trial."""
    scenario, choice = load_spreading(name), SpreadChoice(object_map=object_map)
    plates = list(expected_impact(scenario.task, choice).plates.values())
    along = [twist[:3] @ scenario.direction(arm) for arm, twist in enumerate(plates)]
    made = spread(scenario, seed, choice)
    found = evaluate_spreading(scenario, object_map, made)
    times = np.array(made.log.times)
    feedback = feedback_figures(times, feedback_of(made), found.touch, found.axis)
    return MapTrial(
        name,
        scenario.kind,
        object_map,
        seed,
        float(np.mean(along)),
        float(np.mean([twist[2] for twist in plates])),
        feedback.peak,
        feedback.norm_integral,
        succeeded(found),
        np.nan if found.grab is None else abs(found.grab.slip),
    )
