# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""One strike of a goal, from its first command to its end. Needs no ROS to import."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from impact_predictor.prediction.prediction import Prediction
from impact_qp.control.command import Command
from impact_qp.control.phases import Phase
from impact_qp.goals.goal import NOT_FEASIBLE, TIMEOUT, End, GoalRun
from impact_qp.strike.strike_approach import StrikeController


@dataclass(kw_only=True)
class StrikeRun(GoalRun):
    """Watches the commands of one strike, until the arm holds again."""

    controller: StrikeController
    gives: bool  # the tool: no prediction of a rigid one
    promised: float  # largest fraction of a limit in the worst case of all ranges [-]

    def _without_impact(self, command: Command) -> End | None:
        """Return that the head left its line, or, once the arm holds, that nothing was hit."""
        if problem := self.controller.motion.problem:
            return End(NOT_FEASIBLE, problem)
        if command.phase is not Phase.HOLD:
            return None
        return End(TIMEOUT, "no impact detected")

    def _impact(self, stamp: int, before: Command, q: np.ndarray, dq: np.ndarray) -> End | None:
        end = super()._impact(stamp, before, q, dq)
        if self.plan.strike is not None:
            self.speed_bound = self.plan.strike
        return end

    def _after_impact(self, stamp: int, command: Command) -> End | None:
        end, motion = super()._after_impact(stamp, command), self.controller.motion
        if end is None:
            return None
        if motion.problem:
            return End(NOT_FEASIBLE, motion.problem)
        lines = ("" if motion.off is None else motion.off.text, end.message)
        return End(end.code, "; ".join(filter(None, lines)))

    def _is_back(self, command: Command) -> bool:
        """Tell whether the arm is where the strike began."""
        return self.controller.motion.returned

    def _way_back(self, command: Command) -> str:
        return f"{1e3 * command.gap:.1f} mm before the surface: expected the start of the strike"

    def prediction(self) -> Prediction | None:
        """Return that of a rigid tool's impact, None for a tool that gives."""
        return None if self.gives else super().prediction()

    def holds_impulse(self, impulse: np.ndarray) -> bool:
        """Tell whether an impulse was in a rigid tool's announced set."""
        return not self.gives and super().holds_impulse(impulse)
