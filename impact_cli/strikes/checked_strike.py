# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""A planned strike, and what the full simulation says of it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from impact_predictor.strike.strike_plan import StrikePlan
from impact_qp.strike.best_strike import BestStrike

if TYPE_CHECKING:  # loads slowly
    from impact_trials.strikes.simulated_plan import SimulatedPlan

FULL = "full simulation (moving arm, flexible joints, torque loop)"


class CheckedStrike(NamedTuple):
    """A strike as it is printed."""

    plan: StrikePlan
    best: BestStrike | None  # how it was found; none: at the given pose
    simulated: SimulatedPlan | None  # none: no speed is safe, or it could not be simulated
    unchecked: str  # why it could not be simulated, "" if that is not the reason

    @property
    def safe(self) -> bool:
        """Whether it does what is asked, and neither check exceeds a limit of a joint's torque."""
        return self.plan.safe and (self.simulated is None or self.simulated.passed)

    def document(self) -> dict[str, Any] | None:
        """Return the entries of the simulation; null: there was none."""
        if self.simulated is None:
            return None
        cases, loads, velocities = self.simulated
        return {
            "model": FULL,
            "cases": cases,
            "load_over_limit": loads.max(),
            "joint": int(loads.argmax()) + 1,
            "velocity_over_limit": velocities.max(),
            "velocity_joint": int(velocities.argmax()) + 1,
        }

    def lines(self) -> list[str]:
        """Return the simulation in words."""
        if self.unchecked:
            return [f"  not checked in a full simulation: {self.unchecked}"]
        if self.simulated is None:
            return []
        cases, loads, velocities = self.simulated
        text = f"{FULL}, {cases} worst cases: at most {loads.max():.0%} of a limit"
        lines = [f"  and by the {text}" if self.simulated.passed else f"  NOT SAFE: {text}"]
        fastest, joint = velocities.max(), int(velocities.argmax()) + 1
        if fastest > 1.0:
            lines.append(
                f"  after the contact joint {joint} reaches {fastest:.2f} of its velocity limit:"
                " an arm that watches it stops itself"
            )
        return lines
