# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Plan of an arm by reference spreading."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, fields, replace
from math import inf

import numpy as np

from impact_qp.exceptions import ControlError
from impact_qp.references import Quintics, SpreadReference
from impact_qp.references.field_motion import FieldMotion
from impact_qp.references.spread import TASK
from impact_qp.spreading.force import WRENCH, ForceLaw, no_force
from impact_qp.spreading.friction import TASKS, FrictionFeedforward
from impact_qp.spreading.guard import SpreadGuard, approach_speed
from impact_qp.spreading.modes import Timing, Variant
from impact_robots.exceptions import OutOfRangeError
from impact_robots.validation import finite_array, positive

RESERVE = 0.02  # margin of slowed references to the safe speed, for tracking errors


@dataclass(frozen=True)
class SpreadGains:
    """Gains and weights, none of them published; damping is critical."""

    position: float = 150.0  # k_p [1/s^2]
    orientation: float = 200.0  # k_theta [1/s^2]
    orientation_after: float = 200.0  # the same after the impact; a grab's arms: 50
    joint: float = 50.0  # k_q [1/s^2]
    position_weight: float = 1.0
    orientation_weight: float = 1.0
    joint_weight: float = 0.1

    def __post_init__(self) -> None:
        """Check the numbers.

        Raises:
            OutOfRangeError: one is not above 0.
        """
        for each in fields(self):
            positive(getattr(self, each.name), each.name)


@dataclass(frozen=True)
class SpreadPlan:
    """References at one impact, and the parameters of tracking."""

    reference: SpreadReference
    variant: Variant = Variant.RS
    gains: SpreadGains = field(default_factory=SpreadGains)
    force: ForceLaw = no_force  # on the object, after the impact
    ante_friction: FrictionFeedforward | None = None
    post_friction: FrictionFeedforward | None = None
    interim: float = 0.1  # Delta t_int, over which velocity feedback is faded in [s]
    window: float = 0.15  # by how much the impact may be earlier or later [s]
    smooth: Quintics | None = None  # [p; xi] of the variant ``continuous``
    guard: SpreadGuard = field(default_factory=SpreadGuard)  # limits near the object

    def __post_init__(self) -> None:
        """Check consistency.

        Raises:
            ControlError: one smooth reference must be followed, and there is none.
            OutOfRangeError: a duration is not above 0, or force, friction or smooth reference have
                wrong sizes or are not finite.
        """
        self.timing.check()
        if self.variant is Variant.CONTINUOUS and self.smooth is None:
            raise ControlError("plan: expected a smooth reference for continuous, got none")
        if self.smooth is not None and self.smooth.size != TASK:
            expected = "knots of x, y, z and the first joint"
            raise OutOfRangeError("smooth", expected, self.smooth.size)
        nominal = self.reference.nominal_time
        finite_array(self.force(self.reference.post(nominal)), (WRENCH,), "force")
        for name in ("ante_friction", "post_friction"):
            if (friction := getattr(self, name)) is not None:
                finite_array(friction(nominal), (TASKS,), name)

    @property
    def contact(self) -> np.ndarray:
        """Where the impact is expected, base axes, shape (3,) [m]."""
        return self.reference.ante(self.reference.nominal_time).position[:3]

    @property
    def fields(self) -> FieldMotion | None:
        """New velocity fields of the references, None for variants in time."""
        if self.variant is not Variant.TIME_INVARIANT:
            return None
        gains = self.gains
        stiffness = np.array([*3 * [gains.position], gains.joint])
        timing = {"interim": self.interim, "window": self.window}
        return FieldMotion(self.reference, stiffness, **timing)

    @property
    def timing(self) -> Timing:
        """Times of the plan."""
        return Timing(self.reference.nominal_time, self.interim, self.window)


def held_back(plans: Sequence[SpreadPlan]) -> tuple[SpreadPlan, ...]:
    """Return plans of arms that hit together, none of them faster than its guard allows.

    References that are too fast are slowed as a whole, with a later impact: the path is unchanged,
    and so are the velocity ratios of the impact map, which is homogeneous. All are slowed by the
    same factor, so that they still hit together.
    """
    factor = min((_factor(plan) for plan in plans), default=1.0)
    if factor >= 1.0:
        return tuple(plans)
    return tuple(
        replace(
            plan,
            reference=plan.reference.slowed(factor),
            smooth=None if plan.smooth is None else plan.smooth.slowed(factor),
        )
        for plan in plans
    )


def _factor(plan: SpreadPlan) -> float:
    """Return the ratio by which a plan is too fast, 1 if it is not."""
    if plan.guard.speed == inf:
        return 1.0
    fastest = approach_speed(plan.reference, plan.guard.into, plan.window)
    safe = (1.0 - RESERVE) * plan.guard.speed
    return safe / fastest if fastest > safe else 1.0
