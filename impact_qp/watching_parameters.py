# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Parameters of the supervision of any node that controls arms."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from impact_qp.limits.impact_limits.registry import SELECTABLE, refuse_weak_limits
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
        """Refuse weak limits unless the robot is simulated; as :func:`.refuse_weak_limits`."""
        if not (self.simulated or self.lockstep):
            refuse_weak_limits(limits, choices, "simulated: true if it is none")
