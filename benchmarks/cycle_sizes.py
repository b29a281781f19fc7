# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Control cycles of all kinds compared with their floors, by the size of the program; no ROS.

A cycle is from state to command; its floor is pinocchio's ``computeAllTerms`` plus the bare solve
of its own programs, right after it. Arms approach a wall as in ``benchmarks/qp.py``; two arms push
a box by reference spreading, both cycles of an instant together; a humanoid comes to a box as in
``benchmarks/whole_body.py``. Run it with ``./impact bench cycle_sizes`` (a minute).
"""

from __future__ import annotations

import gc
from collections.abc import Callable, Sequence
from functools import partial
from time import perf_counter
from typing import Any, NamedTuple
from unittest.mock import patch

import numpy as np
import qp
import whole_body

from impact_qp.spreading import SpreadingController
from impact_qp.spreading.program import SpreadingProgram
from impact_robots import load_robot
from impact_sim.cell.spreading_file import load_spreading
from impact_trials.in_process.spreading_trial import spread

PUSH, ROUNDS = "rs_push_catfood_case2", 6
PAYLOAD = (0.0, 1.0)  # both ends of which the bounds hold for [kg]


class Cycles(NamedTuple):
    """Some cycles of one kind, beside their floors."""

    joints: int
    variables: int
    rows: int
    p50: float  # [us]
    floor: float  # the same of the floors [us]


def measure() -> dict[str, float]:
    """Return all figures; times in microseconds."""
    figures: dict[str, float] = {}
    for mode in qp.MODES:
        figures |= _figures(f"panda, {mode}", _arm(mode))
    with patch.object(qp, "ROBOT", load_robot("panda", payload=PAYLOAD)):
        for mode in ("robust", "joint_load"):
            figures |= _figures(f"panda, {mode}, payload in a range", _arm(mode))
    figures |= _figures("two pandas push a box", _pair())
    return figures | _figures("hrp4, robust", _humanoid("robust"))


def _figures(name: str, cycles: Cycles) -> dict[str, float]:
    return {
        f"{name}: joints": cycles.joints,
        f"{name}: variables": cycles.variables,
        f"{name}: rows": cycles.rows,
        f"{name}: p50 [us]": cycles.p50,
        f"{name}: floor, p50 [us]": cycles.floor,
        f"{name}: cycle / floor": cycles.p50 / cycles.floor,
    }


def _median(times: Sequence[float] | np.ndarray) -> float:
    """Return the median of times in seconds [us]."""
    return 1e6 * float(np.median(times))


def _arm(mode: str) -> Cycles:
    """Return the cycles of an arm that approaches a wall."""
    states, programs = qp._approach(mode)
    controller, floor = qp._controller(mode), qp._floor(programs)
    taken, floors = _timed(
        controller.reset,
        [partial(controller.update, *state) for state in states],
        controller.catch_up,  # after the command was sent
        [partial(floor, k, state) for k, state in enumerate(states)],
    )
    rows, variables = programs[0][2].T.shape
    return Cycles(qp.ROBOT.dof, variables, rows, _median(taken), _median(floors))


def _pair() -> Cycles:
    """Return the cycles of two arms that push a box: those of one instant are one."""
    update, solve = SpreadingController.update, SpreadingProgram.solve
    cycles: list[Any] = []
    states: list[qp.State] = []
    programs: list[tuple[np.ndarray, ...]] = []

    def kept(arm: SpreadingController, time: float, q: Any, dq: Any, **named: Any) -> Any:
        cycles.append(partial(update, arm, time, q, dq, **named))
        states.append((q, dq))
        return update(arm, time, q, dq, **named)

    def recording(program: SpreadingProgram, *question: Any) -> Any:
        programs.append(qp._for_quadprog(program.build(*question)))
        return solve(program, *question)

    with (
        patch.object(SpreadingController, "update", kept),
        patch.object(SpreadingProgram, "solve", recording),
    ):
        spread(load_spreading(PUSH), 0)
    floor, arms = qp._floor(programs), {each.args[0] for each in cycles}
    taken, floors = _timed(
        lambda: [arm.reset() for arm in arms],
        cycles,
        lambda: None,
        [partial(floor, k, state) for k, state in enumerate(states)],
    )
    variables, rows = programs[0][2].shape
    p50, least = (_median(np.reshape(each, (-1, 2)).sum(axis=1)) for each in (taken, floors))
    return Cycles(2 * qp.ROBOT.dof, 2 * variables, 2 * rows, p50, least)


def _timed(
    reset: Callable[[], Any],
    cycles: Sequence[Callable[[], Any]],
    after: Callable[[], Any],
    floors: Sequence[Callable[[], Any]],
) -> tuple[list[float], list[float]]:
    """Return how long cycles take, and their floors right after them [s]."""
    taken: list[float] = []
    least: list[float] = []
    gc.disable()
    for turn in range(ROUNDS):
        reset()
        for cycle, floor in zip(cycles, floors, strict=True):
            began = perf_counter()
            cycle()
            ended = perf_counter()
            after()
            before = perf_counter()
            floor()
            if turn:  # the first one warms up
                taken.append(ended - began)
                least.append(perf_counter() - before)
    gc.enable()
    return taken, least


def _humanoid(mode: str) -> Cycles:
    """Return the cycles of a humanoid that comes to a box."""
    found, (rows, variables) = whole_body._of(mode), _size(mode)
    joints = len(whole_body.ROBOT.joint_names)
    return Cycles(joints, variables, rows, found["p50 [us]"], found["floor p50 [us]"])


def _size(mode: str) -> tuple[int, int]:
    """Return how many rows, bounds apart, and variables the humanoid's program has."""
    controller, start = whole_body._controller(mode)
    programs = whole_body._kept(controller)
    controller.update(0.0, start, np.zeros(whole_body.ROBOT.nv), whole_body.NO_FORCES)
    rows, variables = programs[0][2].shape
    return rows, variables
