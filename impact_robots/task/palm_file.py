# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Reads tasks in which a humanoid grabs boxes."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from impact_robots.exceptions import OutOfRangeError, TaskError
from impact_robots.task.like import Shipped, announced_in, with_like
from impact_robots.task.palm_task import PalmTask
from impact_robots.task.typed_entries import check_size, record_of
from impact_robots.validation import friction_range, restitution_range, stiffness_range

PALM_TASKS = Shipped(Path(__file__).parent / "palm_tasks.yaml", "tasks")
_LENGTHS = ("sole", "com_x", "palm_x", "palm_z", "half_width", "box_edges", "run_up", "lift")
WORLD = (  # entries that a scenario has besides: only a simulator reads them
    *("box_offset", "box_yaw", "box_com", "variation", "pedestal_half", "floor_friction"),
    *("contact_stiffness", "contact_damping", "ramp"),
)


def load_palm_task(name: str) -> PalmTask:
    """Return a task that ships with the suite.

    Raises:
        TaskError: there is none of that name; lists the choices.
    """
    return palm_task_of(name, PALM_TASKS.named(name), f"task {name}")


def palm_task_of(name: str, own: Mapping[str, Any], where: str) -> PalmTask:
    """Return the task of a mapping, which may be that of a scenario.

    Args:
        name: of the task.
        own: its entries; what it does not say is that of the task that it is ``like``, or a
            default. What it ``announced`` counts, whatever else it says of the same.
        where: they are from, for errors.

    Raises:
        TaskError: an entry is missing, unknown or wrong.
    """
    task = record_of(PalmTask, palm_entries(own, where) | {"name": name}, where)
    check_palm_task(task, where)
    return task


def palm_entries(own: Mapping[str, Any], where: str) -> dict[str, Any]:
    """Return all entries of a task but for the name; arguments as of :func:`palm_task_of`."""
    known = announced_in(own, WORLD, where)
    return PALM_TASKS.defaults | with_like(known, PALM_TASKS.own, PALM_TASKS.names(), where)


def check_palm_task(task: PalmTask, where: str) -> None:
    """Refuse a task whose numbers mean nothing.

    Raises:
        TaskError: one does not; says which.
    """
    for entry in _LENGTHS:
        check_size(getattr(task, entry), f"{where}: {entry}")
    check_size(task.base[0], f"{where}: base")
    for name, angle in task.posture.items():
        check_size(angle, f"{where}: posture: {name}", "rad")
    try:
        friction_range(task.friction)
        friction_range(task.friction_range or task.friction)
        restitution_range(task.restitution)
        stiffness_range(task.stiffness)
    except OutOfRangeError as error:
        raise TaskError(f"{where}: {error}") from None
    if not task.box_masses:
        raise TaskError(f"{where}: box_masses: expected at least one")
