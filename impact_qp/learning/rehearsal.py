# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Simulates an approach: the controller on an arm that follows its commands exactly."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from impact_qp.control.controller import ImpactController
from impact_qp.control.phases import Phase
from impact_robots.dynamics import ArmDynamics
from impact_robots.state.state import PointState

ACHIEVED = 0.98  # fraction of the requested speed that counts as achieved
HALVINGS = 7  # of the interval between achieved and missed speeds
LATEST = 1.0  # beside twice the time of the distance at the reference speed [s]


class Rehearsed(NamedTuple):
    """Result of a simulated approach."""

    point: PointState | None  # that hits, at contact; None: it does not arrive
    solved: bool  # the program of every cycle had a solution: no limit was relaxed


def rehearse(
    controller: ImpactController, start: np.ndarray, normal: np.ndarray, level: float
) -> Rehearsed:
    """Simulate the approach of an arm that follows its commands exactly.

    Args:
        controller: of the approach, new.
        start: joint positions, at rest, shape (n,) [rad].
        normal: of the surface, outward, base axes, unit, shape (3,).
        level: of the surface along its normal [m].
    """
    arm, period, solved = ArmDynamics(controller.robot), controller.period, True
    q, dq = np.array(start, dtype=float), np.zeros(len(start))
    way = max(0.0, float(normal @ arm.position(q)) - level)
    for _ in range(round((LATEST + 2.0 * way / controller.plan.speed) / period)):
        if normal @ arm.position(q) <= level:
            return Rehearsed(arm(q, dq), solved)
        command = controller.update(q, dq)
        if command.phase is not Phase.APPROACH:
            break  # blocked, or behind the contact point
        solved = solved and not command.relaxed
        q = q + period * (dq + 0.5 * period * command.ddq)
        dq = dq + period * command.ddq
    return Rehearsed(None, solved)


def highest_achieved(comes: Callable[[float], float], highest: float) -> float:
    """Return the highest speed that an arm achieves, to a hundredth of ``highest`` [m/s].

    Args:
        comes: speed at contact as a function of the requested speed [m/s].
        highest: highest requested speed [m/s].
    """
    if comes(highest) >= ACHIEVED * highest:
        return highest
    low, high = 0.0, highest
    for _ in range(HALVINGS):
        middle = 0.5 * (low + high)
        low, high = (middle, high) if comes(middle) >= ACHIEVED * middle else (low, middle)
    return low
