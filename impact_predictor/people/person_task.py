# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Contact with people, described in a file: the arm's pose and direction, its loop and reaction."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf
from pathlib import Path

from impact_predictor.people.aim import POINTS, Aim
from impact_predictor.people.cautions import COASTS
from impact_predictor.people.loop import (
    COASTING,
    IMPEDANCE,
    SERVO,
    ArmLoop,
    Reaction,
    coasting,
    impedance,
    servo,
    servo_of,
)
from impact_predictor.people.person_speed import PersonContact
from impact_predictor.people.regions import (
    BUILT_IN,
    PersonError,
    Region,
    read_regions,
    region_named,
)
from impact_robots.entries import Entries
from impact_robots.entry import Entry
from impact_robots.yaml_file import read_mapping

KINDS = (COASTING, IMPEDANCE, SERVO)
_GAINS = ("stiffness", "damping", "position_gain", "velocity_gain")
_REACTION = ("force", "filter_time", "delay", "brake", "period")
_KEYS = (
    *("title", "robot", "q", "direction", "points", "region", "clamped", "padding", "regions"),
    *("cap", "control", "reaction"),
)
_ABOVE_0 = Entry(above=0.0)
_TIME = Entry(low=0.0, high=5.0, unit="s")
_PERIOD = Entry(low=250e-6, high=1.0, unit="s")


@dataclass(frozen=True)
class PersonTask:
    """What is known of an arm near people; None: not said."""

    robot: str | None = None  # name, or path of its YAML
    q: tuple[float, ...] | None = None  # joint positions [rad]
    direction: tuple[float, ...] | None = None  # of the motion, base axes, shape (3,)
    points: tuple[str, ...] = POINTS  # of the arm: tool, elbow, or frames
    region: str = ""  # of the body, by name; the neck as "neck,accepted"; empty: not said
    clamped: bool = False
    padding: float = inf  # stiffness of a padding; infinite: none [N/m]
    regions: Path | None = None  # of a table of one's own; none: the built-in one
    cap: float = inf  # on the speed, of the arm's own safety settings [m/s]
    control: Entries | None = None  # of :meth:`loop`
    reaction: Reaction | None = None

    @property
    def table(self) -> dict[str, Region]:
        """The regions by name.

        Raises:
            RobotError: the file cannot be read, or an entry is wrong.
            PersonError: it has head or face.
        """
        return BUILT_IN if self.regions is None else read_regions(self.regions)

    def contact(self, region: str = "") -> PersonContact:
        """Return what the arm meets: a region by name, or that of the task.

        Raises:
            RobotError: the file of regions cannot be read, or an entry is wrong.
            PersonError: the region is refused, or there is none.
        """
        if not (name := region or self.region):
            raise PersonError(f"region: expected one of {', '.join(self.table)}, got none")
        return PersonContact(region_named(name, self.table), self.clamped, self.padding)

    def loop_or_usual(self, aim: Aim, interface: str) -> ArmLoop:
        """Return the arm's loop; if the task does not say, coasting, or the servo of its YAML.

        Args:
            aim: of the arm.
            interface: "torque", or "velocity", "position" of an arm with a servo.

        Raises:
            RobotError: an entry is missing or wrong.
            PredictionError: the YAML does not define the servo.
        """
        if (given := self.loop(aim)) is not None:
            return given
        return coasting(aim) if interface == "torque" else servo_of(aim)

    def assumed(self, interface: str) -> str:
        """Return what is assumed of an arm's loop that the task does not give, "" if nothing."""
        return COASTS if self.control is None and interface == "torque" else ""

    def loop(self, aim: Aim) -> ArmLoop | None:
        """Return the arm's loop, None if the task does not give it.

        Raises:
            RobotError: an entry is missing or wrong.
        """
        control = self.control
        if control is None:
            return None
        kind = control.text("kind", choices=KINDS)
        if kind == COASTING:
            return coasting(aim)
        if kind == SERVO:
            gains = (control.number(key, allowed=_ABOVE_0) for key in _GAINS[2:])
            return servo(aim, *gains)
        n = aim.robot.dof
        return impedance(
            aim,
            control.vector("stiffness", n, allowed=_ABOVE_0),
            control.vector("damping", n, allowed=_ABOVE_0),
        )


def read_person_task(path: Path) -> PersonTask:
    """Return the task of a file.

    Raises:
        RobotError: there is no such file, or an entry is wrong; says which.
    """
    entries = Entries(path, read_mapping(path), _KEYS)
    robot = entries.text("robot") if "robot" in entries else None
    if robot is not None and (path.parent / robot).is_file():
        robot = str(path.parent / robot)
    q = entries.value("q") if "q" in entries else None
    return PersonTask(
        robot,
        None if q is None else tuple(entries.vector("q", len(q) if isinstance(q, list) else 1)),
        tuple(entries.vector("direction", 3)) if "direction" in entries else None,
        entries.texts("points", POINTS),
        entries.text("region") if "region" in entries else "",
        entries.flag("clamped", False),
        entries.number("padding", inf, _ABOVE_0),
        path.parent / entries.text("regions") if "regions" in entries else None,
        entries.number("cap", inf, _ABOVE_0),
        entries.section("control", ("kind", *_GAINS)) if "control" in entries else None,
        _reaction(entries.section("reaction", _REACTION)) if "reaction" in entries else None,
    )


def _reaction(entries: Entries) -> Reaction:
    return Reaction(
        entries.number("force", allowed=_ABOVE_0),
        entries.number("filter_time", 0.0, _TIME),
        entries.number("delay", 0.0, _TIME),
        entries.number("brake", allowed=_ABOVE_0),
        entries.number("period", 0.001, _PERIOD),
    )
