# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Specification of a node parameter, and the check of its values. Needs no ROS."""

from __future__ import annotations

import difflib
import math
import typing
from collections.abc import Iterable, Mapping
from dataclasses import MISSING, dataclass, field, fields
from functools import cache
from typing import Any

import numpy as np

from impact_robots.entry import SCALARS, Entry
from impact_ros.exceptions import ParameterError

# Overrides that nodes take from rclpy itself.
OWN_OF_RCLPY = ("use_sim_time", "start_type_description_service", "qos_overrides.")
Parameters = typing.TypeVar("Parameters")


@dataclass(frozen=True)
class Specification(Entry):
    """One parameter of a node.

    Attributes:
        name: Name, as declared.
        element: bool, int, float or str: the type of the value, or of a list's elements.
        is_list: The value is a list (a tuple in Python) of elements.
        default: Value without an override.
        read_only: Fixed once the node was started.
        moved: Replacement of a deprecated parameter; empty: not deprecated.
        is_range: It is a list of two, lowest and highest; one number stands for both.
    """

    name: str
    element: type
    is_list: bool
    default: Any
    read_only: bool = True
    moved: str = ""
    is_range: bool = False

    @property
    def kind(self) -> str:
        """Type of a value, in words."""
        element = SCALARS[self.element]
        if self.is_range:
            return f"low,high or one number, each {element}"
        return f"a list, each element {element}" if self.is_list else element

    def convert(self, value: Any) -> Any:
        """Return the value in the parameter's own type, checked.

        Integers do for numbers, lists come out as tuples, one number of a range as both its ends. A
        number must be finite, unless the default is the same special value (NaN stands for unknown
        then).

        Args:
            value: What a user gave.

        Returns:
            bool, int, float or str, or a tuple of these.

        Raises:
            ParameterError: Wrong type, out of range, or not one of the choices.
        """
        if not self.is_list:
            return self._convert_element(value, value)
        if self.is_range:
            return self._convert_range(value)
        if isinstance(value, (str, bytes)) or not hasattr(value, "__iter__"):
            raise self._error(value)
        return tuple(self._convert_element(element, value) for element in value)

    def _convert_range(self, value: Any) -> tuple[Any, Any]:
        """Return lowest and highest of a range."""
        scalar = isinstance(value, (str, bytes)) or not hasattr(value, "__iter__")
        ends = tuple(self._convert_element(end, value) for end in ((value,) if scalar else value))
        if len(ends) != (1 if scalar else 2) or ends[0] > ends[-1]:
            raise ParameterError(self.name, f"expected low,high, got {list(ends)}")
        return ends[0], ends[-1]

    def _convert_element(self, element: Any, given: Any) -> Any:
        if isinstance(element, np.generic):
            element = element.item()  # a NumPy number is a number
        if self.element is float and type(element) is int:
            element = _as_float(element)
        if type(element) is not self.element or not self._allows(element):
            raise self._error(given)
        return element

    def _allows(self, element: Any) -> bool:
        if isinstance(element, float) and not math.isfinite(element):
            return self._is_special_default(element)
        return self.allows(element)

    def _is_special_default(self, element: float) -> bool:
        defaults = self.default if self.is_list else (self.default,)
        return any(
            element == default or (math.isnan(element) and math.isnan(default))
            for default in defaults
        )

    def _error(self, value: Any) -> ParameterError:
        return ParameterError(self.name, self.line(self.kind, value))


def _as_float(number: int) -> float:
    try:
        return float(number)
    except OverflowError:
        return math.inf


def parameter(
    default: Any, description: str, *, read_only: bool = True, moved: str = "", **options: Any
) -> Any:
    """Declare one parameter as a field of a frozen dataclass.

    The annotation gives its type: bool, int, float, str, or tuple[float, ...] and the like;
    tuple[float, float] is a range, lowest and highest.

    Args:
        default: Value without an override; float("nan") stands for unknown.
        description: What it does, one sentence.
        read_only: Fixed once the node was started.
        moved: Replacement, for a deprecated parameter that the next release removes.
        **options: Attributes of :class:`impact_robots.entry.Entry`: unit, low, high, choices; a
            registry that grows stays one.

    Returns:
        A dataclasses.field with the rest as its metadata.
    """
    metadata = vars(Entry(description=description, **options))
    return field(
        default=tuple(default) if isinstance(default, list) else default,
        metadata=metadata | {"read_only": read_only, "moved": moved},
    )


def parameters_of(members: typing.Callable[[], Iterable[Specification]]) -> Any:
    """Declare parameters that are known only at run time, as one field of a dataclass.

    The field is a mapping by name of the values that were given; it is empty by default.

    Args:
        members: returns the parameters, each of its own name.

    Returns:
        A dataclasses.field.
    """
    return field(default_factory=dict, metadata={"members": members})


def assembled(cls: type[Parameters], values: Mapping[str, Any]) -> Parameters:
    """Return the dataclass of checked values by the names of its parameters."""
    rest = dict(values)
    for item in fields(cls):  # type: ignore[arg-type]
        if (members := item.metadata.get("members")) is not None:
            names = [each.name for each in members()]
            rest[item.name] = {name: rest.pop(name) for name in names if name in rest}
    return cls(**rest)


_hints = cache(typing.get_type_hints)  # of a class; half of the time


def specifications(cls: type, *, moved: bool = False) -> dict[str, Specification]:
    """List the parameters of a dataclass, in order, by name.

    Args:
        cls: Dataclass whose fields were made by `parameter`.
        moved: Include deprecated parameters.

    Returns:
        One specification per field, or per member of a field made by `parameters_of`.

    Raises:
        TypeError: A field was not made by `parameter`, or has an annotation that ROS cannot carry,
            or a default that does not fit its own specification.
    """
    hints = _hints(cls)
    found: dict[str, Specification] = {}
    for item in fields(cls):
        if (members := item.metadata.get("members")) is not None:
            found |= {each.name: each for each in members()}
        else:
            found[item.name] = _specification(item, hints[item.name])
    return {name: item for name, item in found.items() if moved or not item.moved}


def _specification(item: Any, hint: Any) -> Specification:
    is_list = typing.get_origin(hint) in (tuple, list)
    element = typing.get_args(hint)[0] if is_list else hint
    if element not in SCALARS or "description" not in item.metadata or item.default is MISSING:
        raise TypeError(
            f"{item.name}: expected a field made by parameter() with type bool, int, float, str "
            f"or a tuple of one of them, got {hint!r}"
        )
    metadata = dict(item.metadata)
    if metadata["choices"] is not None:
        metadata["choices"] = tuple(metadata["choices"])
    metadata["is_range"] = typing.get_args(hint) == (element, element)
    specification = Specification(item.name, element, is_list, item.default, **metadata)
    try:
        specification.convert(item.default)
    except ParameterError as error:
        raise TypeError(f"default of {error}") from error
    return specification


def misspelt(given: Iterable[str], known: Iterable[str]) -> list[str]:
    """List unknown names with the closest known name.

    Args:
        given: Names of overrides.
        known: Names of declared parameters.

    Returns:
        One line per unknown name, "name: expected ...".
    """
    known = [name for name in known if not name.startswith(OWN_OF_RCLPY)]
    lines = []
    for name in given:
        if name in known or name.startswith(OWN_OF_RCLPY):
            continue
        near = difflib.get_close_matches(name, known, n=1)
        hint = f"did you mean {near[0]}?" if near else f"known: {', '.join(known)}"
        lines.append(f"{name}: unknown, {hint}")
    return lines
