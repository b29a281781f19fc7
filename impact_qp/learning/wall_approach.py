# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""From where an arm hits a wall, how fast it can be there, and how it would arrive."""

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

SETTLED = 0.1  # at the reference speed before the touch [s]
AHEAD = 1.1  # reference speed over the highest
SLOW = 0.03  # below it an arm arrives as at that speed [m/s]


def arrival(robot: Robot, start: np.ndarray, way: np.ndarray) -> PointState:
    """Return the contact point where an arm arrives by steps of the least joint velocities.

    Args:
        robot: the arm.
        start: joint positions, shape (n,) [rad].
        way: of the contact point, base axes, shape (3,) [m].

    Raises:
        RobotError: it is out of reach.
    """
    return ArmDynamics(robot)(inverse_kinematics(robot, start, way), np.zeros(robot.dof))


def by_run_up(run_up: float, ramp: float) -> float:
    """Return the speed that a run-up allows an arm for 0.1 s before the touch [m/s].

    Args:
        run_up: way to the surface [m].
        ramp: of the reference speed [m/s^2].
    """
    return ramp * (sqrt(SETTLED**2 + 2.0 * run_up / ramp) - SETTLED)


@dataclass(frozen=True, eq=False)
class WallApproach:
    """From where, and to what."""

    robot: Robot  # as controller and detector take it
    surface: Surface  # as announced; it goes through where the point is to hit
    start: np.ndarray  # shape (n,) [rad]
    point: PointState  # that is to hit, where it is to
    run_up: float  # [m]
    ramp: float = 4.0  # of the reference speed [m/s^2]
    direction: np.ndarray | None = None  # base axes, (3,), unit; none: against the normal

    def arrives(self, speed: float) -> PointState:
        """Return the point as it hits when asked for a speed along the normal [m/s].

        An arm with more joints than its task needs does not arrive as it is meant to, nor at one
        speed as at another: joints of a Panda were up to 0.3 rad from where they were to be, and
        0.007 rad from what is found here. Takes a tenth of a second.

        Raises:
            ControlError: it does not get there.
        """
        found = self._rehearsed(max(speed, SLOW))
        if found.point is None:
            raise ControlError(f"the arm does not get to the surface at {speed:.3f} m/s")
        return found.point

    @cached_property
    def fastest(self) -> float:
        """Highest speed along the normal that the arm keeps 0.1 s, the run-up given [m/s].

        Less than the run-up allows where joints reach the limits of their speeds (or torques)
        first; 0 if it does not get there. Asked for more, an arm comes a little faster, but turns
        its tool away, and there are cycles whose program has no solution, in which a cap on the
        speed does not hold either. Takes a tenth of a second, or half of one where joints limit it.
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
        """Return who lets the arm hit; without a limit of the impact but a cap on the speed.

        Its reference is above that: arms lag behind it, some by a tenth, and some overshoot.

        Args:
            speed: highest along the announced normal, and where the arm can, reached [m/s].
        """
        along = speed / float(self.contact.normal @ self.surface.normal)
        plan = Plan(self.contact, "unaware", speed=AHEAD * along, ramp=self.ramp)
        cap = ApproachCapLimit(-self.surface.normal, speed)
        return ImpactController(self.robot, plan, limits=(cap,))

    @property
    def contact(self) -> Contact:
        """What the controller is told: a surface across the direction in which it is to go."""
        at = self.surface
        normal = at.normal if self.direction is None else -self.direction
        at_wall = self.point.position
        return Contact(at_wall, normal, at.friction, at.restitution, stiffness=at.stiffness)
