# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Touches whose goals, surfaces and ends are drawn at random, in one process.

Class ``touches``; see ``adversary_classes.py`` for one of them again.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from math import inf, isnan

import numpy as np

from impact_qp.goals.goal import BAD_GOAL, CANCELED, INPUT_LOST, NOT_FEASIBLE, OK, TIMEOUT
from impact_robots import load_robot
from impact_trials.in_process.touch_trial import SPEED_CAP, TouchCase, TouchTrial, run_touch
from studies.people.touch_draw import draw_touch

ROBOT = "panda"
FASTER = 1.1 * SPEED_CAP + 0.01  # than this the contact point never is [m/s]
REST, HOLDS = 0.01, 0.5  # speed at the end [m/s], time for which it has held then [s]
SOFTEST, CREEP = 300.0, (1e-3, 0.05)  # [N/m], [m/s]
WHEN, SILENT = (0.05, 1.5), (0.01, 0.2)  # after the start; states that stay away [s]
ENDS = {OK, CANCELED, TIMEOUT, INPUT_LOST}
Change = Callable[[TouchCase, np.random.Generator], TouchCase]


def _goal(**fields: tuple[float, float]) -> Change:
    def change(case: TouchCase, random: np.random.Generator) -> TouchCase:
        drawn = {name: float(random.uniform(*ends)) for name, ends in fields.items()}
        return replace(case, goal=replace(case.goal, **drawn))

    return change


def _soft(case: TouchCase, random: np.random.Generator) -> TouchCase:
    low, high = np.log([SOFTEST, case.stiffness])
    return replace(case, stiffness=float(np.exp(random.uniform(low, high))))


def _cancelled(case: TouchCase, random: np.random.Generator) -> TouchCase:
    return replace(case, cancel=float(random.uniform(*WHEN)))


def _silent(case: TouchCase, random: np.random.Generator) -> TouchCase:
    return replace(case, silent=(float(random.uniform(*WHEN)), float(random.uniform(*SILENT))))


def _reflex(case: TouchCase, random: np.random.Generator) -> TouchCase:
    limits = tuple(random.uniform(0.02, 0.5) * case.robot.limits.torque)
    return replace(case, goal=replace(case.goal, reflex=limits))


KINDS: dict[str, Change] = {
    "plain": lambda case, _random: case,
    "cancelled": _cancelled,
    "soft": _soft,
    "nothing there": lambda case, _random: replace(case, gap=inf),
    "speed": _goal(speed=CREEP),
    "gentle": _goal(force=(0.5, 15.0)),
    "timed out": _goal(timeout=WHEN),
    "silent": _silent,
    "touching": lambda case, random: replace(case, gap=float(random.uniform(0.0, 1e-4))),
    "reflex": _reflex,
}


def case(seed: int, number: int) -> str:
    """Carry out a touch; return what did not hold, empty if all did."""
    drawn = drawn_case(seed, number)
    broken = "; ".join(what_broke(drawn, run_touch(drawn)))
    name = list(KINDS)[number % len(KINDS)]
    return f"{name}, {drawn.interface}, {drawn.rate:g} Hz: {broken}" * bool(broken)


def drawn_case(seed: int, number: int) -> TouchCase:
    """Draw a touch; kinds take turns by its number."""
    random, change = np.random.default_rng([seed, number, 12]), list(KINDS.values())
    drawn = draw_touch(load_robot(ROBOT), random, number // len(KINDS))
    return replace(change[number % len(KINDS)](drawn, random), holds=HOLDS)


def what_broke(drawn: TouchCase, trial: TouchTrial) -> list[str]:
    """Return what did not hold of a touch."""
    if trial.result is None:
        refused = trial.end.code in (BAD_GOAL, NOT_FEASIBLE) and "\n" not in trial.end.message
        return [] if refused else [f"refusal: {trial.end}"]
    found, promised = [], trial.result.promised
    if trial.end.code not in ENDS:
        found.append(f"end: {trial.end}")
    if trial.fastest > FASTER:
        found.append(f"speed cap: {trial.fastest:.3f} m/s")
    if trial.speed > REST:
        found.append(f"rest: {trial.speed:.3f} m/s at the end, {trial.end.message}")
    unwatched = drawn.silent[1] > 0.0  # the last command acts, of which nothing is promised
    if not (isnan(trial.peak) or unwatched or trial.peak <= promised):
        found.append(f"promise: {trial.peak:.1f} N of {promised:.1f} N")
    if promised > drawn.goal.force * (1.0 + 1e-6):
        found.append(f"promise: {promised:.1f} N, asked were {drawn.goal.force:.1f} N")
    return found
