# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""The published impact limit: one admissible impulse respects the bounds."""

from __future__ import annotations

from typing import Any

import numpy as np

from impact_predictor.inertia.impulse_maps import mean_force_factor
from impact_predictor.inertia.inverse_inertia import crb
from impact_predictor.sets.feasible_sets import friction_pyramid
from impact_predictor.sets.speed_bound import existential_speed
from impact_qp.compiled.records import Announced, ImpulseRows
from impact_qp.limits.impact_limits.contact import Contact, SpeedBound
from impact_qp.limits.impact_limits.effects import MOMENTUM, row_names
from impact_qp.limits.impact_limits.impact_limit import ImpactLimit
from impact_qp.limits.impact_limits.registry import impact_limit
from impact_qp.limits.limit import NO_EFFECT
from impact_robots.compiling.direct_call import direct
from impact_robots.robot import Robot
from impact_robots.state.state import PointState, RobotState


@impact_limit("existential", "at least one possible impulse, as published")
class ExistentialImpactLimit(ImpactLimit):
    r"""At least one admissible impulse respects the bounds: the published controller.

    Admissible at the lowest friction: more friction admits more impulses, so one of these is
    admissible in all of the range.

    Adds the variables :math:`\lambda \ge 0`, :math:`\iota = K_\mu\lambda`, and rows (33), (29),
    (30) of Wang 2023 with corrected signs. It cannot be met while the arm retreats, so it
    has no effect unless the arm approaches faster than ``gate`` [m/s].
    """

    def __init__(
        self,
        robot: Robot,
        contact: Contact,
        *,
        gate: float = 0.01,
        circumscribed: bool = False,
        **options: Any,
    ) -> None:
        """Create the limit with the inscribed cone, as published."""
        import scipy.optimize  # noqa: F401  here, not in the first control cycle: it loads slowly

        from impact_qp.compiled.existential_rows import write_existential_rows  # the same

        super().__init__(robot, contact, circumscribed=circumscribed, **options)
        self._write_rows = direct(write_existential_rows)
        self.gate, self.variables = gate, self.generators
        self._K = friction_pyramid(contact.friction[0], self.generators, circumscribed)
        self._announced = Announced(
            contact.rotation @ self._K,  # base axes
            *contact.restitution,
            mean_force_factor(contact.peak_factor, contact.impact_duration),
            robot.limits.impulsive_torque,
            robot.limits.velocity,
            1.0 - self.margin,
        )
        cone = tuple(f"impact: lambda {j + 1}" for j in range(self.generators))
        effects = row_names(robot) + tuple(name for each in self.bounds for name in each.names)
        self.names = (
            "impact: restitution upper",
            "impact: restitution lower",
            *cone,
            *(f"impact: {name}" for name in effects),
        )

    def speed_bound(self, point: PointState) -> SpeedBound:
        """Return the speed of the published linear programme; takes milliseconds."""
        rows, highest, names = self.effects(point)
        finite = np.isfinite(highest)
        rows, highest, names = rows[finite], highest[finite], tuple(np.array(names)[finite])
        W = crb(point, self.contact.rotation)
        speed, impulse = existential_speed(W, self._K, rows, highest, self.contact.restitution)
        if impulse is None:
            return SpeedBound(speed, "")
        used = np.divide(rows @ impulse, highest, out=np.zeros(len(highest)), where=highest > 0.0)
        return SpeedBound(speed, str(names[int(np.argmax(used))]))

    def fill(self, state: RobotState, G: np.ndarray, E: np.ndarray, h: np.ndarray) -> None:
        """Write the rows on (qddot, lambda)."""
        point = state.at(self.frame)
        if self.bounds or self.velocity_map != MOMENTUM:
            written = self._fill_any(point, G, E, h)
        else:
            asked = self.robot.apparent_motor_inertia, self.figures, self.gate, self._announced
            written = self._write_rows(state.numbers, point.numbers, *asked, ImpulseRows(G, E, h))
        if not written:
            G[:], E[:], h[:] = 0.0, 0.0, NO_EFFECT

    def _fill_any(self, point: PointState, G: np.ndarray, E: np.ndarray, h: np.ndarray) -> bool:
        """Write all bounded rows; False, and nothing, if the arm is too slow."""
        gradient, offset = self.approach(point)
        if offset > -self.gate:
            return False
        N, K = self.generators, self._K
        normal = crb(point, self.contact.rotation)[2].dot(K)
        low, high = (1.0 + bound for bound in self.contact.restitution)
        rows, highest, _ = self.effects(point)
        G[0], G[1], G[2:] = high * gradient, -low * gradient, 0.0
        h[0], h[1], h[2 : 2 + N], h[2 + N :] = -high * offset, low * offset, 0.0, highest
        E[0], E[1], E[2 : 2 + N], E[2 + N :] = normal, -normal, -np.eye(N), rows.dot(K)
        return True
