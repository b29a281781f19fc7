# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""A planned strike in the full simulation: the moving arm, flexible joints, the torque loop."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from impact_predictor.joint_load.load_case import STIFFEST
from impact_predictor.strike.strike_case import StrikeCase
from impact_predictor.strike.strike_plan import StrikePlan
from impact_trials.strikes.coasted_strike import CoastingArm


class SimulatedPlan(NamedTuple):
    """The highest figures of a plan's worst cases in the full simulation."""

    cases: int
    loads: np.ndarray  # largest fraction of a limit of each joint's torque, shape (n,) [-]
    velocities: np.ndarray  # of each joint's velocity limit, from contact on, shape (n,) [-]

    @property
    def passed(self) -> bool:
        """Whether no limit of a joint's torque was exceeded."""
        return bool(self.loads.max() <= 1.0)


def simulate_plan(plan: StrikePlan) -> SimulatedPlan | None:
    """Strike at the highest speed of a plan in its worst cases; None: no speed is safe.

    The cases in which search, miss and check found the highest load; and for the velocities after
    the contact all ends of head and handle, its damping at the lowest, on one surface, straight
    and with the errors of the worst cases.

    Args:
        plan: of motors that are commanded by torques.

    Raises:
        RobotError: the robot's YAML lacks fields that a simulation needs.
        SimulationError: the head does not reach the surface.
    """
    if plan.check is None:
        return None
    striker = plan.striker
    *_, last = plan.effects
    free = [
        each.case
        for each in plan.effects
        if each.case.surface == last.case.surface
        and each.case.tool.damping_ratio == striker.tool.damping_ratio[0]
    ]
    cases = _different([plan.critical.case, plan.miss.case, plan.check.case, *free])
    dq = plan.reached.dq * (plan.highest / plan.reached.speed)
    found = [
        CoastingArm(striker.robot, striker.tool, striker.q, case).strike(
            case.surface, plan.highest, dq
        )
        for case in cases
    ]
    loads = np.max([each.loads for each in found], axis=0)
    velocities = np.max([each.velocities for each in found], axis=0)
    return SimulatedPlan(len(cases), loads, velocities)


def _different(cases: list[StrikeCase]) -> list[StrikeCase]:
    """Return the cases, each once; a rigid stop as one that loads no joint less."""
    found = {}
    for each in cases:
        hard = min(each.surface.stiffness, STIFFEST)
        each = each._replace(surface=each.surface._replace(stiffness=hard))
        found[repr(each)] = each
    return list(found.values())
