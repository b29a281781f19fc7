# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
r"""A quick upper bound of the highest safe strike at a configuration, to choose among many.

The search for the worst case takes some thousand simulations; here the errors of centre and angle
come from an estimate: a force F on the head accelerates the joints by
:math:`a = (M + B_\theta)^{-1} J^T n F`, which loads joint i with :math:`-B_{\theta,i} a_i`. A few
simulations follow, all of cases inside the ranges, so a rating is never below the plan's speed.
"""

from __future__ import annotations

from itertools import product
from math import sqrt
from typing import NamedTuple

import numpy as np

from impact_predictor.joint_load.drive import MEASURED
from impact_predictor.joint_load.load_case import HARD, common_scale, scale_ends
from impact_predictor.strike.joint_speed import joint_speed
from impact_predictor.strike.strike_case import CriticalStrike, NailCase, StopCase, StrikeCase
from impact_predictor.strike.strike_loads import COARSE, StrikeLoads
from impact_predictor.strike.strike_plan import RESERVE, SPEED_RESERVE
from impact_predictor.strike.strike_search import StrikeSearch, ring
from impact_predictor.strike.striker import Misalignment, Striker
from impact_robots.description.joint_ranges import ANNOUNCED
from impact_robots.robot import Robot
from impact_robots.tools.target import FORCE, IMPULSE, SPEED, Target
from impact_robots.tools.tool import Tool, ToolCase

ALIGNED = Misalignment()
AXIS, SMALL = np.array([0.0, 0.0, 1.0]), 1e-9  # of the strike in the head's axes
_POWERS = {SPEED: (0.0, 1.0), FORCE: (0.5, 1.0), IMPULSE: (1.0, 1.0)}  # of mass and speed


class Rating(NamedTuple):
    """An upper bound of a configuration's highest safe strike."""

    speed: float  # of the head, reserves kept [m/s]
    value: float  # grows with what is wanted; of strikes with one tool at one target
    worst: CriticalStrike  # of the cases that were simulated


