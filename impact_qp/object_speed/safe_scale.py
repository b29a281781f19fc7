# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""The highest safe speed of arms that hit an object: each alone, all at once, and any delay."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from impact_qp.exceptions import ControlError
from impact_qp.object_speed.delays import DelayedBound, DelayedUse
from impact_qp.object_speed.object_hit import ObjectHit
from impact_qp.object_speed.robust_use import RobustUse
from impact_qp.object_speed.use import ObjectBound, ObjectUse, largest_scale
from impact_qp.object_speed.velocity_use import VelocityUse

PULSE = (3.0, 0.018)  # as published: peak over mean force [-], and duration [s]
JOINT_LOAD, ROBUST = "joint_load", "robust"
OBJECT_LIMITS = (JOINT_LOAD, ROBUST)  # impact limits available for objects


class ObjectSpeeds(NamedTuple):
    """Safe scales of the arms' velocities, relative to the requested ones."""

    together: ObjectBound  # all at once
    alone: dict[str, ObjectBound]  # each arm before the others, by name
    delayed: DelayedBound | None = None  # at the worst delay; none: a single arm

    @property
    def safe(self) -> ObjectBound:
        """The bound for any delay between the arms: the smallest of all."""
        late = [] if self.delayed is None else [self.delayed.bound]
        return min([self.together, *self.alone.values(), *late], key=lambda each: each.scale)


def object_speeds(
    hit: ObjectHit,
    impact_limits: str,
    joint_ranges: str = "announced",
    *,
    pulse: tuple[float, float] = PULSE,
    velocities: bool = True,
) -> ObjectSpeeds:
    """Return the highest scales of the arms' velocities that an impact limit allows.

    Args:
        hit: arms and box.
        impact_limits: of :data:`OBJECT_LIMITS`.
        joint_ranges: of ``joint_load``: "announced", the robot's, or "nominal".
        pulse: of ``robust``: peak over mean force [-], and duration of the contact [s].
        velocities: limit velocities of the joints before and after the impact, too; only of arms.

    Raises:
        ControlError: no such impact limit.
        PredictionError: the robot's YAML lacks values that ``joint_load`` requires.
    """
    use = _uses(impact_limits, joint_ranges, pulse)
    at_once = use(hit)
    together = _bound(hit, at_once, velocities)
    if len(hit.plates) == 1:
        return ObjectSpeeds(together, dict.fromkeys(hit.plates, together))
    only = {name: hit.only([name]) for name in hit.plates}
    alone = {name: _bound(each, use(each), velocities) for name, each in only.items()}
    return ObjectSpeeds(together, alone, at_once.delayed_bound(together.scale))


def _uses(
    impact_limits: str, joint_ranges: str, pulse: tuple[float, float]
) -> Callable[[ObjectHit], DelayedUse]:
    """Return the constructor of the uses of an impact limit."""
    if impact_limits == ROBUST:
        return lambda hit: RobustUse(hit, peak_factor=pulse[0], duration=pulse[1])
    if impact_limits == JOINT_LOAD:
        from impact_qp.object_speed.load_use import LoadUse  # loads slowly

        return lambda hit: LoadUse(hit, joint_ranges=joint_ranges)
    choices = ", ".join(OBJECT_LIMITS)
    raise ControlError(f"impact_limits: expected one of {choices}, got {impact_limits!r}")


def _bound(hit: ObjectHit, use: ObjectUse, velocities: bool) -> ObjectBound:
    """Return the least bound of the impact limit and, where asked for, of joint velocities."""
    uses = [use, VelocityUse(hit)] if velocities else [use]
    bounds = [largest_scale(each) for each in uses]
    return min(bounds, key=lambda each: each.scale)
