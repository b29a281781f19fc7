# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
r"""An upper bound of the force of a push, in closed form: cheap enough for every control cycle.

.. math:: F \le 1.2\,\sqrt{F_i^2 + H^2} + d_c v, \qquad F_i = v\sqrt{\mu k}

H is the force of the push until the arm stops. No simulated case exceeded it, of 3,840 of an
independent prototype; it is loose.
"""

from __future__ import annotations

from math import hypot, inf, sqrt
from typing import NamedTuple

from impact_predictor.people.aim import Aim
from impact_predictor.people.highest import highest_speed
from impact_predictor.people.loop import ArmLoop, Reaction

FORCE_FACTOR = 1.2  # 1.15 was exceeded by 1 % in 3,840 simulated cases


def combined_force(impact: float, pushed: float, damped: float) -> float:
    """Return the ceiling of a push [N], by people.md, A.

    Args:
        impact: F_i, of the two-mass model [N].
        pushed: H, by how far the arm pushes before it stops [N].
        damped: d_c v, by the damping of its loop [N].
    """
    return FORCE_FACTOR * hypot(impact, pushed) + damped


class PushCeiling(NamedTuple):
    """Bounds of the force on a spring that an arm meets, at any speed."""

    impact: float  # sqrt(mu k): of the two-mass model at 1 m/s [N.s/m]
    stiffness: float  # k_s, of contact and arm in series [N/m]
    damping: float  # d_c, of an impedance [N.s/m]
    lag: float  # of a servo [s]
    pushes: bool  # until the reaction
    reaction: Reaction | None

    def force(self, speed: float) -> float:
        """Return the force that no simulated case exceeded [N], infinite if the arm pushes on."""
        return combined_force(speed * self.impact, self.pushed(speed), speed * self.damping)

    def pushed(self, speed: float) -> float:
        """Return H, the force by how far the arm pushes before it stops [N]."""
        if not self.pushes:
            return 0.0
        if self.reaction is None:
            return inf
        lag = self.stiffness * speed * self.lag
        return max(self.reaction.force, lag) + self._late(speed)

    def held(self, speed: float) -> float:
        """Return the most that remains of the force after the arm has stopped [N].

        The slowest detection is that of a push without an impact.
        """
        if not self.pushes:
            return 0.0
        if self.reaction is None:
            return inf
        return self.reaction.force + self.stiffness * speed * self.lag + self._late(speed)

    def _late(self, speed: float) -> float:
        assert self.reaction is not None  # asked before
        react = self.reaction
        late = react.filter_time + react.period + react.delay
        return self.stiffness * (speed * late + speed**2 / (2.0 * react.brake))

    def used(self, speed: float, transient: float, held: float | None = None) -> float:
        """Return the larger force at a speed [m/s] over its limit [-].

        Args:
            speed: of approach [m/s].
            transient: limit of the peak [N].
            held: limit of what remains [N]; none: nothing does.
        """
        peak = self.force(speed) / transient
        return peak if held is None else max(peak, self.held(speed) / held)

    def speed(self, transient: float, held: float | None = None) -> float:
        """Return the highest speed at which both forces are at most their limits [m/s]; 0: none.

        Args: as of :meth:`used`.
        """
        return highest_speed(lambda speed: self.used(speed, transient, held))


def ceiling_of(
    aim: Aim, loop: ArmLoop, stiffness: float, mass: float = inf, reaction: Reaction | None = None
) -> PushCeiling:
    """Return the ceiling of a push.

    Args:
        aim: point and direction.
        loop: of the arm.
        stiffness: of the contact, padding included [N/m].
        mass: behind the spring; infinite: clamped [kg].
        reaction: of the arm.
    """
    mu = 1.0 / (1.0 / aim.mass(loop.motor_inertia) + 1.0 / mass)
    return PushCeiling(
        sqrt(mu * stiffness),
        1.0 / (1.0 / stiffness + 1.0 / loop.stiffness_along(aim)),
        loop.damping_along(aim),
        loop.lag,
        loop.pushes,
        reaction,
    )
