# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Speeds towards a person as text and as a JSON document."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from impact_predictor.people.person_speed import PersonContact, PersonSpeed
from impact_robots.robot import Robot


class PointPlan(NamedTuple):
    """Highest speeds of one point of the arm."""

    point: str
    frame: str
    found: PersonSpeed
    caps: dict[str, float]  # speeds by what limits them, reserve included [m/s]
    caution: str  # about the arm's loop; may be empty

    @property
    def limit(self) -> str:
        """What limits the speed."""
        return min(self.caps, key=lambda name: self.caps[name])

    @property
    def speed(self) -> float:
        """The smallest [m/s]."""
        return self.caps[self.limit]


@dataclass(frozen=True)
class PersonPlan:
    """Highest speeds of an arm towards a person."""

    robot: Robot
    q: np.ndarray  # [rad]
    direction: np.ndarray  # base axes
    contact: PersonContact
    points: list[PointPlan]
    warnings: list[str]


def person_document(plan: PersonPlan) -> dict[str, Any]:
    """Return the document."""
    contact, region = plan.contact, plan.contact.region
    return {
        "robot": plan.robot.name,
        "q_rad": plan.q,
        "direction": plan.direction,
        "region": region._asdict(),
        "clamped": contact.clamped,
        "padding_npm": contact.padding,
        "points": [
            {
                "point": each.point,
                "frame": each.frame,
                "speed_mps": each.speed,
                "limit": each.limit,
                "caps_mps": each.caps,
                "reserve": each.found.reserve,
                **each.found._asdict(),
            }
            for each in plan.points
        ],
        "warnings": plan.warnings,
    }


def person_text(plan: PersonPlan) -> str:
    """Return a few lines a point, and every warning."""
    region, x = plan.contact.region, ", ".join(f"{each:.3g}" for each in plan.direction)
    held = "clamped" if plan.contact.clamped else "free"
    lines = [
        f"{plan.robot.name}, moving along ({x}) towards a person: {region.name}, {held}",
        f"  {region.stiffness:g} N/m, {region.mass:g} kg, permissible {region.transient_force:g} N"
        f" up to 0.5 s, {region.force:g} N held",
    ]
    for each in plan.points:
        lines += _point_lines(each)
    return "\n".join([*lines, "warnings", *(f"  {line}" for line in plan.warnings)])


def _point_lines(each: PointPlan) -> list[str]:
    found = each.found
    others = [f"{name} {speed:.3f}" for name, speed in each.caps.items() if np.isfinite(speed)]
    return [
        f"  {each.point}: at most {each.speed:.3f} m/s, limited by {each.limit}",
        f"    of {', '.join(others)} m/s",
        f"    simulated {found.v_max:.3f} m/s ({found.phase}), {found.reserve:.0%} in reserve;"
        f" ceiling {found.v_ceiling:.3f} m/s",
        f"    ISO/TS 15066's formula {found.v_iso:.3f} m/s, with M + B_theta"
        f" ({found.m_Btheta:.2f} kg) {found.v_formula_Btheta:.3f} m/s",
    ]
