# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""The surfaces that were announced to a governor: their bounds, and how fast it may go to them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from impact_qp.control.plan import Plan, surface_refusal
from impact_qp.exceptions import ControlError
from impact_qp.guards.takeover import REACTION, allowed_speed, commanded_speed
from impact_qp.interface import CommandInterface
from impact_qp.limits import Contact
from impact_qp.limits.impact_limits.speed import ApproachSpeedLimit
from impact_robots.robot import Robot
from impact_robots.state.state import PointState

RESERVE = 0.03  # of a bound, as poses and directions change on the braking way [-]


class SeenSurface(NamedTuple):
    """A surface as it is from a state."""

    name: str
    normal: np.ndarray  # towards the arm, shape (3,)
    bound: float  # [m/s]
    limiting: str  # quantity that sets the bound
    gap: float  # [m]
    approach: float  # measured, towards it [m/s]


class AnnouncedSurfaces:
    """The impact limit of each surface, and the surfaces as they are from the last state.

    Attributes:
        limits: by the names of the surfaces.
        limits_name: of their kind, after "auto" is resolved; "unknown" without surfaces.
    """

    def __init__(
        self,
        robot: Robot,
        surfaces: Mapping[str, Contact],
        impact_limits: str,
        driver: type[CommandInterface],
        still: PointState,
    ) -> None:
        """Create and compile the limits.

        Args:
            robot: the arm.
            surfaces: announced, by name.
            impact_limits: name of a kind, or "auto".
            driver: of the arm.
            still: any state of the arm.

        Raises:
            ControlError: the limits bound no speed.
        """
        self._robot, self._driver = robot, driver
        self.limits: dict[str, ApproachSpeedLimit] = {}
        for name, contact in surfaces.items():
            plan = Plan(contact, impact_limits, interface=driver.name).resolved(robot)
            limit, impact_limits = plan.impact_limit(robot, 0.0), plan.impact_limits
            if not isinstance(limit, ApproachSpeedLimit):
                raise ControlError(
                    f"impact_limits: expected a bound of the speed, got {impact_limits!r}"
                )
            limit.speed_bound(still)  # compiles
            self.limits[name] = limit
        self.limits_name = impact_limits if self.limits else "unknown"
        self.forget()

    def forget(self) -> None:
        """Forget the last state."""
        self._seen: tuple[SeenSurface, ...] = ()

    def refusal(self, point: PointState) -> str:
        """Return why a surface cannot be where it is announced, "" if all can."""
        for name, limit in self.limits.items():
            if problem := surface_refusal(limit.contact, self._robot, point):
                return f"surface {name}: {problem}"
        return ""

    def look(self, point: PointState, elapsed: float) -> None:
        """Take a state, ``elapsed`` after the last one [s]."""
        seen = []
        for name, limit in self.limits.items():
            limit.period = elapsed  # between two bounds, whose fall is extrapolated
            bound, contact = limit.allowed(point), limit.contact
            approach = contact.approach_speed(point.velocity)
            gap, what = contact.gap(point.position), limit.bound.name
            seen.append(SeenSurface(name, contact.normal, bound, what, gap, approach))
        self._seen = tuple(seen)

    def catch_up(self, until: float) -> None:
        """Run deferred work of the limits until a time by `time.perf_counter` [s]."""
        for limit in self.limits.values():
            limit.catch_up(until)

    @property
    def nearest(self) -> SeenSurface | None:
        """The nearest one; None without any, or before the first state."""
        return min(self._seen, key=lambda each: each.gap) if self._seen else None

    def limited(
        self,
        contact: np.ndarray,
        factor: float,
        braking: float,
        delay: float,
        stopping: float,
        age: float,
    ) -> tuple[float, str, SeenSurface] | None:
        """Return a smaller factor for a motion, its reason and surface; None: none limits more.

        Args:
            contact: velocity of the contact point that is asked for, shape (3,) [m/s].
            factor: that this motion may have without surfaces [-].
            braking: how fast its factor may fall [1/s].
            delay: after which the arm moves as commanded [s].
            stopping: how fast the factor of the measured motion can fall [1/s].
            age: of the state [s].
        """
        limited = None
        for seen in self._seen:
            towards = -float(seen.normal.dot(contact))
            if towards <= 0.0:
                continue
            what, faster = seen.limiting, self._driver.faster  # commands under way, too
            bound = (1.0 - RESERVE) * seen.bound
            allowed = commanded_speed(bound, seen.gap, braking * towards, delay) / faster
            if self._cannot_slow_down(seen, stopping, age):
                allowed, what = 0.0, f"measured {seen.approach:.3f} m/s"
            if allowed < factor * towards:
                factor = allowed / towards
                limited = factor, f"surface {seen.name}: {what}", seen
        return limited

    def _cannot_slow_down(self, seen: SeenSurface, stopping: float, age: float) -> bool:
        """Tell whether the arm is too fast to slow down to a surface's bound in time."""
        if seen.approach <= 0.0:
            return False
        tolerated, slowing = seen.bound + self._driver.slack, stopping * seen.approach
        return seen.approach > allowed_speed(tolerated, seen.gap, slowing, REACTION + age)
