# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Reads a tool and a target from YAML: the entries `tool` and `target` of one file or of two."""

from __future__ import annotations

from math import inf
from pathlib import Path
from typing import Any

import numpy as np

from impact_robots.entries import Entries
from impact_robots.entry import Entry
from impact_robots.exceptions import OutOfRangeError
from impact_robots.surface import USUAL_FRICTION
from impact_robots.tools.target import (
    ANY_STOP,
    DELIVERED,
    FORCE,
    IMPULSE,
    MAXIMIZED,
    SPEED,
    WORK,
    HardStop,
    Nail,
    Target,
    Wish,
)
from impact_robots.tools.tool import Tool
from impact_robots.validation import friction_range, restitution_range, stiffness_range
from impact_robots.yaml_file import read_mapping

_FILE = ("title", "tool", "target")
_TOOL = ("head", "handle", "adapter", "off_centre", "off_angle", "mount")
_TARGET = ("nail", "wall", "friction", IMPULSE, FORCE, "maximize", "deliver", "cone")
_MASS = Entry(above=0.0, high=20.0, unit="kg")
_HANDLE = Entry(low=100.0, high=1e9, unit="N/m")
_RATIO = Entry(low=0.0, high=1.0)
_CENTRE = Entry(low=0.0, high=0.1, unit="m")
_ANGLE = Entry(low=0.0, high=0.5, unit="rad")
_CONE = Entry(low=0.0, high=1.5, unit="rad")
_RESISTANCE = Entry(above=0.0, high=1e5, unit="N")
_DEPTH = Entry(above=0.0, high=0.5, unit="m")
_AMOUNT = Entry(above=0.0)


def read_tool(path: Path) -> Tool:
    """Return the tool of a file.

    Raises:
        RobotError: there is no such file, or an entry is missing or wrong; says which.
    """
    return tool_of(path, read_mapping(path))


def tool_of(path: Path, mapping: dict[str, Any]) -> Tool:
    """Return the entry `tool` of a mapping; as :func:`read_tool`.

    Args:
        path: where the mapping is from, for errors.
        mapping: with the entries `tool`, and perhaps `target`.
    """
    tool = Entries(path, mapping, _FILE).section("tool", _TOOL)
    head = tool.section("head", ("position", "axis", "mass"))
    axis = head.vector("axis", 3, np.array([0.0, 0.0, 1.0]))
    if not (length := float(np.linalg.norm(axis))) > 1e-6:
        raise head.error("axis", "a vector with a length", axis.tolist())
    stiffness, damping_ratio, give_way = (inf, inf), (0.0, 0.0), False
    if "handle" in tool:
        handle = tool.section("handle", ("stiffness", "damping_ratio", "give_way"))
        stiffness = handle.bounds("stiffness", allowed=_HANDLE)
        damping_ratio = handle.bounds("damping_ratio", allowed=_RATIO)
        give_way = handle.flag("give_way", False)
    mass, place = 0.0, np.zeros(3)
    if "adapter" in tool:
        adapter = tool.section("adapter", ("mass", "position"))
        mass, place = adapter.number("mass", allowed=_MASS), adapter.place("position")
    return Tool(
        head=tuple(head.place("position").tolist()),
        axis=tuple((axis / length).tolist()),
        mass=head.bounds("mass", allowed=_MASS),
        stiffness=stiffness,
        damping_ratio=damping_ratio,
        adapter_mass=mass,
        adapter=tuple(place.tolist()),
        off_centre=tool.number("off_centre", 0.0, _CENTRE),
        off_angle=tool.number("off_angle", 0.0, _ANGLE),
        give_way=give_way,
        mount=tool.number("mount", 0.0, _CENTRE),
    )


def read_target(path: Path) -> Target:
    """Return the target of a file; a nail may turn out to be its `wall`.

    Raises:
        RobotError: there is no such file, or an entry is missing or wrong; says which.
    """
    return target_of(path, read_mapping(path))


def target_of(path: Path, mapping: dict[str, Any]) -> Target:
    """Return the entry `target` of a mapping; as :func:`read_target`, arguments of `tool_of`."""
    target = Entries(path, mapping, _FILE).section("target", _TARGET)
    nail = _nail(target) if "nail" in target else None
    try:
        stop = _stop(target) if "wall" in target else ANY_STOP
        friction = friction_range(target.value("friction")) if "friction" in target else None
    except OutOfRangeError as error:
        raise target.wrong(str(error)) from None
    cone = target.number("cone", 0.0, _CONE)
    return Target(nail, stop, friction or USUAL_FRICTION, _wish(target, nail), cone)


def _nail(target: Entries) -> Nail:
    nail = target.section("nail", ("resistance", "stiffness", "depth"))
    depth = nail.number("depth", allowed=_DEPTH) if "depth" in nail else None
    resistance = nail.bounds("resistance", allowed=_RESISTANCE)
    return Nail(resistance, nail.bounds("stiffness", Nail((1.0, 1.0)).stiffness, _HANDLE), depth)


def _stop(target: Entries) -> HardStop:
    """Return the entry `wall`; raises OutOfRangeError, too."""
    wall, usual = target.section("wall", ("stiffness", "restitution")), ANY_STOP
    return HardStop(
        stiffness_range(wall.value("stiffness")) if "stiffness" in wall else usual.stiffness,
        restitution_range(wall.value("restitution"))
        if "restitution" in wall
        else usual.restitution,
    )


def _wish(target: Entries, nail: Nail | None) -> Wish:
    """Return what a strike is for: without an entry work on a nail, else speed."""
    wishes = [key for key in (IMPULSE, FORCE, "maximize", "deliver") if key in target]
    if len(wishes) > 1:
        raise target.error(wishes[1], f"one wish, {wishes[0]} is there", target.value(wishes[1]))
    if not wishes:
        return Wish(SPEED if nail is None else WORK)
    (key,) = wishes
    if key == "maximize":
        return Wish(target.text(key, choices=MAXIMIZED))
    section = target.section(key, DELIVERED) if key == "deliver" else target
    given = [each for each in DELIVERED if each in section]
    if len(given) != 1:
        raise target.error(key, f"one of {', '.join(DELIVERED)}", target.value(key))
    return Wish(given[0], section.number(given[0], allowed=_AMOUNT))
