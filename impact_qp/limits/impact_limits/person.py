# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""The impact limit of contact with a person: the speed of the contact point in every direction."""

from __future__ import annotations

from typing import Any

import numpy as np

from impact_predictor.exceptions import PredictionError
from impact_predictor.people.aim import TOOL, Aim, aim, aim_at
from impact_predictor.people.ceiling import PushCeiling, ceiling_of
from impact_predictor.people.person_task import PersonTask
from impact_predictor.people.regions import PersonError
from impact_qp.exceptions import ControlError
from impact_qp.interface import INTERFACES
from impact_qp.limits.impact_limits.contact import Contact, SpeedBound
from impact_qp.limits.impact_limits.impact_limit import ImpactLimit
from impact_qp.limits.impact_limits.registry import impact_limit
from impact_qp.limits.impact_limits.speed import VELOCITY_MARGIN, ApproachSpeedLimit
from impact_robots.exceptions import RobotError
from impact_robots.robot import Robot
from impact_robots.state.state import PointState

MARGIN = 0.02  # arms hit up to 1.5 % faster than a bound


@impact_limit("person", "contact with a person, in every direction; none of the arm's own limits")
class PersonLimit(ApproachSpeedLimit):
    """A person who is hit by the contact point, from wherever, gets no more than is permitted.

    The bound is the ceiling of :mod:`impact_predictor.people.ceiling`, in closed form at the
    measured configuration: it is known in the first cycle, costs the same in each, and is never
    above the speed at which the force of the simulation reaches the limit. Other points of the arm
    are not looked at. See doc/people.md.
    """

    of_person = everywhere = True

    def __init__(
        self,
        robot: Robot,
        contact: Contact,
        *,
        person: PersonTask | None = None,
        interface: str = "torque",
        margin: float = MARGIN,
        **options: Any,
    ) -> None:
        """Create the limit.

        Args:
            robot: the arm.
            contact: that is announced; the person is there, and everywhere else.
            person: region, the arm's loop and reaction, and a cap; pose, direction and points are
                not used.
            interface: of the arm, whose loop it is if the task does not say.
            margin: fraction of the speed kept in reserve [-].
            options: as of :class:`ImpactLimit`.

        Raises:
            ControlError: there is no such task, it lacks the region or the reaction, or no speed
                is allowed whatever the pose.
        """
        super().__init__(robot, contact, margin=margin, **options)
        if person is None:
            raise ControlError(
                "impact_limits person: expected a task of contact with a person (parameter person;"
                " of plan and map: --person), got none"
            )
        self._person, self._interface = person, interface
        try:
            stance = np.where(np.isfinite(robot.stance), robot.stance, 0.0)
            to = aim(robot, stance, -contact.normal)
            self._loop = person.loop_or_usual(to, interface)
            self._met = person.contact()
        except (PredictionError, RobotError) as error:
            raise ControlError(f"impact_limits person: {error}") from None
        self._refuse(self._ceiling(to))
        self._name = f"person: {self._met.region.name}"

    def _refuse(self, ceiling: PushCeiling) -> None:
        """Refuse a loop and a reaction that allow no speed, whatever the pose.

        Raises:
            ControlError: says why.
        """
        region = self._met.region
        if self._loop.pushes and self._person.reaction is None:
            raise ControlError(
                f"impact_limits person: expected a reaction of an arm with control"
                f" {self._loop.kind}, got none: it pushes on, and no speed is allowed"
            )
        if ceiling.used(0.0, *self._met.permissible) > 1.0:
            least = max(ceiling.force(0.0), ceiling.held(0.0))
            raise ControlError(
                f"impact_limits person: expected a detection that leaves room below the"
                f" permissible {region.transient_force:g} N ({region.force:g} N held), got one that"
                f" takes {least:.3g} N"
            )

    def _ceiling(self, to: Aim) -> PushCeiling:
        met = self._met
        return ceiling_of(to, self._loop, met.stiffness, met.mass, self._person.reaction)

    @classmethod
    def for_interface(
        cls, interface: str, robot: Robot, contact: Contact, **options: Any
    ) -> ImpactLimit:
        """Return the limit; a servo needs more margin."""
        if INTERFACES[interface].servo:
            options = {"margin": MARGIN + VELOCITY_MARGIN} | options
        return cls(robot, contact, interface=interface, **options)

    def _options(self) -> dict[str, Any]:
        """Return the options that the limit was created with."""
        return super()._options() | {"person": self._person, "interface": self._interface}

    def speed_bound(self, point: PointState) -> SpeedBound:
        """Return the bound towards the announced surface, margin included."""
        return SpeedBound(self.towards(point, -self._normal), self._name)

    def towards(self, point: PointState, direction: np.ndarray) -> float:
        """Return the highest speed of the contact point in a unit direction, (3,) [m/s]."""
        try:
            to = aim_at(self.robot, point.robot_state, direction, self.frame or TOOL)
        except PersonError:
            return 0.0  # it cannot move there
        highest = self._ceiling(to).speed(*self._met.permissible)
        return min((1.0 - self.margin) * highest, self._person.cap)
