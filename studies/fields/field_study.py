# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Pushes and grabs of displaced boxes: velocity fields and reference spreading with equal gains.

The box is displaced along the approach of the arm that pushes it, or of either arm that grabs it,
and so is what it stands on, for which a table takes the place of a grab's pedestal.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from impact_analysis.demo.spreading_evaluation import SpreadingEvaluation, evaluate_spreading
from impact_qp.arms.plans import SpreadChoice
from impact_qp.spreading import Variant
from impact_robots.dynamics import ArmDynamics
from impact_sim.cell.spreading_file import load_spreading, spreading_names
from impact_sim.cell.spreading_scenario import SpreadingScenario
from impact_trials.in_process.spreading_trial import SpreadingRun, spread
from studies.study_folder import StudyFolder

STUDY = "fields"
SEEDS = 10
DISTANCES = (0.0, 0.02, 0.05)  # of the box from where it is expected [m]
SIDES = {"push": ("near", "far"), "grab": ("left", "right")}  # ways in which it is displaced
AFTER = 1.2  # the first contact, up to which a trial goes [s]
RAISED = 0.05  # least lift of a box that counts as grabbed [m]
PERIODS = 5  # of readings of the plates' last places


class FieldTrial(NamedTuple):
    """One trial by both modes; pairs are (rs, time_invariant)."""

    key: str
    scenario: str
    kind: str  # push or grab
    side: str  # of SIDES
    distance: float  # [m]
    peak: list[float]  # of the feedback along the approach [m/s^2]
    net: list[float]  # integral of the feedback [m/s]
    success: list[bool]  # no arm stopped, and a grabbed box was lifted
    slip: list[float]  # of the plates on a grabbed box; of pushes NaN [m]
    end: list[float]  # distance of the contact points from where the motion ends [m]


def run(
    seeds: int,
    seed: int,
    jobs: int,
    progress: Callable[[float, str], None],
    finished: StudyFolder[FieldTrial],
) -> list[FieldTrial]:
    """Return the trials of all cases; the number of processes changes nothing.

    Args:
        seeds: of each case and displacement.
        seed: the first one.
        jobs: processes; with 1 it is this one.
        progress: called with the fraction done and a note.
        finished: trials that need not be made; gets the others.

    Raises:
        ImpactError: a trial failed, or a process died.
    """
    work = {
        f"{name} {side} {distance:g} {seed + k}": (name, side, distance, seed + k)
        for k in range(seeds)
        for name in spreading_names()
        for side in SIDES[load_spreading(name).kind]
        for distance in DISTANCES
    }
    return finished.completed(field_trial, work, jobs, progress, "trials")


def displaced(name: str, side: str, distance: float) -> SpreadingScenario:
    """Return a scenario whose box stands aside of where it is expected."""
    scenario = load_spreading(name)
    arm = 0 if scenario.kind == "push" else SIDES["grab"].index(side)
    way = -1.0 if side == "near" or scenario.kind == "grab" else 1.0
    offset = np.array(scenario.box_offset) + way * distance * scenario.direction(arm)
    return replace(
        scenario,
        box_offset=tuple(offset.tolist()),
        variation={},
        pedestal_half=None,
        after_contact=AFTER,
    )


def field_trial(name: str, side: str, distance: float, seed: int) -> FieldTrial:
    """Make one trial by both modes."""
    scenario = displaced(name, side, distance)
    found = []
    for mode in (Variant.RS, Variant.TIME_INVARIANT):
        made = spread(scenario, seed, SpreadChoice(mode))
        found.append((evaluate_spreading(scenario, mode.value, made), _end(scenario, made)))
    return FieldTrial(
        f"{name} {side} {distance:g} {seed}",
        name,
        scenario.kind,
        side,
        distance,
        [each.peak_feedback for each, _ in found],
        [each.feedback_integral for each, _ in found],
        [succeeded(each) for each, _ in found],
        [np.nan if each.grab is None else abs(each.grab.slip) for each, _ in found],
        [end for _, end in found],
    )


def succeeded(found: SpreadingEvaluation) -> bool:
    """Tell whether no arm stopped, and a grabbed box was lifted."""
    return not found.stopped and (found.grab is None or found.grab.lift > RAISED)


def _end(scenario: SpreadingScenario, made: SpreadingRun) -> float:
    """Return how far the contact points are from where their motions end, mean of the arms [m]."""
    found = []
    last = np.mean(made.log.links[-PERIODS:], axis=0)  # (arms, 2, n)
    for arm, answer in enumerate(made.answers):
        post = answer.controller.plan.reference.post
        robot = scenario.robots[arm]
        place = ArmDynamics(robot)(last[arm, 0], np.zeros(robot.dof)).position
        found.append(np.linalg.norm(place - post(post.end).position[:3]))
    return float(np.mean(found))
