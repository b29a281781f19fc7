# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Parameters of the governor's node."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from impact_qp.exceptions import ControlError
from impact_qp.governor.governor import ANYWHERE, DELAY, Governor
from impact_qp.limits import Contact
from impact_qp.limits.braking import BRAKING
from impact_qp.limits.impact_limits.registry import AUTO, ON_A_REAL_ARM
from impact_qp.plan_parameters import NAN, hit_entry, planned
from impact_robots.robot import Robot
from impact_robots.surface import ANY_STIFFNESS, USUAL_FRICTION, USUAL_RESTITUTION
from impact_ros.parameters import RobotParameters, parameter

INTERFACES = ("velocity", "position", "twist", "trajectory")


@dataclass(frozen=True)
class GovernorParameters(RobotParameters):
    """Parameters of the governor: whose commands, how fast, and which surfaces."""

    interface: str = parameter(
        "velocity",
        "What the other controller sends: joint velocities or positions as Float64MultiArray,"
        " TwistStamped, or JointTrajectory",
        choices=INTERFACES,
    )
    contact_point: tuple[float, ...] = planned(
        (NAN, NAN, NAN),
        "Any point of the surface, base axes; three numbers for each of several surfaces; NaN:"
        " there is none",
        unit="m",
    )
    contact_normal: tuple[float, ...] = planned(
        (NAN, NAN, NAN), "Outward normal of each surface, towards the robot, base axes"
    )
    friction: tuple[float, float] = hit_entry("friction", USUAL_FRICTION)
    restitution: tuple[float, float] = hit_entry("restitution", USUAL_RESTITUTION)
    peak_factor: float = hit_entry("peak_factor", 3.0)
    impact_duration: float = hit_entry("impact_duration", 0.018)
    stiffness: tuple[float, float] = hit_entry("stiffness", ANY_STIFFNESS)
    impact_limits: str = hit_entry(
        "impact_limits",
        AUTO,
        description="Impact limits of the surfaces; they bound every impulse, as on a real arm",
        choices=ON_A_REAL_ARM,
    )
    anywhere_speed: float = parameter(
        ANYWHERE,
        "Highest speed of the contact point and of the joints' origins in any direction; above 0",
        unit="m/s",
        low=0.0,
        high=10.0,
    )
    braking: float = planned(
        BRAKING,
        "Fraction of the acceleration limits with which the arm is slowed down; above 0",
        low=0.0,
        high=1.0,
    )
    delay: float = planned(
        DELAY, "Time after which the arm moves as commanded", unit="s", low=0.0, high=1.0
    )
    twist_frame: str = planned(
        "", "Frame whose origin the linear velocity of a twist is of; empty: the contact frame"
    )
    state_timeout: float = parameter(
        0.1, "Rest after that time without a usable joint state", unit="s", low=1e-3, high=1.0
    )

    lockstep: bool = parameter(
        False, "A command is of the time of the newest state; no watchdog (simulation)"
    )

    def surfaces(self) -> dict[str, Contact]:
        """Return the announced surfaces by number, from 1.

        Raises:
            ControlError: points and normals do not match, or are no numbers.
            ImpactError: a normal or coefficient is invalid.
        """
        lists = self.contact_point, self.contact_normal
        if all(np.isnan(each).all() for each in lists):
            return {}
        for name, values in zip(("contact_point", "contact_normal"), lists, strict=True):
            if len(values) % 3 or not np.isfinite(values).all():
                raise ControlError(
                    f"{name}: expected three finite numbers for each surface, got {list(values)}"
                )
        points, normals = (np.reshape(each, (-1, 3)) for each in lists)
        if len(points) != len(normals):
            raise ControlError(
                f"contact_normal: expected {len(points)} normals as of contact_point, got"
                f" {len(normals)}"
            )
        known = self.friction, self.restitution, self.peak_factor, self.impact_duration
        return {
            str(k + 1): Contact(points[k], normals[k], *known, self.stiffness)
            for k in range(len(points))
        }

    def governor(self, robot: Robot, motion: str) -> Governor:
        """Return the governor of an arm for a motion, see :data:`.MOTIONS`; raises as it does."""
        return Governor(
            robot,
            self.surfaces(),
            interface=motion,
            anywhere_speed=self.anywhere_speed,
            impact_limits=self.impact_limits,
            braking=self.braking,
            delay=self.delay,
            twist_frame=self.twist_frame or None,
        )
