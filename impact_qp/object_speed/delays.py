# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""The delay between arms that loads them most, and the highest speed whatever the delay.

While one arm still presses, the other one hits the box from the opposite side; or it meets a box
that comes at it. Both may exceed the loads of arms alone and at once. Beyond
``DELAYS`` a controller reacts to the first contact.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterable, Mapping
from math import inf
from typing import NamedTuple

from impact_qp.object_speed.use import ObjectBound, ObjectUse, largest_scale

DELAYS = (0.001, 0.002, 0.003, 0.005, 0.01, 0.02)  # tried for each arm [s]
_HALVINGS = 2  # of the distance to the neighbours of the worst one


class DelayedBound(NamedTuple):
    """The highest scale of the arms' velocities whatever the delay, and what sets it."""

    bound: ObjectBound
    late: str | None = None  # the arm whose contact is later; none: the limit holds for any delay
    delay: float | None = None  # if the box stood still [s]


class DelayedUse(ObjectUse):
    """Limits on the effects of several arms that hit an object."""

    @abstractmethod
    def delayed_bound(self, scale: float) -> DelayedBound:
        """Return the bound whatever the delay; ``scale``: that of all at once [-]."""


def delayed_bound(
    use_at: Callable[[Mapping[str, float]], ObjectUse], names: Iterable[str], scale: float
) -> DelayedBound:
    """Return the bound at the delay that loads the arms most.

    Args:
        use_at: limits with delays of arms, by name [s].
        names: of the arms, each of which may be late.
        scale: near the bound, such as that of all at once, at which delays are compared [-].
    """
    scale = scale if 0.0 < scale < inf else 1.0
    uses: dict[tuple[str, float], ObjectUse] = {}

    def used(case: tuple[str, float]) -> float:
        if case not in uses:
            uses[case] = use_at(dict([case]))
        return float(uses[case].used(scale).max())

    worst = max(((name, delay) for name in names for delay in DELAYS), key=used)
    at = DELAYS.index(worst[1])
    below, above = (0.0, *DELAYS)[at], (*DELAYS, DELAYS[-1])[at + 1]
    for _ in range(_HALVINGS):
        name, delay = worst
        below, above = (below + delay) / 2.0, (above + delay) / 2.0
        worst = max(((name, below), worst, (name, above)), key=used)
    bound = largest_scale(uses[worst])
    for case, use in uses.items():  # at the bound another delay may load the arms more
        if use.used(bound.scale).max() > 1.0:
            worst, bound = case, largest_scale(use)
    return DelayedBound(bound, *worst)
