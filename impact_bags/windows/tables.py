# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Recorded items as tables of columns with unit and frame, and back (doc/windows.md)."""

from __future__ import annotations

import heapq
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from operator import itemgetter
from typing import Any, NamedTuple

import numpy as np

from impact_bags.reading.recording import Force, Item, RecordedReference
from impact_detector.attribution.expectation import Announcement
from impact_detector.signals.sample import ForceSample, JointSample
from impact_robots import Robot, Surface

SENSOR = "axes of the sensor"  # frame of forces
Placed = tuple[int, int, Item]  # number of the window, place among the recording's items, item
Numbered = Iterator[tuple[int, Item]]  # place, item
Values = Mapping[str, np.ndarray]  # of a table, by column


class WindowColumn(NamedTuple):
    """One column: a number, truth value or text per row."""

    values: np.ndarray  # shape (rows,): int64, float64, bool or objects (texts)
    unit: str = ""  # "" for none
    frame: str = ""  # axes of a vector, or the joint; "" for none
    about: str = ""  # what it is


Table = dict[str, WindowColumn]


def tables_of(placed: Sequence[Placed], robot: Robot) -> dict[str, Table]:
    """Return the tables of recorded items, also those without rows.

    Args:
        placed: items with window and place, in recorded order.
        robot: the arm.
    """
    rows: dict[type, list[Placed]] = {
        kind: [] for kind in (JointSample, RecordedReference, Force, Announcement)
    }
    for each in placed:
        rows[type(each[2])].append(each)
    return {
        "joints": _joints(rows[JointSample], robot),
        "reference": _reference(rows[RecordedReference], robot),
        "force": _force(rows[Force]),
        "announcements": _announcements(rows[Announcement], robot),
    }


def items_of(tables: Mapping[str, Values], joints: int, window: int) -> Iterator[Item]:
    """Yield the items of a window in the order in which they were recorded.

    Args:
        tables: values by table and column.
        joints: number n of the robot's joints.
        window: its number.
    """
    own = {
        name: {key: column[table["window"] == window] for key, column in table.items()}
        for name, table in tables.items()
        if name in ("joints", "reference", "force", "announcements")
    }
    streams = (
        _joint_items(own["joints"], joints),
        _reference_items(own["reference"], joints),
        _force_items(own["force"]),
        _announcement_items(own["announcements"]),
    )
    for _, item in heapq.merge(*streams, key=itemgetter(0)):
        yield item


def vector_columns(
    name: str, rows: Sequence[Any] | np.ndarray, unit: str, frame: str, about: str
) -> Table:
    """Return the columns name_x_unit, name_y_unit, name_z_unit of vectors (rows, 3)."""
    names, values = _vector(name, unit), np.asarray(rows, dtype=float).reshape(-1, 3)
    return {
        key: WindowColumn(values[:, k], unit, frame, f"{about}, {axis}")
        for k, (key, axis) in enumerate(zip(names, "xyz", strict=True))
    }


def joint_columns(
    name: str, rows: Sequence[Any] | np.ndarray, unit: str, robot: Robot, about: str
) -> Table:
    """Return the columns name1_unit to namen_unit of values of the joints (rows, n)."""
    values = np.asarray(rows, dtype=float).reshape(-1, robot.dof)
    return {
        key: WindowColumn(values[:, k], unit, robot.joint_names[k], about)
        for k, key in enumerate(_per_joint(name, unit, robot.dof))
    }


_SUFFIXES = {"N.m": "nm", "rad/s": "radps", "m/s": "mps", "N.s": "ns", "N/m": "npm", "N": "n"}


def suffix(unit: str) -> str:
    """Return the end of the name of a column with a unit."""
    return "_" + _SUFFIXES.get(unit, unit) if unit else ""


def _vector(name: str, unit: str) -> list[str]:
    return [f"{name}_{axis}{suffix(unit)}" for axis in "xyz"]


