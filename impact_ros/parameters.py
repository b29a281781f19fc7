# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Parameters of a node: one frozen dataclass defines them for ROS and the documentation.

Example:
    @dataclass(frozen=True)
    class DetectorParameters:
        threshold: float = parameter(2.5, "Sum of torque errors that is an impact.", unit="N.m",
                                     low=0.0)

    self.parameters = declare(self, DetectorParameters)

Everything but `declare` works without ROS.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from math import isnan
from pathlib import Path
from typing import Any, TypeVar

from impact_robots.description.loader import absolute, load_robot
from impact_robots.robot import Robot
from impact_robots.task.find import find_tool
from impact_robots.tools.tool import with_tool
from impact_robots.validation import HEAVIEST
from impact_ros.exceptions import ParameterError
from impact_ros.specification import (
    Specification,
    assembled,
    misspelt,
    parameter,
    parameters_of,
    specifications,
)

_NAN = float("nan")


@dataclass(frozen=True)
class RobotParameters:
    """Base of a node's parameters: which robot."""

    robot: str = parameter("panda", "Name of a robot of the suite, or path of its YAML.")
    urdf: str = parameter("", "Path of a URDF that replaces the robot's own; empty: its own.")
    joint_prefix: str = parameter(
        "", "Prefix of joint names that replaces the robot's own, such as fr3_; empty: its own."
    )

    payload: tuple[float, float] = parameter(
        (_NAN, _NAN),
        "Lowest and highest mass at the contact point beside the tool; NaN: the robot's own.",
        unit="kg",
        low=0.0,
        high=HEAVIEST,
    )

    tool: str = parameter(
        "",
        "YAML with an entry tool, or the task file of a strike: what strikes, in place of the"
        " robot's own tool (doc/hitting_hardest.md); empty: the robot's own.",
    )

    def with_absolute_paths(self) -> RobotParameters:
        """Return the parameters with absolute paths of the robot's files."""
        urdf = self.urdf and str(Path(self.urdf).resolve())
        return replace(self, robot=absolute(self.robot), urdf=urdf, tool=absolute(self.tool))

    def load_robot(self) -> Robot:
        """Return the robot.

        Raises:
            ImpactError: It cannot be loaded, or not carry the payload.
        """
        robot = self.bare_robot()
        if not self.tool:
            return robot
        if not isnan(self.payload[0]):
            raise ParameterError("payload", "expected none beside a tool")
        tool = find_tool(self.tool)
        return with_tool(robot, tool, tool.nominal.mass)

    def bare_robot(self) -> Robot:
        """Return the robot without the ``tool``; raises as :meth:`load_robot`."""
        return load_robot(
            self.robot,
            urdf=self.urdf or None,
            joint_prefix=self.joint_prefix or None,
            payload=None if isnan(self.payload[0]) else self.payload,
        )


__all__ = [
    "ParameterError",
    "Specification",
    "current",
    "declare",
    "describe",
    "from_values",
    "misspelt",
    "of_node",
    "parameter",
    "parameters_of",
    "specifications",
]

Parameters = TypeVar("Parameters")


def from_values(cls: type[Parameters], values: Mapping[str, Any]) -> Parameters:
    """Make the dataclass from some values, and defaults for the rest.

    Args:
        cls: Dataclass of parameters.
        values: Values by name.

    Returns:
        The checked instance.

    Raises:
        ParameterError: A name is unknown, or a value does not fit.
    """
    known = specifications(cls, moved=True)
    for line in misspelt(values, known):
        raise ParameterError(*line.split(": ", 1))
    return assembled(cls, {name: known[name].convert(value) for name, value in values.items()})


def of_node(document: object, node: str) -> Any:
    """Return the parameters of a node, in any namespace, in a parameter file's content.

    Args:
        document: content of the YAML.
        node: name of the node.

    Returns:
        The entry ``ros__parameters``, None if the file has no such node.
    """
    for name, content in document.items() if isinstance(document, Mapping) else ():
        if str(name).split("/")[-1] == node and isinstance(content, Mapping):
            return content.get("ros__parameters")
    return None


def describe(cls: type) -> str:
    """Write the parameters as a markdown table, for the documentation.

    Args:
        cls: Dataclass of parameters.

    Returns:
        The table, one row per parameter, ending with a newline.
    """
    rows = [
        "| parameter | type | default | range | unit | description |",
        "|---|---|---|---|---|---|",
    ]
    rows += [_row(item) for item in specifications(cls).values()]
    return "\n".join(rows) + "\n"


def _row(item: Specification) -> str:
    kind = {bool: "bool", int: "int", float: "double", str: "string"}[item.element]
    cells = [
        f"`{item.name}`",
        kind + ("[]" if item.is_list else ""),
        f"`{_default_text(item.default)}`",
        _range_text(item),
        item.unit,
        item.description + ("" if item.read_only else " Can be changed at run time."),
    ]
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"


def _default_text(value: Any) -> str:
    if isinstance(value, tuple):
        return "[" + ", ".join(_default_text(element) for element in value) + "]"
    if isinstance(value, bool):
        return str(value).lower()
    return ".nan" if isinstance(value, float) and math.isnan(value) else str(value) or '""'


def _range_text(item: Specification) -> str:
    if item.choices is not None:
        return ", ".join(f"`{choice}`" for choice in item.choices)
    if item.low is None:
        return "" if item.high is None else f"<= {item.high:g}"
    return f">= {item.low:g}" if item.high is None else f"{item.low:g} .. {item.high:g}"


def declare(node: Any, cls: type[Parameters]) -> Parameters:
    """Declare all parameters on a node and return their checked values.

    Overrides that name no parameter are warned about. Parameters that are not read-only refuse a
    bad value at run time with the same line; `from_values` of the new values makes a new instance.

    Args:
        node: A rclpy Node or LifecycleNode.
        cls: Dataclass of parameters.

    Returns:
        The instance, with overrides applied.

    Raises:
        ParameterError: An override does not fit.
    """
    from impact_ros.declaration import declare_on

    return declare_on(node, cls)


def current(node: Any, cls: type[Parameters]) -> Parameters:
    """Return the parameters of a node as they are now, of those that :func:`declare` declared.

    Args:
        node: A rclpy Node or LifecycleNode.
        cls: Dataclass of parameters.
    """
    names = [name for name in specifications(cls, moved=True) if node.has_parameter(name)]
    return from_values(cls, {name: node.get_parameter(name).value for name in names})
