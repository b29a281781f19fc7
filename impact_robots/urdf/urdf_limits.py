# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Limits of a robot's YAML against those of its URDF: none larger, unless it is meant."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from impact_robots.entries import Entries
from impact_robots.exceptions import RobotError

BEYOND = "limits_beyond_urdf"
_ROUNDED = 1e-3  # of a limit: tables and URDFs round differently
_NEAR = 0.05  # of a factor between two units
_UNITS = ((180.0 / np.pi, "degrees"), (1000.0, "thousandths of the unit"))


class UrdfLimit(NamedTuple):
    """A limit of the YAML and the URDF's, shape (n,) each; NaN is unknown."""

    key: str
    own: np.ndarray
    urdf: np.ndarray
    sign: float = 1.0  # -1: a lower limit, of which less is wider


def check_against_urdf(
    entries: Entries, joints: tuple[str, ...], compared: tuple[UrdfLimit, ...]
) -> None:
    """Refuse limits that are wider than the URDF's, unless the YAML says that this is meant.

    A factor of another unit is refused in any case.

    Raises:
        RobotError: says which joint, both limits, and a unit that was probably meant.
    """
    meant = entries.flag(BEYOND, False)
    for key, own, urdf, sign in compared:
        if key not in entries:
            continue
        for joint, value, limit in zip(joints, own, urdf, strict=True):
            if not sign * (value - limit) > _ROUNDED * abs(limit):
                continue  # or the URDF's is not known
            unit = _unit(value, limit)
            if meant and not unit:
                continue
            hint = f": is it in {unit}?" if unit else f" ({BEYOND}: true allows what is meant)"
            word = "most" if sign > 0.0 else "least"
            raise RobotError(
                f"{entries.where(key)}: expected at {word} the URDF's {limit:g} of {joint},"
                f" got {value:g}{hint}"
            )


def _unit(value: float, limit: float) -> str:
    """Return the unit that a limit was probably given in, "" if none explains it."""
    for factor, unit in _UNITS:
        if limit != 0.0 and abs(value / limit / factor - 1.0) < _NEAR:
            return unit
    return ""
