# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Approach of a wall: start, highest speed, and state at contact."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from math import sqrt

import numpy as np

from impact_qp.control.controller import ImpactController
from impact_qp.control.plan import Plan
from impact_qp.exceptions import ControlError
from impact_qp.learning.rehearsal import Rehearsed, highest_achieved, rehearse
from impact_qp.limits import Contact
from impact_qp.limits.approach_cap import ApproachCapLimit
from impact_robots.dynamics import ArmDynamics
from impact_robots.kinematics import inverse_kinematics
from impact_robots.robot import Robot
from impact_robots.state.state import PointState
from impact_robots.surface import Surface

SETTLED = 0.1  # time at the reference speed before the contact [s]
AHEAD = 1.1  # reference speed over the highest
SLOW = 0.03  # below it an arm arrives as at that speed [m/s]


def arrival(robot: Robot, start: np.ndarray, way: np.ndarray) -> PointState:
    """Return the contact point where an arm arrives by steps of the least joint velocities.

    Args:
        robot: the arm.
        start: joint positions, shape (n,) [rad].
        way: displacement of the contact point, base axes, shape (3,) [m].

    Raises:
        RobotError: it is out of reach.
    """
    return ArmDynamics(robot)(inverse_kinematics(robot, start, way), np.zeros(robot.dof))


def by_run_up(run_up: float, ramp: float) -> float:
    """Return the speed that a run-up allows an arm for 0.1 s before the contact [m/s].

    Args:
        run_up: distance to the surface [m].
        ramp: of the reference speed [m/s^2].
    """
    return ramp * (sqrt(SETTLED**2 + 2.0 * run_up / ramp) - SETTLED)


@dataclass(frozen=True, eq=False)
class WallApproach:
    """Start and target of a hit."""

    robot: Robot  # as used by controller and detector
    surface: Surface  # as announced; it contains the target of the contact point
    start: np.ndarray  # shape (n,) [rad]
    point: PointState  # contact point at its target
    run_up: float  # [m]
    ramp: float = 4.0  # of the reference speed [m/s^2]
    direction: np.ndarray | None = None  # base axes, (3,), unit; none: against the normal

    def arrives(self, speed: float) -> PointState:
        """Return the state at contact for a requested speed along the normal [m/s].

        A redundant arm does not arrive as planned, and its state depends on the speed: joints of a
        Panda were up to 0.3 rad from plan, and 0.007 rad from this result. Takes about 0.1 s.

        Raises:
            ControlError: it does not arrive.
        """
        found = self._rehearsed(max(speed, SLOW))
        if found.point is None:
            raise ControlError(f"the arm does not get to the surface at {speed:.3f} m/s")
        return found.point

    @cached_property
    def fastest(self) -> float:
        """Highest speed along the normal that the arm holds for 0.1 s, with the given run-up [m/s].

        Less than the run-up allows if joints reach their speed (or torque) limits first; 0 if it
        does not arrive. At higher requests an arm arrives a little faster, but tilts its tool, and
        some cycles' programs have no solution, in which a cap on the speed is relaxed, too. Takes
        0.1 s, or 0.5 s where joints limit it.
        """

        def comes(speed: float) -> float:
            found = self._rehearsed(speed)
            if found.point is None or not found.solved:
                return 0.0
            return -float(self.surface.normal @ found.point.velocity)

        return highest_achieved(comes, by_run_up(self.run_up, self.ramp))

    def _rehearsed(self, speed: float) -> Rehearsed:
        normal = self.surface.normal
        level = float(normal @ self.point.position)
        return rehearse(self.controller(speed), self.start, normal, level)

    def controller(self, speed: float) -> ImpactController:
        """Return the controller of the hit; without an impact limit but with a cap on the speed.

        Its reference is above the cap: arms lag behind it, some by a tenth, and some overshoot.

        Args:
            speed: highest along the announced normal, reached if possible [m/s].
        """
        return ImpactController(self.robot, self.plan(speed), limits=(self.cap(speed),))

    def plan(self, speed: float) -> Plan:
        """Return the plan of a hit at a speed along the announced normal [m/s]."""
        along = speed / float(self.contact.normal @ self.surface.normal)
        return Plan(self.contact, "unaware", speed=AHEAD * along, ramp=self.ramp)

    def cap(self, speed: float) -> ApproachCapLimit:
        """Return the cap on the speed along the announced normal [m/s]."""
        return ApproachCapLimit(-self.surface.normal, speed)

    @property
    def contact(self) -> Contact:
        """The surface for the controller, perpendicular to the direction of motion."""
        at = self.surface
        normal = at.normal if self.direction is None else -self.direction
        at_wall = self.point.position
        return Contact(at_wall, normal, at.friction, at.restitution, stiffness=at.stiffness)
