# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""What a humanoid shall do with a box, in numbers."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from impact_robots.task.palm_task import PalmTask


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
    def of(cls, task: PalmTask) -> GrabPlan:
        """Return the plan of a task."""
        return cls(
            start=np.array([task.palm_x, 0.0, task.palm_z]),
            half_width=task.half_width,
            run_up=task.run_up,
            speed=task.reference_speed,
            acceleration=task.reference_ramp,
            detection_force=task.detection_force,
            clamp_delay=task.clamp_delay,
            grip_force=task.grip_force,
            lift=task.lift,
            yaw=task.toss_yaw,
            toss_speed=task.toss_speed,
            boxes=len(task.box_masses),
            tosses=task.tosses,
        )
