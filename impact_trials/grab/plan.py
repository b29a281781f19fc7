# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""What a humanoid shall do with a box, in numbers."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from impact_sim.humanoid.grab_scenario import GrabScenario


@dataclass(frozen=True)
class GrabPlan:
    """Numbers of one grab; palms are a left one and a right one, y is from right to left."""

    start: np.ndarray  # middle between the palms at the approach's beginning, shape (3,) [m]
    half_width: float  # of the box between the palms [m]
    run_up: float  # of each palm [m]
    speed: float  # of each palm towards the box, reference [m/s]
    acceleration: float  # up to it [m/s^2]
    detection_force: float  # of one palm [N]
    clamp_delay: float  # from the last palm's detection to the clamp [s]
    grip_force: float  # of each palm [N]
    lift: float  # [m]
    yaw: float  # to the ramp, about the vertical through the robot [rad]
    toss_speed: float  # [m/s]
    boxes: int  # one after the other
    tosses: bool = True  # no: it ends with the lift, the box between the palms

    @classmethod
    def of(cls, scenario: GrabScenario) -> GrabPlan:
        """Return the plan of a scenario."""
        return cls(
            start=np.array([scenario.palm_x, 0.0, scenario.palm_z]),
            half_width=scenario.half_width,
            run_up=scenario.run_up,
            speed=scenario.reference_speed,
            acceleration=scenario.reference_ramp,
            detection_force=scenario.detection_force,
            clamp_delay=scenario.clamp_delay,
            grip_force=scenario.grip_force,
            lift=scenario.lift,
            yaw=scenario.toss_yaw,
            toss_speed=scenario.toss_speed,
            boxes=len(scenario.box_masses),
            tosses=scenario.tosses,
        )