class QuickRating:
    """Rates configurations of one arm for one tool and target."""

    def __init__(
        self,
        robot: Robot,
        tool: Tool,
        target: Target,
        drive: str = MEASURED,
        joints: str = ANNOUNCED,
    ) -> None:
        """Set up; arguments as of :func:`~impact_predictor.strike.strike_plan.plan_strike`."""
        self._robot, self._tool, self._target = robot, tool, target
        self._drive, self._joints = drive, joints
        ends = scale_ends(robot.joint_ranges, robot.dof)
        self._scale = common_scale(ends, HARD) if joints == ANNOUNCED else np.ones_like(ends[0])
        self._case = ToolCase(tool.mass[1], tool.stiffness[1], tool.damping_ratio[0])
        stop = target.stop
        assert stop is not None  # of every target that is planned for
        self._surfaces: list[StopCase | NailCase] = [
            StopCase(stop.stiffness[1], stop.restitution[1])
        ]
        if target.nail is not None:  # soft and resistant, it stays elastic the longest
            self._surfaces.append(NailCase(target.nail.stiffness[0], target.nail.resistance[1]))
        self._most_friction = target.friction[1]
        self._powers = _POWERS.get(target.wish.what, (1.0, 2.0))
        offs = [Misalignment(*a) for a in product(ring(tool.off_centre), ring(tool.off_angle))]
        self._errors = list(product(offs, sorted(set(target.friction))))
        self._normals = np.array([off.normal for off, _ in self._errors])
        self._coefficients = np.array([[friction] for _, friction in self._errors])
        self._levers = np.array([[*off.offset, 0.0] for off, _ in self._errors])

    def screened(self, q: np.ndarray) -> float:
        """Return a value without any simulation, for a first choice; no bound.

        Args:
            q: joint positions, shape (n,) [rad].
        """
        striker = Striker(self._robot, self._tool, q, self._drive)
        _, per_newton = self._worst_errors(striker)
        mass = striker.mass
        return self.value(mass, 1.0 / (per_newton * sqrt(mass)))

    def __call__(self, q: np.ndarray, above: float = 0.0) -> Rating | None:
        """Return the rating of a configuration, None if its value is not above one.

        Args:
            q: joint positions, shape (n,) [rad].
            above: value of another one.
        """
        striker = Striker(self._robot, self._tool, q, self._drive)
        loads, mass = StrikeLoads(striker, refinement=COARSE), striker.mass
        (off, friction), _ = self._worst_errors(striker)
        tries = (off, friction), (off.opposite, self._most_friction), (ALIGNED, self._most_friction)
        worst: CriticalStrike | None = None
        for surface, (off, friction) in product(self._surfaces, dict.fromkeys(tries)):
            case = StrikeCase(self._case, surface, off, friction, self._scale)
            worst = loads.lowest([case], worst)
            if self.value(mass, (1.0 - RESERVE) * worst.speed) <= above:
                return None
        assert worst is not None  # there are cases
        rating = self._rating(striker, worst)
        return rating if rating.value > above else None

    def refined(self, q: np.ndarray, rating: Rating) -> Rating:
        """Return a lower rating, of some hundred simulations around its worst case."""
        striker = Striker(self._robot, self._tool, q, self._drive)
        loads = StrikeLoads(striker, refinement=COARSE)
        search = StrikeSearch(loads, self._target, self._joints)
        return self._rating(striker, search.near(rating.worst))

    def _rating(self, striker: Striker, worst: CriticalStrike) -> Rating:
        """Return the rating of a worst case and of the joints' speed."""
        point = striker.point(self._tool.nominal.mass)
        reached = joint_speed(self._robot, point, striker.direction).speed
        speed = min((1.0 - RESERVE) * worst.speed, (1.0 - SPEED_RESERVE) * reached)
        return Rating(speed, self.value(striker.mass, speed), worst)

    def value(self, mass: float, speed: float) -> float:
        """Return the value: energy for work, m v for an impulse, v sqrt(m) for a force."""
        of_mass, of_speed = self._powers
        return mass**of_mass * speed**of_speed

    def speed(self, mass: float, value: float) -> float:
        """Return the speed of a value, see :meth:`value` [m/s]."""
        of_mass, of_speed = self._powers
        return (max(0.0, value) / mass**of_mass) ** (1.0 / of_speed)

    def _worst_errors(self, striker: Striker) -> tuple[tuple[Misalignment, float], float]:
        """Return errors and friction that load the joints most, and the used fraction [1/N]."""
        robot = self._robot
        point = striker.point(self._tool.mass[1])
        R = point.rotation
        inertia = point.robot_state.inertia(robot.apparent_motor_inertia)
        joints = np.linalg.solve(inertia, point.J.T)  # of a wrench at the head, base axes
        mobility = R.T @ point.J[:3] @ joints[:, :3] @ R  # of the head, its axes
        forces = self._normals + self._friction(mobility)
        wrenches = np.hstack([forces @ R.T, np.cross(self._levers, forces) @ R.T])
        change = wrenches @ (-robot.apparent_motor_inertia[:, None] * joints).T
        limits = striker.limits(self._tool.mass[1])
        with np.errstate(divide="ignore"):
            each = np.abs(change) / limits.change, change / limits.up, -change / limits.down
        used = np.nanmax(np.stack(each), axis=(0, 2))
        worst = int(np.argmax(used))
        return self._errors[worst], float(used[worst])

    def _friction(self, mobility: np.ndarray) -> np.ndarray:
        """Return the friction of each of the errors per newton of the normal's, shape (e, 3) [-].

        It opposes the slip at the end of compression: that of the approach, and that to which the
        normal impulse accelerates the head.
        """
        accelerated = self._normals @ mobility
        inward = np.einsum("ei,ei->e", accelerated, self._normals)[:, None]
        velocity = AXIS + accelerated / inward
        slip = velocity - np.einsum("ei,ei->e", velocity, self._normals)[:, None] * self._normals
        size = np.linalg.norm(slip, axis=1, keepdims=True)
        return -self._coefficients * slip / np.maximum(size, SMALL)
