# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""A hit of a surface by one arm: what is to be done, and what is known of the surface."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any

import numpy as np

from impact_robots.exceptions import ImpactError, TaskError
from impact_robots.robot import Robot
from impact_robots.surface import ANY_STIFFNESS, USUAL_FRICTION, USUAL_RESTITUTION, Surface
from impact_robots.task.poses import touching
from impact_robots.task.typed_entries import record_of

Range = tuple[float, float]
_TEXTS = {"title": "", "note": "", "robot": ""}


@dataclass(frozen=True)
class HitTask:
    """What is hit, and how; the names are those of the parameters of ``impact_qp``.

    Base axes; none: as usual.
    """

    name: str
    title: str
    note: str
    robot: str  # by name, or the path of its YAML; empty: whoever carries it out knows
    contact_point: tuple[float, float, float]  # any point of the surface [m]
    contact_normal: tuple[float, float, float]  # out of it, towards the robot
    near: tuple[float, ...] | None  # joints near which to look for the pose at the impact [rad]
    friction: Range | None  # lowest and highest [-]
    restitution: Range | None  # the same [-]
    stiffness: Range | None  # of the contact, the same [N/m]
    peak_factor: float | None  # peak over mean force [-]
    impact_duration: float | None  # [s]
    impact_limits: str | None
    speed: float | None  # against the normal [m/s]
    speed_ramp: float | None  # up to it [m/s^2]
    coast_time: float | None  # gravity compensation alone after the impact [s]
    retract_speed: float | None  # then, away from the surface [m/s]
    retract_distance: float | None  # up to this gap [m]
    overrun: float | None  # retract when nothing was hit this far behind the surface [m]
    stall_time: float | None  # retract when stopped that long near the surface [s]
    hold_distance: float | None  # pushed farther while it holds, the arm stays there [m]
    joint_ranges: str | None  # that joint_load counts on: announced or nominal
    generators: int | None  # facets of the friction pyramid
    preview: float | None  # of the impact limits [s]
    activation_distance: float | None  # gap below which a limit without a bound on speed acts [m]
    solver: str | None  # of the quadratic program
    tilt: float | None  # by which a better configuration may turn the tool [rad]
    seed: int | None  # of the search for it

    @property
    def surface(self) -> Surface:
        """The surface, with the usual ranges where the task says none."""
        return Surface(
            self.contact_point,
            self.contact_normal,
            self.friction or USUAL_FRICTION,
            self.restitution or USUAL_RESTITUTION,
            self.stiffness or ANY_STIFFNESS,
        )

    @property
    def parameters(self) -> dict[str, Any]:
        """Parameters of ``impact_qp`` that it says, by name."""
        values = {each.name: getattr(self, each.name) for each in fields(self)}
        others = ("name", "title", "note", "near", "tilt", "seed")
        return {k: v for k, v in values.items() if k not in others and v not in (None, "")}

    def q_impact(self, robot: Robot) -> np.ndarray:
        """Return joints with the contact point on the surface, its axis z into it, (n,) [rad].

        Raises:
            RobotError: the arm cannot be there.
        """
        near = None if self.near is None else np.array(self.near)
        return touching(robot, np.array(self.contact_point), -self.surface.normal, near)


def hit_task_of(name: str, own: Mapping[str, Any], where: str) -> HitTask:
    """Return the task of a mapping.

    Args:
        name: of the task.
        own: its entries.
        where: they are from, for errors.

    Raises:
        TaskError: an entry is missing, unknown or wrong.
    """
    unsaid: dict[str, Any] = dict.fromkeys(_OPTIONAL)
    task = record_of(HitTask, {**unsaid, **_TEXTS, **own, "name": name}, where)
    try:
        task.surface  # noqa: B018 - its numbers are checked
    except ImpactError as error:
        raise TaskError(f"{where}: {error}") from None
    for key in ("speed", "speed_ramp", "retract_speed", "peak_factor", "impact_duration"):
        if (value := getattr(task, key)) is not None and value <= 0.0:
            raise TaskError(f"{where}: {key}: expected a number above 0, got {value:g}")
    return task


_OPTIONAL = [each.name for each in fields(HitTask) if "None" in str(each.type)]
