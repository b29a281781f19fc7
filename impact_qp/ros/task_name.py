# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""The task of a node."""

from __future__ import annotations

from typing import Protocol

from rclpy.node import Node

from impact_robots.exceptions import TaskError


class TaskNames(Protocol):
    """Parameters of a node that executes a task."""

    @property
    def task(self) -> str:
        """A task by name or file."""

    @property
    def scenario(self) -> str:
        """Its former name."""


def task_name(node: Node, settings: TaskNames) -> str:
    """Return the name or the file of a node's task.

    Raises:
        TaskError: none is given, or two are.
    """
    if settings.task and settings.scenario:
        got = f"{settings.task!r} and {settings.scenario!r}"
        raise TaskError(f"task: expected no scenario beside it, got {got}")
    if settings.scenario:
        node.get_logger().warning("parameter scenario: is called task now")
    if not (name := settings.task or settings.scenario):
        raise TaskError("task: expected a task's name or its YAML, got none")
    return name
