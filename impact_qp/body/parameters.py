# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Parameters of the controller of a humanoid's grab, as a node."""

from __future__ import annotations

from dataclasses import dataclass

from impact_qp.body.guarded_grab import HOLD_DISTANCE
from impact_qp.watching_parameters import WatchingParameters
from impact_robots.task.palm_task import LIMITS_OF_GRABS
from impact_ros.parameters import parameter

OWN_LIMITS, FORMER = "task", "scenario"  # the impact limits that the task names


@dataclass(frozen=True)
class GrabParameters(WatchingParameters):
    """Parameters of the controller of a humanoid's grab."""

    task: str = parameter("", "Named task of a humanoid, or its YAML; a scenario contains one")
    scenario: str = parameter("", "Former name of `task`; works for now")
    impact_limits: str = parameter(
        OWN_LIMITS, "Which impulses must be safe", choices=(OWN_LIMITS, *LIMITS_OF_GRABS, FORMER)
    )
    state_timeout: float = parameter(
        0.1, "End the grab when no state was usable for longer", unit="s", low=0.005, high=10.0
    )
    lockstep: bool = parameter(False, "Answer each state; no watchdog (simulation)")
    hold_distance: float = parameter(
        HOLD_DISTANCE,
        "Joint that was pushed further from where it is held is held anew where it is",
        unit="rad",
        low=0.02,
        high=0.5,
    )
    speed_cap: float = parameter(
        1.0, "Highest speed of the palms, planned and measured", unit="m/s", low=0.01, high=2.0
    )
