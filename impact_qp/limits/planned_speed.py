# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""The impact limit of a strike with a tool: the planned speed towards what it strikes."""

from __future__ import annotations

from typing import Any

from impact_qp.limits.impact_limits.contact import Contact, SpeedBound
from impact_qp.limits.impact_limits.impact_limit import ImpactLimit
from impact_qp.limits.impact_limits.speed import ApproachSpeedLimit
from impact_robots.robot import Robot
from impact_robots.state.state import PointState


class PlannedSpeedLimit(ApproachSpeedLimit):
    """The speed of a planned strike along it; elsewhere the bounds of another limit.

    A plan knows how the tool gives, and what the head strikes. An obstacle in any other direction
    (see :mod:`impact_qp.guards.envelope`) is bounded as without a strike, with a rigid tool.
    """

    every_impulse = True

    def __init__(
        self,
        robot: Robot,
        contact: Contact,
        speed: float,
        usual: ImpactLimit | None = None,
        **options: Any,
    ) -> None:
        """Create the limit.

        Args:
            robot: the arm with its tool.
            contact: of the head with what it strikes.
            speed: of the plan [m/s].
            usual: of motions without a strike; if it bounds no speed, obstacles are bounded by the
                published limit.
            options: as of :class:`ImpactLimit`.
        """
        super().__init__(robot, contact, **options)
        self._planned = SpeedBound(speed, "strike")
        self._usual = usual if isinstance(usual, ApproachSpeedLimit) else None
        self.quick = self._usual is None or self._usual.quick

    def speed_bound(self, point: PointState) -> SpeedBound:
        """Return the planned speed."""
        return self._planned

    def against(self, contact: Contact) -> ImpactLimit:
        """Return the limit of motions without a strike, for another contact."""
        return self if self._usual is None else self._usual.against(contact)
