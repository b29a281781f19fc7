# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Parameters on a rclpy node. Imported by `parameters.declare` only."""

from __future__ import annotations

import math
from typing import Any, TypeVar

from rcl_interfaces.msg import (
    FloatingPointRange,
    IntegerRange,
    ParameterDescriptor,
    SetParametersResult,
)
from rclpy.parameter import Parameter

from impact_ros.exceptions import ParameterError
from impact_ros.specification import Specification, assembled, misspelt, specifications

Parameters = TypeVar("Parameters")

LIST_TYPES = {
    bool: Parameter.Type.BOOL_ARRAY,
    int: Parameter.Type.INTEGER_ARRAY,
    float: Parameter.Type.DOUBLE_ARRAY,
    str: Parameter.Type.STRING_ARRAY,
}
INTEGER_LIMIT = 2**63 - 1


def declare_on(node: Any, cls: type[Parameters]) -> Parameters:
    """Declare the parameters, as described at `parameters.declare`."""
    known = specifications(cls, moved=True)
    values = {name: _value(node, item) for name, item in known.items()}
    instance = assembled(cls, values)  # before anything is declared: it may check values together
    for name, item in known.items():
        if item.moved and name not in node._parameter_overrides:
            continue
        if item.moved:
            node.get_logger().warning(f"parameter {name}: deprecated, set {name} {item.moved}")
        _declare(node, item, values[name])
    _warn_unknown(node)
    if any(not item.read_only for item in known.values()):
        node.add_on_set_parameters_callback(lambda changed: _check_changes(known, changed))
    return instance


def _value(node: Any, item: Specification) -> Any:
    """Read the override with any type: `-p x:=1` is an integer, also for a double."""
    if item.name in node._parameter_overrides:  # no public accessor in rclpy
        given = node._parameter_overrides[item.name].value
        # The type of an empty YAML list is unknown: it arrives as None.
        return item.convert([] if given is None and item.is_list else given)
    return item.convert(item.default)


def _declare(node: Any, item: Specification, value: Any) -> None:
    descriptor = _descriptor(item)
    if item.is_list and not value:
        # rclpy takes an empty list for bytes: declare the type alone.
        given: Any = LIST_TYPES[item.element]
    else:
        given = list(value) if item.is_list else value
    node.declare_parameter(item.name, given, descriptor, ignore_override=True)


def _descriptor(item: Specification) -> Any:
    description = item.description + (f" Unit: {item.unit}." if item.unit else "")
    descriptor = ParameterDescriptor(
        name=item.name,
        description=description,
        read_only=item.read_only,
        additional_constraints=f"Expected: {item.expected(item.kind)}.",
    )
    bounded = item.low is not None or item.high is not None
    if bounded and not item.is_list and item.element in (int, float):
        _add_range(descriptor, item)
    return descriptor


def _add_range(descriptor: Any, item: Specification) -> None:
    if item.element is int:
        first = -INTEGER_LIMIT if item.low is None else int(item.low)
        last = INTEGER_LIMIT if item.high is None else int(item.high)
        descriptor.integer_range = [IntegerRange(from_value=first, to_value=last, step=1)]
    elif math.isfinite(item.default):  # rclpy's own check refuses NaN, which stands for unknown
        low = -math.inf if item.low is None else float(item.low)
        high = math.inf if item.high is None else float(item.high)
        descriptor.floating_point_range = [FloatingPointRange(from_value=low, to_value=high)]


def _warn_unknown(node: Any) -> None:
    declared = list(node.list_parameters([], 0).names)
    for line in misspelt(node._parameter_overrides, declared):
        node.get_logger().warning(f"parameter {line}")


def _check_changes(known: dict[str, Specification], changed: list[Any]) -> Any:
    try:
        for item in changed:
            if item.name in known:
                known[item.name].convert(item.value)
    except ParameterError as error:
        return SetParametersResult(successful=False, reason=str(error))
    return SetParametersResult(successful=True)
