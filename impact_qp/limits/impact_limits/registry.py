# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""The impact limits by name: a decorator registers a limit as a choice everywhere.

Example:
    @impact_limit("gentle", "at most 0.02 m/s, whatever the impulse")
    class GentleLimit(ImpactLimit):
        ...
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass
from typing import TypeVar

from impact_qp.exceptions import ControlError
from impact_qp.limits.impact_limits.impact_limit import ImpactLimit
from impact_robots.registry import Registry

AUTO = "auto"  # joint_load if the robot defines the required values, else robust
Kind = TypeVar("Kind", bound=type[ImpactLimit])


@dataclass(frozen=True)
class RegisteredLimit:
    """A kind of impact limit: a value of ``Plan.impact_limits`` and of the node's parameter.

    The constant of impact_msgs/ControllerStatus is ``IMPACT_LIMITS_`` and the name in capitals, or
    ``IMPACT_LIMITS_UNKNOWN`` where the message has none of that name.
    """

    name: str
    description: str  # which impulses it covers, one line
    limit: type[ImpactLimit] | None  # none: the impact is not limited

    @property
    def bounds_every_impulse(self) -> bool:
        """Whether every admissible impulse respects the bounds, as a real arm requires."""
        return self.limit is not None and self.limit.every_impulse


def _unknown(kind: str, name: str, choices: Iterable[str]) -> ControlError:
    return ControlError(f"{kind}: expected one of {', '.join(choices)}, got {name!r}")


IMPACT_LIMITS: Registry[RegisteredLimit] = Registry("impact_limits", _unknown)
IMPACT_LIMITS.register(RegisteredLimit("unaware", "none", None))


class _Selectable(Collection[str]):
    """The choices: "auto" and every kind registered so far."""

    def __contains__(self, name: object) -> bool:
        return name == AUTO or name in IMPACT_LIMITS

    def __iter__(self) -> Iterator[str]:
        return iter((AUTO, *IMPACT_LIMITS))

    def __len__(self) -> int:
        return 1 + len(IMPACT_LIMITS)


class _OnARealArm(_Selectable):
    """Limits for a real arm: those that bound every admissible impulse."""

    def __contains__(self, name: object) -> bool:
        return any(name == each for each in self)

    def __iter__(self) -> Iterator[str]:
        return (name for name in super().__iter__() if name == AUTO or _bounds_all(name))

    def __len__(self) -> int:
        return sum(1 for _ in self)


def _bounds_all(name: str) -> bool:
    return IMPACT_LIMITS[name].bounds_every_impulse


SELECTABLE = _Selectable()
ON_A_REAL_ARM = _OnARealArm()


def refuse_weak_limits(
    limits: str,
    choices: Collection[str] = SELECTABLE,
    hint: str = "a fake arm counts as a real one",
) -> None:
    """Refuse to move a real robot by limits that some admissible impulse exceeds.

    Args:
        limits: name of them.
        choices: those that there are for the motion.
        hint: what else may be done.

    Raises:
        ControlError: says which limits there are.
    """
    if limits in ON_A_REAL_ARM:
        return
    known = ", ".join(name for name in ON_A_REAL_ARM if name in choices)
    raise ControlError(
        f"impact_limits: expected one of {known} on a real arm, got {limits!r}; {hint}"
    )


def described(names: Collection[str] = SELECTABLE) -> str:
    """Return names with their descriptions in one line, for documentation."""
    known = (each for each in IMPACT_LIMITS.values() if each.name in names)
    return "; ".join(f"{each.name}: {each.description}" for each in known)


def impact_limit(name: str, description: str) -> Callable[[Kind], Kind]:
    """Return the decorator that registers a class of impact limits.

    ``ImpactLimit.for_interface`` makes the limit of a plan; override it for options of its own.

    Args:
        name: that plans, parameters and goals choose it by.
        description: which impulses it covers, one line.

    Raises:
        NameTakenError: the name is taken.
    """

    def register(limit: Kind) -> Kind:
        IMPACT_LIMITS.register(RegisteredLimit(name, description, limit))
        return limit

    return register
