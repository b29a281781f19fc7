# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Surfaces at the ends of a target's ranges, and the one in the middle."""

from __future__ import annotations

from itertools import product
from math import inf, sqrt

import numpy as np

from impact_predictor.joint_load.load_case import STIFFEST
from impact_predictor.strike.strike_case import NailCase, StopCase
from impact_robots.tools.target import Range, Target


def surface_cases(target: Target) -> list[StopCase | NailCase]:
    """Return the surfaces to be examined, stops first.

    Ends and geometric middle of the stiffness, ends of restitution and resistance.
    """
    cases: list[StopCase | NailCase] = []
    if target.stop is not None:
        ends = sorted(set(target.stop.restitution))
        cases += [StopCase(*each) for each in product(_three(target.stop.stiffness), ends)]
    if target.nail is not None:
        ends = sorted(set(target.nail.resistance))
        cases += [NailCase(*each) for each in product(_three(target.nail.stiffness), ends)]
    return cases


def target_cases(target: Target) -> list[StopCase | NailCase]:
    """Return the surfaces of what is meant: the nail if there is one, else the stop."""
    wanted = StopCase if target.nail is None else NailCase
    return [each for each in surface_cases(target) if isinstance(each, wanted)]


def middle_surface(target: Target) -> StopCase | NailCase:
    """Return the nail if there is one, else the stop.

    Geometric middle of the stiffness, middle of the resistance, lowest restitution.
    """
    if target.nail is not None:
        resistance = float(np.mean(target.nail.resistance))
        return NailCase(_middle(target.nail.stiffness), resistance)
    assert target.stop is not None  # a target is one of them
    return StopCase(_middle(target.stop.stiffness), target.stop.restitution[0])


def _three(stiffness: Range) -> list[float]:
    low, high = stiffness
    return sorted({low, _middle(stiffness), high})


def _middle(stiffness: Range) -> float:
    """Return the geometric middle, of an open range that up to what loads no joint more."""
    low, high = stiffness
    return sqrt(low * (high if high < inf else max(low, STIFFEST)))