def _per_joint(name: str, unit: str, joints: int) -> list[str]:
    return [f"{name}{i}{suffix(unit)}" for i in range(1, joints + 1)]


def _stacked(table: Values, names: Sequence[str]) -> np.ndarray:
    """Return columns side by side, shape (rows, len(names))."""
    return np.column_stack([np.asarray(table[name], dtype=float) for name in names])


def _places(rows: Sequence[Placed], times: Sequence[int]) -> Table:
    """Return the columns that every table of items begins with."""
    return {
        "window": WindowColumn(
            np.array([w for w, _, _ in rows], np.int64), about="number of the window"
        ),
        "item": WindowColumn(
            np.array([n for _, n, _ in rows], np.int64),
            about="place among all items of the recording; the order in which they are read back",
        ),
        "time_ns": WindowColumn(np.array(times, np.int64), "ns", about="stamp of the measurement"),
    }


def _or_nan(values: np.ndarray | None, joints: int) -> np.ndarray:
    return np.full(joints, np.nan) if values is None else values


def _known(values: Sequence[np.ndarray | None], about: str) -> WindowColumn:
    return WindowColumn(np.array([each is not None for each in values], bool), about=about)


def _joints(rows: Sequence[Placed], robot: Robot) -> Table:
    samples: list[Any] = [item for _, _, item in rows]
    torques = [_or_nan(each.tau, robot.dof) for each in samples]
    measured = "measured torque, gravity included"
    return {
        **_places(rows, [each.time for each in samples]),
        **joint_columns("q", [s.q for s in samples], "rad", robot, "measured position"),
        **joint_columns("dq", [s.dq for s in samples], "rad/s", robot, "measured velocity"),
        **joint_columns("tau", torques, "N.m", robot, measured),
        "has_torque": _known([each.tau for each in samples], "torques were recorded"),
    }


def _joint_items(table: Values, joints: int) -> Numbered:
    q, dq, tau = (
        _stacked(table, _per_joint(name, unit, joints))
        for name, unit in (("q", "rad"), ("dq", "rad/s"), ("tau", "N.m"))
    )
    known = table["has_torque"].tolist()
    for k, (place, time) in enumerate(_times(table)):
        yield place, JointSample(time, q[k], dq[k], tau[k] if known[k] else None)


def _times(table: Values) -> Iterator[tuple[int, int]]:
    """Yield place and time [ns] of each row."""
    return zip(table["item"].tolist(), table["time_ns"].tolist(), strict=True)


def _reference(rows: Sequence[Placed], robot: Robot) -> Table:
    items: list[Any] = [item for _, _, item in rows]
    torques = [_or_nan(each.torque, robot.dof) for each in items]
    velocities = [_or_nan(each.velocity, robot.dof) for each in items]
    return {
        **_places(rows, [each.time for each in items]),
        **joint_columns("tau_ref", torques, "N.m", robot, "desired torque, as recorded"),
        **joint_columns("dq_ref", velocities, "rad/s", robot, "desired velocity"),
        "has_torque": _known([each.torque for each in items], "torques were recorded"),
        "has_velocity": _known([each.velocity for each in items], "velocities were recorded"),
    }


def _reference_items(table: Values, joints: int) -> Numbered:
    tau, dq = (
        _stacked(table, _per_joint(name, unit, joints))
        for name, unit in (("tau_ref", "N.m"), ("dq_ref", "rad/s"))
    )
    known = zip(table["has_torque"].tolist(), table["has_velocity"].tolist(), strict=True)
    for k, ((place, time), (torque, speed)) in enumerate(zip(_times(table), known, strict=True)):
        yield place, RecordedReference(time, tau[k] if torque else None, dq[k] if speed else None)


