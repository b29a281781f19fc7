# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Several impact limits that must hold at once, as a node's own beside those of a goal."""

from __future__ import annotations

from collections.abc import Sequence
from math import inf

import numpy as np

from impact_qp.limits.impact_limits.contact import Contact, SpeedBound
from impact_qp.limits.impact_limits.impact_limit import ImpactLimit
from impact_qp.limits.impact_limits.speed import ApproachSpeedLimit
from impact_robots.state.state import PointState


class StrictestLimit(ApproachSpeedLimit):
    """The smallest bound of several limits: kinds have no order, each may be the strictest."""

    def __init__(self, limits: Sequence[ImpactLimit]) -> None:
        """Combine limits of one robot and one contact; the first one's preview is used."""
        first = limits[0]
        super().__init__(first.robot, first.contact, **ImpactLimit._options(first))
        self._limits = tuple(limits)
        self.quick = all(limit.quick for limit in limits)
        bounding = [each for each in limits if isinstance(each, ApproachSpeedLimit)]
        self.everywhere = any(each.everywhere for each in bounding)

    def against(self, contact: Contact) -> StrictestLimit:
        """Return the same limits for another contact."""
        return StrictestLimit([limit.against(contact) for limit in self._limits])

    def speed_bound(self, point: PointState) -> SpeedBound:
        """Return the smallest bound, margins included."""
        return min(limit.speed_bound(point) for limit in self._limits)

    def present_bound(self, point: PointState) -> SpeedBound:
        """Return the smallest bound of this cycle."""
        return min(
            limit.present_bound(point)
            if isinstance(limit, ApproachSpeedLimit)
            else limit.speed_bound(point)
            for limit in self._limits
        )

    def towards(self, point: PointState, direction: np.ndarray) -> float:
        """Return the smallest bound in a direction."""
        known = (limit for limit in self._limits if isinstance(limit, ApproachSpeedLimit))
        return min((limit.towards(point, direction) for limit in known), default=inf)

    def bottoming_speed(self, point: PointState) -> float | None:
        """Return the lowest speed of those that know one."""
        speeds = (limit.bottoming_speed(point) for limit in self._limits)
        return min((each for each in speeds if each is not None), default=None)

    def look(self, point: PointState) -> None:
        """Take a state in which the limits are not active yet."""
        for limit in self._limits:
            limit.look(point)

    def catch_up(self, until: float = inf) -> None:
        """Run the deferred work of the last state, see :meth:`.ImpactLimit.catch_up`."""
        for limit in self._limits:
            limit.catch_up(until)
