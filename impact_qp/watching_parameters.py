# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Parameters of the supervision of any node that controls arms."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from impact_qp.exceptions import ControlError
from impact_qp.limits.impact_limits.registry import ON_A_REAL_ARM, SELECTABLE
from impact_ros.parameters import parameter


@dataclass(frozen=True)
class WatchingParameters:
    """Limits on late states and answers; whether the robot is simulated."""

    state_timeout: float = parameter(
        0.02, "Stop after that time without state or detector", unit="s", low=1e-3, high=10.0
    )
    max_consecutive_missed: int = parameter(
        10,
        "Stop after more missed control cycles in a row: no state, or a late answer",
        low=0,
        high=1_000_000,
    )
    lockstep: bool = parameter(
        False, "Answer each state after its detection status; no watchdog (simulation)"
    )
    simulated: bool = parameter(
        False,
        "The robot is simulated, as in lockstep: limits that do not bound every impulse"
        " (existential, nominal, unaware) are allowed",
    )

    def refuse_weak_limits(self, limits: str, choices: Collection[str] = SELECTABLE) -> None:
        """Refuse impact limits that some admissible impulse exceeds, on a real robot.

        Args:
            limits: of the impact.
            choices: available limits.

        Raises:
            ControlError: lists the available limits.
        """
        if self.simulated or self.lockstep or limits in ON_A_REAL_ARM:
            return
        known = ", ".join(name for name in ON_A_REAL_ARM if name in choices)
        raise ControlError(
            f"impact_limits: expected one of {known} on a real arm, got {limits!r};"
            " simulated: true if it is none"
        )
