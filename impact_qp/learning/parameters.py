# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Parameters of the node that learns surfaces."""

from __future__ import annotations

from dataclasses import dataclass

from impact_ros.parameters import RobotParameters, parameter


@dataclass(frozen=True)
class LearnerParameters(RobotParameters):
    """Parameters of the learner; the controller needs `goal_may_widen`, too."""

    speed_cap: float = parameter(
        0.1,
        "Hard cap of the speed of any hit; the controller's must not be lower",
        unit="m/s",
        low=0.0,
    )
    speed_ramp: float = parameter(
        4.0, "Ramp of the reference speed, that of the controller", unit="m/s^2", low=1e-3
    )
    torque_gain: float = parameter(
        1.0,
        "Least that the torque sensors may show of what there is; loads count as higher by that",
        low=0.5,
        high=1.0,
    )
    silence_timeout: float = parameter(
        0.5,
        "End when usable states or commands are silent for longer in a hit",
        unit="s",
        low=1e-2,
        high=60.0,
    )
    lockstep: bool = parameter(
        False, "States arrive reliably; a hit is asked for once they stand still (simulation)"
    )
