# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Parameters of when a node that controls arms stops them, whatever it controls them for."""

from __future__ import annotations

from dataclasses import dataclass

from impact_ros.parameters import parameter


@dataclass(frozen=True)
class WatchingParameters:
    """When an arm is stopped because nothing is heard of it, or too late."""

    state_timeout: float = parameter(
        0.02, "Stop when state or detector are silent for longer", unit="s", low=1e-3, high=10.0
    )
    max_consecutive_missed: int = parameter(
        10,
        "Stop when more control cycles in a row were missed: no state, or a late answer",
        low=0,
        high=1_000_000,
    )
    lockstep: bool = parameter(
        False, "Answer each state once the detector has judged it; no watchdog (simulation)"
    )
