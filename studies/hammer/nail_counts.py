# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Strikes that drive a nail to its depth: rigid tools, a handle that gives, and the best pose."""

from __future__ import annotations

from dataclasses import replace
from math import sqrt
from typing import NamedTuple

import numpy as np

from impact_predictor.strike.strike_case import NailCase, StrikeCase
from impact_predictor.strike.strike_plan import MOST_STRIKES, plan_strike
from impact_qp.strike.best_strike import best_strike
from impact_robots.tools.target import Nail
from impact_trials.processes import check_stopped
from impact_trials.strikes.coasted_strike import CoastingArm
from impact_trials.strikes.hammer_nail import HammerNail
from impact_trials.strikes.nail_run import NailRun, published_speed
from studies.hammer.strike_draw import DEPTH

RESISTANCES = (200.0, 400.0)  # true; announced within 25 % [N]
PUBLISHED, RIGID = "rigid, published bound", "rigid"
HANDLE, POSE, SOFT = "handle", "handle, best pose", "soft handle, best pose"
RUNS = PUBLISHED, RIGID, HANDLE, POSE, SOFT
SOFTER = (0.7e4, 1.3e4)  # handle of the last [N/m]
LEAST_DEPTH = 1e-6  # of a strike that drives the nail at all [m]


class NailCount(NamedTuple):
    """One nail, driven in one way."""

    resistance: float  # of the nail at the surface [N]
    run: str
    speed: float  # of each strike [m/s]
    strikes: int | None  # to 30 mm; none: it stops before, or takes more than are counted
    depth: float  # in the end [m]
    used: float  # largest fraction of a limit of the joints [-]


def nail_count(resistance: float, run: str) -> NailCount:
    """Drive a nail with the tool of the scenario `hammer_nail`, or one as soft as ``SOFTER``.

    Args:
        resistance: of the nail [N].
        run: one of ``RUNS``.
    """
    world = _world(resistance, run)
    q, speed = _planned(world, run)
    nail, used = NailCase(sqrt(float(np.prod(Nail((1.0, 1.0)).stiffness))), resistance), 0.0
    arm = CoastingArm(world.robot, world.tool, q, StrikeCase(world.tool.nominal, nail))
    for strikes in range(1, MOST_STRIKES + 1):
        check_stopped()
        struck = arm.strike(nail, speed)
        used = max(used, struck.used)
        nail = nail._replace(depth=nail.depth + struck.depth)
        if nail.depth >= DEPTH:
            return NailCount(resistance, run, speed, strikes, nail.depth, used)
        if struck.depth < LEAST_DEPTH:
            break
    return NailCount(resistance, run, speed, None, nail.depth, used)


def _world(resistance: float, run: str) -> HammerNail:
    """Return the scenario with a nail of another resistance [N], and with the tool of a run."""
    known = HammerNail()
    nail = Nail((0.75 * resistance, 1.25 * resistance), depth=DEPTH)
    tool = known.rigid_tool if run in (PUBLISHED, RIGID) else known.tool
    if run == SOFT:
        tool = replace(tool, stiffness=SOFTER)
    return replace(known, tool=tool, target=replace(known.target, nail=nail))


def _planned(world: HammerNail, run: str) -> tuple[np.ndarray, float]:
    """Return the configuration, shape (n,) [rad], and the speed of the head there [m/s]."""
    q, known = np.array(world.q), (world.robot, world.tool, world.target)
    if run == PUBLISHED:
        return q, published_speed(NailRun(world, world.tool).approach(0.0))
    plan = best_strike(*known, q).plan if run in (POSE, SOFT) else plan_strike(*known, q)
    return plan.striker.q, float(plan.speed)
