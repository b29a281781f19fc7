# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Regions of a person's body: stiffness, moving mass and permissible force.

The built-in table is that of ISO/TS 15066:2016, annex A, from memory: compare it with your copy of
the standard, or replace it by a file of your own.
"""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from impact_predictor.exceptions import PredictionError
from impact_robots.entries import Entries
from impact_robots.entry import Entry
from impact_robots.yaml_file import read_mapping

TRANSIENT = 2.0  # permissible force of a contact shorter than 0.5 s over that of a longer one
REFUSED = ("head", "skull", "forehead", "face")  # no transient contact is permitted
NECK, ACCEPTED = "neck", "accepted"
_KEYS = ("stiffness", "mass", "force", "transient_force")
_ABOVE_0 = Entry(above=0.0)


class PersonError(PredictionError):
    """A region, or a request, that has no permitted answer."""

    is_wrong_input = True


class Region(NamedTuple):
    """A region of the body."""

    name: str
    stiffness: float  # [N/m]
    mass: float  # that moves if it is free [kg]
    force: float  # permissible in a contact that lasts, quasi-static [N]
    transient_force: float  # permissible up to 0.5 s [N]


def _region(name: str, stiffness: float, mass: float, force: float) -> Region:
    return Region(name, 1000.0 * stiffness, mass, force, TRANSIENT * force)


BUILT_IN = {  # N/mm, kg, N
    each[0]: _region(*each)
    for each in (
        (NECK, 50.0, 1.2, 150.0),
        ("back", 35.0, 40.0, 210.0),
        ("chest", 25.0, 40.0, 140.0),
        ("abdomen", 10.0, 40.0, 110.0),
        ("pelvis", 25.0, 40.0, 180.0),
        ("upper_arm", 30.0, 3.0, 150.0),
        ("lower_arm", 40.0, 2.0, 160.0),
        ("hand", 75.0, 0.6, 140.0),
        ("thigh", 50.0, 75.0, 220.0),
        ("lower_leg", 60.0, 75.0, 130.0),
    )
}


def region_named(name: str, table: dict[str, Region] = BUILT_IN) -> Region:
    """Return a region.

    Args:
        name: of the region; the neck only as "neck,accepted".
        table: of regions by name.

    Raises:
        PersonError: head or face, the neck without that word, or no such region.
    """
    plain, _, word = name.partition(",")
    if plain in REFUSED:
        raise PersonError(f"person: {plain}: no contact with head or face is permitted")
    if plain == NECK and word != ACCEPTED:
        raise PersonError(f"person: expected {NECK},{ACCEPTED} to plan contact with the neck")
    if plain not in table or (word and plain != NECK):
        raise PersonError(f"person: expected one of {', '.join(table)}, got {name!r}")
    return table[plain]


def read_regions(path: Path) -> dict[str, Region]:
    """Return the regions of a file of one's own, by name.

    Each has `stiffness` [N/m], `mass` [kg], `force` [N], and `transient_force` [N] (default: twice
    the force).

    Raises:
        RobotError: there is no such file, or an entry is wrong.
        PersonError: it has head or face, or no region.
    """
    mapping = read_mapping(path)
    entries, table = Entries(path, mapping, tuple(map(str, mapping))), {}
    for name in mapping:
        if name in REFUSED:
            raise PersonError(f"{path}: {name}: no contact with head or face is permitted")
        each = entries.section(name, _KEYS)
        force = each.number("force", allowed=_ABOVE_0)
        table[name] = Region(
            name,
            each.number("stiffness", allowed=_ABOVE_0),
            each.number("mass", allowed=_ABOVE_0),
            force,
            each.number("transient_force", TRANSIENT * force, _ABOVE_0),
        )
    if not table:
        raise PersonError(f"{path}: expected regions, got none")
    return table
