# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Reads a table of surface normals, one per recording."""

from __future__ import annotations

from pathlib import Path

from impact_bags.exceptions import RecordingError
from impact_bags.reading.csv_rows import csv_rows
from impact_robots import RobotError, contact_rotation
from impact_robots.exceptions import UsageError

COLUMNS = ("recording", "normal_x", "normal_y", "normal_z")
Normals = dict[str, tuple[float, float, float]]


def read_normals(path: str | Path) -> Normals:
    """Return the normals in a CSV ``recording,normal_x,normal_y,normal_z``, by recording.

    They point out of the surface, in base axes; other columns are left alone.

    Raises:
        UsageError: the file cannot be read, lacks a column or a row, names a recording twice, or
            holds what is no normal.
    """
    try:
        rows = list(csv_rows(Path(path)))
    except RecordingError as error:
        raise UsageError(f"--normals: {error}") from None
    header = [name.strip() for name in rows[0][1]] if rows else []
    if not set(COLUMNS) <= set(header):
        got = ", ".join(header[:8]) or "nothing"
        raise UsageError(f"--normals: {path}: expected columns {', '.join(COLUMNS)}, got {got}")
    found: Normals = {}
    for number, row in rows[1:]:
        where = f"--normals: {path}, line {number}"
        if len(row) != len(header):
            raise UsageError(f"{where}: expected {len(header)} fields, got {len(row)}")
        name, *vector = (row[header.index(column)].strip() for column in COLUMNS)
        if name in found:
            raise UsageError(f"{where}: duplicate recording {name!r}")
        found[name] = _normal(where, vector)
    return found


def _normal(where: str, fields: list[str]) -> tuple[float, float, float]:
    try:
        x, y, z = map(float, fields)
        contact_rotation((x, y, z))
    except (ValueError, RobotError) as error:
        raise UsageError(f"{where}: expected a normal: {error}") from None
    return x, y, z