def _force(rows: Sequence[Placed]) -> Table:
    """Return a row per sample; the samples of one batch have the same item."""
    every: list[tuple[Placed, Any, int]] = [
        (each, each[2], k)
        for each in rows
        for k in range(len(each[2].sample.force))  # type: ignore[union-attr]
    ]
    times = [item.sample.time + k * item.sample.period for _, item, k in every]
    forces = [item.sample.force[k] for _, item, k in every]
    return {
        **_places([each for each, _, _ in every], times),
        **vector_columns("force", forces, "N", SENSOR, "on the robot"),
        "period_ns": WindowColumn(
            np.array([item.sample.period for _, item, _ in every], np.int64),
            "ns",
            about="between the samples of a batch; without meaning for a single one",
        ),
        "source": WindowColumn(
            np.array([item.source for _, item, _ in every], object), about="topic of the sensor"
        ),
    }


def _force_items(table: Values) -> Numbered:
    force, places = _stacked(table, _vector("force", "N")), table["item"]
    cuts = np.flatnonzero(np.diff(places)) + 1
    for first, end in pairwise([0, *cuts.tolist(), len(places)] if len(places) else []):
        sample = ForceSample(
            int(table["time_ns"][first]), force[first:end], int(table["period_ns"][first])
        )
        yield int(places[first]), Force(sample, str(table["source"][first]))


_RANGES = {"friction": "", "restitution": "", "stiffness": "N/m"}


def _announcements(rows: Sequence[Placed], robot: Robot) -> Table:
    items: list[Any] = [item for _, _, item in rows]
    surfaces = [each.surface for each in items]
    nothing, base = np.full(3, np.nan), robot.base_frame
    points = [nothing if s is None or s.point is None else s.point for s in surfaces]
    normals = [nothing if s is None else s.normal for s in surfaces]
    table = {
        **_places(rows, [each.time for each in items]),
        "withdrawn": WindowColumn(
            np.array([s is None for s in surfaces], bool), about="no impact is announced any more"
        ),
        "start_ns": WindowColumn(
            np.array([e.start for e in items], np.int64), "ns", about="the contact begins after it"
        ),
        "end_ns": WindowColumn(
            np.array([-1 if each.end is None else each.end for each in items], np.int64),
            "ns",
            about="the contact begins before it, if has_end",
        ),
        "has_end": _known([each.end for each in items], "otherwise until the next announcement"),
        "frame": WindowColumn(
            np.array([each.frame for each in items], object),
            about="of the contact point; empty: the robot's contact frame",
        ),
        **vector_columns("offset", [e.offset for e in items], "m", "frame", "contact point"),
        **vector_columns("point", points, "m", base, "any point of the surface, NaN: unknown"),
        **vector_columns("normal", normals, "", base, "outward normal of the surface"),
    }
    for name, unit in _RANGES.items():
        for k, end in enumerate(("low", "high")):
            values = [np.nan if s is None else getattr(s, name)[k] for s in surfaces]
            key = f"{name}_{end}{suffix(unit)}"
            table[key] = WindowColumn(np.array(values, float), unit, about=f"{end} end of {name}")
    return table


def _announcement_items(table: Values) -> Numbered:
    offset, point, normal = (
        _stacked(table, _vector(name, unit))
        for name, unit in (("offset", "m"), ("point", "m"), ("normal", ""))
    )
    ranges = {
        name: _stacked(table, [f"{name}_{end}{suffix(unit)}" for end in ("low", "high")])
        for name, unit in _RANGES.items()
    }
    for k, (place, time) in enumerate(_times(table)):
        surface = None
        if not table["withdrawn"][k]:
            known = bool(np.isfinite(point[k]).all())
            bounds = {name: (float(row[k][0]), float(row[k][1])) for name, row in ranges.items()}
            surface = Surface(point[k] if known else None, normal[k], **bounds)
        yield (
            place,
            Announcement(
                time,
                surface,
                int(table["start_ns"][k]),
                int(table["end_ns"][k]) if table["has_end"][k] else None,
                str(table["frame"][k]),
                (float(offset[k][0]), float(offset[k][1]), float(offset[k][2])),
            ),
        )
