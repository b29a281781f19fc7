# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Contacts with people at the planned speed, simulated by the flexible-joint plant."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from impact_predictor.people.person_speed import person_speed
from impact_robots import load_robot
from impact_trials.processes import check_stopped
from studies.people.contact_run import person_contact
from studies.people.person_draw import PersonCase, draw_case

ROBOT = "panda"
JOINT_SPEED = "joint speed"
SLOWEST = 0.01  # of a plan that is carried out [m/s]


class PersonResult(NamedTuple):
    """A contact at the planned speed."""

    redrawn: int  # contacts drawn before it for which no speed is allowed
    region: str
    clamped: bool
    padding: float  # [N/m]
    point: str
    loop: str  # kind of the arm's loop
    speed: float  # planned, at contact [m/s]
    planned_by: str  # transient, quasi-static, or joint speed
    peak: float  # simulated force [N]
    held: float  # highest simulated in a contact that lasts longer than 0.5 s [N]
    transient_share: float  # peak over the limit [-]
    held_share: float  # the other force over its limit [-]

    @property
    def share(self) -> float:
        """What is used of the limit that is used most [-]."""
        return float(np.max([self.transient_share, self.held_share]))  # of NaN: NaN

    @property
    def over(self) -> bool:
        """Whether a limit was exceeded."""
        return not self.share <= 1.0


def drawn_contact(seed: int, number: int) -> PersonResult:
    """Draw contacts until a speed is allowed for one, and simulate it."""
    robot, random, redrawn = load_robot(ROBOT), np.random.default_rng([seed, number]), 0
    while True:
        check_stopped()
        case = draw_case(robot, random, number)
        speed, planned_by = planned_speed(case)
        if speed >= SLOWEST:
            return contact_at(case, speed, planned_by, redrawn)
        redrawn += 1


def planned_speed(case: PersonCase) -> tuple[float, str]:
    """Return the speed of the plan [m/s] and what limits it: the person, or the joints' speed.

    The limit of joint loads is left out: it protects the arm, and would only make it slower.
    """
    found = person_speed(case.to, case.contact, case.loop, case.reaction)
    person = found.planned
    if case.to.joint_speed_cap < person:
        return case.to.joint_speed_cap, JOINT_SPEED
    return person, found.phase


def contact_at(case: PersonCase, speed: float, planned_by: str, redrawn: int = 0) -> PersonResult:
    """Simulate a contact at a speed [m/s]."""
    force = person_contact(case.to, case.contact, case.loop, case.reaction, speed)
    region = case.contact.region
    return PersonResult(
        redrawn,
        region.name,
        case.contact.clamped,
        case.contact.padding,
        case.point,
        case.loop.kind,
        speed,
        planned_by,
        force.peak,
        force.held,
        force.peak / region.transient_force,
        force.held / region.force,
    )


def summary(found: Sequence[PersonResult]) -> dict[str, float | int]:
    """Return the figures that are promised of contacts."""
    return {
        "n": len(found),
        "over_limit": sum(each.over for each in found),
        "median_share": float(np.median([each.share for each in found])),
        "highest_share": max(each.share for each in found),
        "without_a_speed": sum(each.redrawn for each in found),
    }
