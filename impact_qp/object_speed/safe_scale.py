# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""The highest safe speed of arms that hit an object: each alone, and all together."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from impact_qp.exceptions import ControlError
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

    @property
    def safe(self) -> ObjectBound:
        """The bound for any delay between the arms: the smallest of all."""
        return min([self.together, *self.alone.values()], key=lambda each: each.scale)


def object_speeds(
    hit: ObjectHit,
    impact_limits: str,
    joint_ranges: str = "announced",
    *,
    pulse: tuple[float, float] = PULSE,
) -> ObjectSpeeds:
    """Return the highest scales of the arms' velocities that an impact limit allows.

    Velocities of the joints before and after the impact are limited, too.

    Args:
        hit: arms and box.
        impact_limits: of :data:`OBJECT_LIMITS`.
        joint_ranges: of ``joint_load``: "announced", the robot's, or "nominal".
        pulse: of ``robust``: peak over mean force [-], and duration of the contact [s].

    Raises:
        ControlError: no such impact limit.
        PredictionError: the robot's YAML lacks values that ``joint_load`` requires.
    """
    use = _uses(impact_limits, joint_ranges, pulse)
    together = _bound(hit, use)
    if len(hit.plates) == 1:
        return ObjectSpeeds(together, dict.fromkeys(hit.plates, together))
    return ObjectSpeeds(together, {name: _bound(hit.only([name]), use) for name in hit.plates})


def _uses(
    impact_limits: str, joint_ranges: str, pulse: tuple[float, float]
) -> Callable[[ObjectHit], ObjectUse]:
    """Return the constructor of the uses of an impact limit."""
    if impact_limits == ROBUST:
        return lambda hit: RobustUse(hit, peak_factor=pulse[0], duration=pulse[1])
    if impact_limits == JOINT_LOAD:
        from impact_qp.object_speed.load_use import LoadUse  # loads slowly

        return lambda hit: LoadUse(hit, joint_ranges=joint_ranges)
    choices = ", ".join(OBJECT_LIMITS)
    raise ControlError(f"impact_limits: expected one of {choices}, got {impact_limits!r}")


def _bound(hit: ObjectHit, use: Callable[[ObjectHit], ObjectUse]) -> ObjectBound:
    """Return the least bound of the impact limit and of the joint velocities."""
    bounds = [largest_scale(each) for each in (use(hit), VelocityUse(hit))]
    return min(bounds, key=lambda each: each.scale)
