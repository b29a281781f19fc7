# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Parameters of the controller node."""

from __future__ import annotations

from dataclasses import dataclass

from impact_qp.interface import INTERFACES
from impact_qp.plan_parameters import PlanParameters, planned
from impact_qp.watching_parameters import WatchingParameters
from impact_ros.parameters import parameter


@dataclass(frozen=True)
class ControllerParameters(WatchingParameters, PlanParameters):
    """Parameters of the controller; the contact must be given, here or in a task file.

    The parameters of the motion may be changed between two runs; those of the robot, and its speed
    cap, are fixed once the node has started.
    """

    interface: str = parameter("torque", "What is commanded", choices=tuple(INTERFACES))
    approach_on_activation: bool = planned(
        True, "Approach at once when activated; false: hold until an ExecuteImpact goal comes"
    )
    rate: float = parameter(1000.0, "Rate of the robot's state", unit="Hz", low=10.0, high=10000.0)
