# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""`plan --reflex --case FILE`: collision thresholds of given hits, by prediction."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np

from impact_analysis.present.plain import plain
from impact_cli.plans.case_file import Case, Cases, finite, vector
from impact_predictor.contact_force.laws import HuntCrossley
from impact_predictor.exceptions import PredictionError
from impact_predictor.reflex.observed_peaks import hit_peaks
from impact_predictor.reflex.stopping_push import stopping_push
from impact_predictor.reflex.thresholds import check_range, check_stiffness, needed_thresholds
from impact_robots.dynamics import ArmDynamics
from impact_robots.robot import Robot

LISTED = "B"
CUTOFFS = ("5", "15.9", "30", "100")  # of an arm's filter [Hz]; franka's is not published
ASSUMED = "15.9"  # the fake arm's: 100 1/s
_SIZES = {"q": 7, "u": 3, "vendor": 7}


def reflex_cases(cases: Cases, robot: Robot) -> Any:
    """Return the cases with their answers, in the form that they came in.

    Args:
        cases: hits with a known stiffness.
        robot: the arm.

    Raises:
        UsageError: an entry is missing or does not fit; says which.
        ImpactError: the robot's joints are not known, or it is another kind of arm.
    """
    answers = [_answer(each, f"entry {i + 1}", robot) for i, each in enumerate(cases.entries)]
    return plain(cases.printed(answers))


def _answer(entry: Case, where: str, robot: Robot) -> Case:
    """Return an entry with its answers under the same names."""
    q, u, vendor = (vector(entry, name, size, where) for name, size in _SIZES.items())
    speed, stiffness = (
        finite(entry.get("v"), f"{where}: v"),
        vector(entry, "stiffness", None, where),
    )
    damping = vector({"damping_s_per_m": [0.0]} | entry, "damping_s_per_m", None, where)
    laws = [HuntCrossley(k, k * c, 1.0) for k, c in product(stiffness, damping)]
    point = ArmDynamics(robot)(q, np.zeros(robot.nv))
    peaks = hit_peaks(robot, point, -u, speed, laws, [float(each) for each in CUTOFFS])
    levers = u @ point.J[:3]
    observed = dict(zip(CUTOFFS, peaks.observed, strict=True))
    thresholds = {
        "vendor": vendor,
        "unfiltered": needed_thresholds(vendor, peaks.force * np.abs(levers)),
        "filtered": needed_thresholds(vendor, observed[ASSUMED] * np.abs(levers)),
    }
    pushes = {
        f"push_that_stops_N_{name}": stopping_push(robot, point.robot_state, each)._asdict()
        for name, each in thresholds.items()
    }
    room = robot.limits.torque_range - np.abs(point.g)
    return entry | {
        "J_T_u": levers,
        "F_unfiltered_N": peaks.force,
        "F_filtered_N": observed,
        "impulse_Ns": peaks.impulse,
        "thr_unfiltered": thresholds["unfiltered"],
        "thr_filtered_15_9Hz": thresholds["filtered"],
        **pushes,
        "refused_unfiltered": _refusal(thresholds["unfiltered"], vendor, room, max(stiffness)),
        "refused_filtered_15_9Hz": _refusal(thresholds["filtered"], vendor, room, max(stiffness)),
    }


def _refusal(
    thresholds: np.ndarray, vendor: np.ndarray, room: np.ndarray, stiffest: float
) -> str | None:
    """Return why such thresholds would not be given to an arm, None if they would."""
    try:
        check_stiffness(stiffest)
        check_range(thresholds, vendor, room)
    except PredictionError as error:
        return str(error)
    return None
