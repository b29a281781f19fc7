# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Parameters of the controller node."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from impact_qp.interface import INTERFACES
from impact_qp.plan_parameters import PlanParameters, planned
from impact_qp.watching_parameters import WatchingParameters
from impact_robots.task.find import find_hit_task
from impact_ros.parameters import from_values, parameter


@dataclass(frozen=True)
class ControllerParameters(WatchingParameters, PlanParameters):
    """Parameters of the controller; the contact must be given.

    What the arm is to do may be changed between two runs; what the robot is, and the cap of its
    speed, are fixed once the node has started.
    """

    task: str = planned("", "YAML of a hit: says robot, surface and speed where these do not")
    interface: str = parameter("torque", "What is commanded", choices=tuple(INTERFACES))
    approach_on_activation: bool = planned(
        True, "Approach at once when activated; false: hold until an ExecuteImpact goal comes"
    )
    rate: float = parameter(1000.0, "Rate of the robot's state", unit="Hz", low=10.0, high=10000.0)

    def of_task(self) -> ControllerParameters:
        """Return these parameters with what their task says where they are at their defaults.

        Raises:
            TaskError: there is no such task, or an entry is wrong.
            ParameterError: the task says something that no parameter may be.
        """
        if not self.task:
            return self
        usual = vars(ControllerParameters())
        said = {
            name: value
            for name, value in find_hit_task(self.task).parameters.items()
            if _alike(getattr(self, name), usual[name])
        }
        return from_values(ControllerParameters, {**vars(self), **said})


def _alike(one: Any, other: Any) -> bool:
    """Tell whether two values of a parameter are the same, NaN or not."""
    if isinstance(one, tuple | list):
        return bool(np.array_equal(one, other, equal_nan=True))
    return bool(one == other)
