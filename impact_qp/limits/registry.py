# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""The impact limits by name: one decorator makes a limit a choice wherever one can be chosen.

Example:
    @impact_limit("gentle", "at most 0.02 m/s, whatever the impulse", strictness=4)
    class GentleLimit(ImpactLimit):
        ...
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass
from typing import TypeVar

from impact_qp.exceptions import ControlError
from impact_qp.limits.impact import ImpactLimit
from impact_robots.registry import Registry

AUTO = "auto"  # joint_load where the robot gives what that needs, else robust
Kind = TypeVar("Kind", bound=type[ImpactLimit])


@dataclass(frozen=True)
class RegisteredLimit:
    """A kind of impact limit: a value of ``Plan.impact_limits`` and of the node's parameter.

    The constant of impact_msgs/ControllerStatus is ``IMPACT_LIMITS_`` and the name in capitals, or
    ``IMPACT_LIMITS_UNKNOWN`` where the message has none of that name.
    """

    name: str
    description: str  # which impulses it covers, one line
    strictness: float  # a goal may choose a limit of at least the node's
    limit: type[ImpactLimit] | None  # none: the impact is not limited


def _unknown(kind: str, name: str, choices: Iterable[str]) -> ControlError:
    return ControlError(f"{kind}: expected one of {', '.join(choices)}, got {name!r}")


IMPACT_LIMITS: Registry[RegisteredLimit] = Registry("impact_limits", _unknown)
IMPACT_LIMITS.register(RegisteredLimit("unaware", "none", 0.0, None))


class _Selectable(Collection[str]):
    """What can be chosen: "auto" and every kind that is registered by then."""

    def __contains__(self, name: object) -> bool:
        return name == AUTO or name in IMPACT_LIMITS

    def __iter__(self) -> Iterator[str]:
        return iter((AUTO, *IMPACT_LIMITS))

    def __len__(self) -> int:
        return 1 + len(IMPACT_LIMITS)


SELECTABLE = _Selectable()


def described() -> str:
    """Return all names with their descriptions in one line, for documentation."""
    return "; ".join(f"{each.name}: {each.description}" for each in IMPACT_LIMITS.values())


def impact_limit(name: str, description: str, *, strictness: float) -> Callable[[Kind], Kind]:
    """Return the decorator that registers a class of impact limits.

    ``ImpactLimit.for_interface`` makes the limit of a plan; override it for options of its own.

    Args:
        name: that plans, parameters and goals choose it by.
        description: which impulses it covers, one line.
        strictness: more than that of limits that a goal may not replace by this one; unaware 0,
            existential 1, nominal 2, robust 3, joint_load 4.

    Raises:
        NameTakenError: the name is taken.
    """

    def register(limit: Kind) -> Kind:
        IMPACT_LIMITS.register(RegisteredLimit(name, description, strictness, limit))
        return limit

    return register
