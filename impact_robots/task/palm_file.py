# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Reads tasks in which a humanoid grabs boxes."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from impact_robots.exceptions import OutOfRangeError, TaskError
from impact_robots.task.like import announced_in, check_name, with_like
from impact_robots.task.palm_task import LIMITS_OF_GRABS, PalmTask
from impact_robots.task.typed_entries import check_angle, check_length, record_of
from impact_robots.validation import friction_range, restitution_range
from impact_robots.yaml_file import read_mapping

_FILE = Path(__file__).parent / "palm_tasks.yaml"
_POSITIVE = (
    *("half_width", "box_edges", "box_masses", "reference_speed", "reference_ramp", "run_up"),
    "grip_force",
)
_LENGTHS = ("sole", "com_x", "palm_x", "palm_z", "half_width", "box_edges", "run_up", "lift")
WORLD = (  # entries that a scenario has besides: only a simulator reads them
    *("box_offset", "box_yaw", "box_com", "variation", "pedestal_half", "floor_friction"),
    *("contact_stiffness", "contact_damping", "ramp"),
)


@cache
def _shipped() -> dict[str, Any]:
    return read_mapping(_FILE)


def palm_task_names() -> tuple[str, ...]:
    """Return the names of the tasks that ship with the suite; scenarios have the same."""
    return tuple(_shipped()["tasks"])


def shipped_palm_task(name: str) -> dict[str, Any]:
    """Return what a task that ships with the suite says of itself."""
    return dict(_shipped()["tasks"][name])


def load_palm_task(name: str) -> PalmTask:
    """Return a task that ships with the suite.

    Raises:
        TaskError: there is none of that name; lists the choices.
    """
    check_name(name, palm_task_names(), "task")
    return palm_task_of(name, shipped_palm_task(name), f"task {name}")


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
    return _shipped()["defaults"] | with_like(known, shipped_palm_task, palm_task_names(), where)


def check_palm_task(task: PalmTask, where: str) -> None:
    """Refuse a task whose numbers mean nothing.

    Raises:
        TaskError: one does not; says which.
    """
    if task.impact_limits not in LIMITS_OF_GRABS:
        choices = ", ".join(LIMITS_OF_GRABS)
        got = task.impact_limits
        raise TaskError(f"{where}: impact_limits: expected one of {choices}, got {got!r}")
    for entry in _POSITIVE:
        if (got := np.min(getattr(task, entry), initial=np.inf)) <= 0.0:
            raise TaskError(f"{where}: {entry}: expected a number above 0, got {got:g}")
    for entry in _LENGTHS:
        check_length(getattr(task, entry), f"{where}: {entry}")
    check_length(task.base[0], f"{where}: base")
    for name, angle in task.posture.items():
        check_angle(angle, f"{where}: posture: {name}")
    try:
        friction_range(task.friction)
        friction_range(task.friction_range or task.friction)
        restitution_range(task.restitution)
    except OutOfRangeError as error:
        raise TaskError(f"{where}: {error}") from None
    if not task.box_masses:
        raise TaskError(f"{where}: box_masses: expected at least one")
