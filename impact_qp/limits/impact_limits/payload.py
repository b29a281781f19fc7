# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""An impact limit for a payload in a range: the smaller of two bounds."""

from __future__ import annotations

from math import inf
from typing import Any

import numpy as np

from impact_qp.exceptions import ControlError
from impact_qp.limits.impact_limits.contact import Contact, SpeedBound
from impact_qp.limits.impact_limits.impact_limit import ImpactLimit
from impact_qp.limits.impact_limits.speed import ApproachSpeedLimit
from impact_robots.description.payload import at_the_ends
from impact_robots.dynamics import ArmDynamics
from impact_robots.robot import Robot
from impact_robots.state.state import PointState, RobotState


class PayloadLimit(ApproachSpeedLimit):
    """Combines the limits of the lightest and the heaviest payload, each with its dynamics.

    More mass at the contact point increases the impulse at a given speed, but reduces the arm's
    inertia behind a joint in proportion: neither end is always the worse one.
    """

    def __init__(
        self, robot: Robot, contact: Contact, ends: tuple[ApproachSpeedLimit, ...]
    ) -> None:
        """Combine the limits of robots with each of the payloads."""
        first = ends[0]
        super().__init__(
            robot,
            contact,
            preview=first.preview,
            margin=first.margin,
            joint_ranges=first.joint_ranges,
            period=first.period,
            frame=first.frame,
        )
        self._ends = tuple((ArmDynamics(each.robot), each) for each in ends)
        self._last: tuple[RobotState, tuple[PointState, ...]] | None = None
        self.quick = all(each.quick for each in ends)
        self.everywhere = first.everywhere

    def against(self, contact: Contact) -> PayloadLimit:
        """Return the same limits for another contact."""
        ends = (limit.against(contact) for _, limit in self._ends)
        bounding = tuple(each for each in ends if isinstance(each, ApproachSpeedLimit))
        return PayloadLimit(self.robot, contact, bounding)

    def speed_bound(self, point: PointState) -> SpeedBound:
        """Return the smaller bound, margin included."""
        return min(
            limit.speed_bound(each)
            for (_, limit), each in zip(self._ends, self._points(point), strict=True)
        )

    def present_bound(self, point: PointState) -> SpeedBound:
        """Return the smaller of the bounds that are updated from cycle to cycle."""
        return min(
            limit.present_bound(each)
            for (_, limit), each in zip(self._ends, self._points(point), strict=True)
        )

    def towards(self, point: PointState, direction: np.ndarray) -> float:
        """Return the smaller of the bounds in a direction."""
        return min(
            limit.towards(each, direction)
            for (_, limit), each in zip(self._ends, self._points(point), strict=True)
        )

    def bound_above(self, point: PointState, speed: float) -> SpeedBound | None:
        """Return the smaller bound if it is above a speed [m/s], else none."""
        found = []
        for (_, limit), each in zip(self._ends, self._points(point), strict=True):
            if (bound := limit.bound_above(each, speed)) is None:
                return None
            found.append(bound)
        return min(found)

    def bottoming_speed(self, point: PointState) -> float | None:
        """Return the lower speed of the limits' own."""
        pairs = zip(self._ends, self._points(point), strict=True)
        speeds = (limit.bottoming_speed(each) for (_, limit), each in pairs)
        return min((each for each in speeds if each is not None), default=None)

    @property
    def ranking(self) -> ImpactLimit:
        """The same of the limits' own."""
        ends = tuple(limit.ranking for _, limit in self._ends)
        if all(isinstance(each, ApproachSpeedLimit) for each in ends):
            return PayloadLimit(self.robot, self.contact, ends)  # type: ignore[arg-type]
        return self

    def look(self, point: PointState) -> None:
        """Take a state in which the limit is not active yet."""
        for (_, limit), each in zip(self._ends, self._points(point), strict=True):
            limit.look(each)

    def catch_up(self, until: float = inf) -> None:
        """Run the deferred work of the last state."""
        for _, limit in self._ends:
            limit.catch_up(until)

    def _points(self, point: PointState) -> tuple[PointState, ...]:
        """Return the states of the arm with each payload, cached for the same state."""
        state = point.robot_state
        if self._last is None or self._last[0] is not state:
            known = tuple(
                dynamics.state(state.q, state.dq).at(self.frame) for dynamics, _ in self._ends
            )
            self._last = state, known
        return self._last[1]


def limit_of(
    kind: type[ImpactLimit], interface: str, robot: Robot, contact: Contact, **options: Any
) -> ImpactLimit:
    """Return the impact limit of a kind for the payload of the robot.

    Args:
        kind: of the limit.
        interface: command interface of the robot.
        robot: the arm.
        contact: announced.
        options: as of ``kind``.

    Raises:
        ControlError: the payload is a range, and the kind does not bound a speed.
    """
    ends = tuple(
        kind.for_interface(interface, each, contact, **options) for each in at_the_ends(robot)
    )
    if len(ends) == 1:
        return ends[0]
    bounding = tuple(each for each in ends if isinstance(each, ApproachSpeedLimit))
    if len(bounding) < len(ends):
        low, high = robot.payload
        raise ControlError(
            f"payload: expected one mass with impact limits that bound no speed (existential), got"
            f" {low:g} to {high:g} kg"
        )
    return PayloadLimit(robot, contact, bounding)
