# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""`map --person`: the speeds of `plan --person` over a surface."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import inf
from typing import Any

import numpy as np

from impact_cli.plans.person_plan import point_plan, said_of
from impact_cli.plans.person_report import PointPlan
from impact_predictor.people.aim import aim, aim_at
from impact_predictor.people.ceiling import ceiling_of
from impact_predictor.people.person_speed import PersonContact
from impact_predictor.people.person_task import PersonTask
from impact_predictor.people.regions import PersonError
from impact_qp.limits import Contact, SpeedBound
from impact_qp.limits.impact_limits.speed import ApproachSpeedLimit
from impact_qp.planning import HitConfiguration
from impact_robots.robot import Robot
from impact_robots.state.state import PointState

Rows = Sequence[Sequence[HitConfiguration | None]]  # of a map, None: out of reach


@dataclass(frozen=True)
class PersonHit(HitConfiguration):
    """A configuration and the answer of `plan --person`; the bound is that of the slowest point."""

    points: tuple[PointPlan, ...]  # of the arm, those that can move in the direction


@dataclass(frozen=True)
class PersonMap:
    """A person in front of the arm at every point of a surface."""

    task: PersonTask
    contact: PersonContact
    interface: str  # of the arm

    def direction(self, normal: np.ndarray) -> np.ndarray:
        """Return the direction of the motion, base axes, shape (3,): against the surface."""
        return -normal if self.task.direction is None else np.array(self.task.direction)

    def hit(self, robot: Robot, normal: np.ndarray, q: np.ndarray) -> PersonHit:
        """Return the answer of `plan --person` at joint positions, shape (n,) [rad]."""
        points: list[PointPlan] = []
        for name in self.task.points:
            try:
                to = aim(robot, q, self.direction(normal), name)
            except PersonError:
                continue  # it cannot move in the direction
            points.append(point_plan(self.task, name, to, self.contact, self.interface))
        if not points:
            return PersonHit(q, SpeedBound(inf, ""), ())
        slowest = min(points, key=lambda each: each.speed)
        bound = SpeedBound(slowest.speed, f"{slowest.point}: {slowest.limit}")
        return PersonHit(q, bound, tuple(points))

    def ranking(self, robot: Robot, contact: Contact) -> ApproachSpeedLimit:
        """Return the limit by which configurations are compared: closed forms, no simulation."""
        return _Ranking(robot, contact, self)

    def document(self, rows: Rows) -> dict[str, Any]:
        """Return what the JSON document says of the person and of each point of the arm."""
        some = [hit for row in rows for hit in row if isinstance(hit, PersonHit)]
        return {
            "region": self.contact.region._asdict(),
            "clamped": self.contact.clamped,
            "padding_npm": self.contact.padding,
            "point_speeds_mps": {
                name: [[_speed(hit, name) for hit in row] for row in rows]
                for name in self.task.points
            },
            "warnings": said_of(self.task, [each for hit in some for each in hit.points]),
        }

    @property
    def words(self) -> str:
        """Short text."""
        held = "clamped" if self.contact.clamped else "free"
        return f"towards a person: {self.contact.region.name}, {held}"

    def lines(self, rows: Rows) -> list[str]:
        """Return lines of the text: speeds of each point of the arm, and the warnings."""
        document = self.document(rows)
        lines = []
        for name, table in document["point_speeds_mps"].items():
            speeds = [each for row in table for each in row if each is not None]
            if speeds:
                low, middle, high = min(speeds), float(np.median(speeds)), max(speeds)
                lines.append(f"  {name}: {low:.3f} to {high:.3f} m/s, median {middle:.3f} m/s")
        return [*lines, "warnings", *(f"  {line}" for line in document["warnings"])]


def _speed(hit: HitConfiguration | None, name: str) -> float | None:
    points = hit.points if isinstance(hit, PersonHit) else ()
    return next((each.speed for each in points if each.point == name), None)


class _Ranking(ApproachSpeedLimit):
    """The slowest point by the ceiling of its force, or the formula for an arm without reaction."""

    def __init__(self, robot: Robot, contact: Contact, person: PersonMap) -> None:
        super().__init__(robot, contact)
        self._person = person

    def speed_bound(self, point: PointState) -> SpeedBound:
        """Return the bound at a state."""
        return SpeedBound(min(map(self._of(point), self._person.task.points)), "person")

    def _of(self, point: PointState) -> Any:
        person, met = self._person, self._person.contact
        task, region = person.task, met.region

        def speed(name: str) -> float:
            try:
                direction = person.direction(self.contact.normal)
                to = aim_at(self.robot, point.robot_state, direction, name)
            except PersonError:
                return inf
            loop = task.loop_or_usual(to, person.interface)
            ceiling = ceiling_of(to, loop, met.stiffness, met.mass, task.reaction)
            of_person = region.transient_force / ceiling.impact
            if not (loop.pushes and task.reaction is None):
                of_person = ceiling.speed(*met.permissible)
            return min(of_person, to.joint_speed_cap, task.cap)

        return speed
