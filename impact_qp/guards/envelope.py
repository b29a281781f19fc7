# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""The envelope around every command: how fast the contact point may move, in any direction."""

from __future__ import annotations

from math import inf
from typing import TYPE_CHECKING

import numpy as np

from impact_qp.limits import Contact, ImpactLimit, Limit, RobustImpactLimit
from impact_qp.limits.impact_limits.speed import ApproachSpeedLimit
from impact_robots.robot import Robot
from impact_robots.state.state import PointState, RobotState

if TYPE_CHECKING:
    from impact_robots.state.packed_state import PackedState

USABLE = 0.88  # of an obstacle's bound: motion deviates from command and row [-]
CREEP = 0.01  # below that speed obstacles are not considered [m/s]
PERSON_TRIES = 3  # a person's bound differs by direction, and a row turns the motion
STILL = 1e-4  # below that speed a person is not considered: it has no direction [m/s]
TRACKED = 0.01  # fraction of the cap by which a tracked reference may exceed it [-]
ALONG = 0.966  # cosine up to which a motion counts as one along the surface's normal: 15 degrees
FAR = 10.0  # assumed distance of an obstacle, for the search ahead [m]
CHEAP = (
    0.4  # fraction of `robust` that is below `joint_load`; 600 drawn places: never below .46 [-]
)


class EnvelopeLimit(Limit):
    r"""One row: :math:`d^T(\dot p + T_p(J\ddot q + \dot J\dot q)) \le v`, for a d of each cycle."""

    yields = True
    names = ("envelope",)

    def __init__(self, robot: Robot) -> None:
        """Create the limit; :meth:`aim` before it is used."""
        from impact_qp.compiled.approach_row import approach_row  # loads slowly
        from impact_qp.compiled.loads import AHEAD

        self._row, self._none, self._preview = approach_row, np.zeros(robot.dof), AHEAD
        self._direction, self._speed = np.zeros(3), inf

    def aim(self, direction: np.ndarray, speed: float, name: str) -> None:
        """Bound the speed [m/s] along a unit direction, base axes, shape (3,)."""
        self._direction, self._speed, self.names = direction, speed, (f"envelope: {name}",)

    def fill(self, state: RobotState, G: np.ndarray, E: np.ndarray, h: np.ndarray) -> None:
        """Write the row."""
        point = state.at(None)
        G[0], previewed = self._row(
            self._direction, point.J, point.twist, point.drift, self._preview, self._none
        )
        h[0] = self._speed - previewed


class Envelope:
    """Checks the motion that a cycle would command, and returns the missing row, if any.

    A program without a row that does not bind has the same solution, so the row is added only in
    the cycles that need it.

    ``cap`` limits the speed of the contact point in every direction. The impact limit has its own
    row for the announced surface. In other directions the speed is limited so that a hit on a rigid
    obstacle would respect the limits in use. For ``joint_load`` this takes a separate search along
    the normal, away from the surface; in other directions, where the search would take too long, a
    fraction of the bound of ``robust``.

    A limit that holds everywhere, that of a person, bounds the motion in every phase and direction,
    also towards the surface.
    """

    def __init__(self, robot: Robot, limit: ImpactLimit | None, contact: Contact, cap: float):
        """Create the envelope.

        Args:
            robot: the arm.
            limit: of the impact on the announced surface; None: obstacles are not considered.
            contact: that is announced.
            cap: highest speed of the contact point [m/s].
        """
        from impact_qp.compiled.loads import AHEAD, velocity_ahead  # loads slowly

        self.row, self._ahead, self._preview = EnvelopeLimit(robot), velocity_ahead, AHEAD
        self._robot, self._contact, self._highest = robot, contact, cap * (1.0 + TRACKED)
        self._normal, self._place = contact.normal, np.array(contact.point, dtype=float)
        self.backward: ApproachSpeedLimit | None = None  # of an obstacle behind the arm
        self._bound_fraction = (
            inf  # fraction of the bound of `robust`; infinite: obstacles are not considered
        )
        self._person: ApproachSpeedLimit | None = None  # a limit that holds everywhere
        if isinstance(limit, ApproachSpeedLimit):
            self._person = limit if limit.everywhere else None
            if not limit.of_person:
                self._bound_fraction = 1.0 if limit.quick else CHEAP
            if not limit.quick:
                backward = limit.against(self._obstacle(-self._normal))
                self.backward = backward if isinstance(backward, ApproachSpeedLimit) else None

        self._creep = CREEP if self._person is None else STILL  # slower is not considered [m/s]
        self.tries = 1 if self._person is None else PERSON_TRIES  # rows of a cycle, in turn

    def _obstacle(self, normal: np.ndarray) -> Contact:
        """Return a rigid obstacle with a normal and the announced coefficients."""
        known = self._contact
        return Contact(
            self._place - FAR * normal,
            normal,
            known.friction,
            known.restitution,
            known.peak_factor,
            known.impact_duration,
            (known.stiffness[0], inf),
        )

    def holds(self, speed: float, along: float, bounded: bool) -> bool:
        """Return True if :meth:`exceeded` is known to be false.

        Args:
            speed: of the contact point a preview ahead [m/s].
            along: of it along the normal, negative towards the surface [m/s].
            bounded: see there.
        """
        if speed <= self._creep:
            return True
        return (
            self._person is None
            and speed <= self._highest
            and ((bounded and along < -ALONG * speed) or self._bound_fraction == inf)
        )

    def exceeded(self, point: PointState, ddq: np.ndarray, *, bounded: bool) -> bool:
        """Aim the row, if accelerations (n,) [rad/s^2] would exceed the envelope; return whether.

        Args:
            point: that hits, with the velocities used for planning.
            ddq: to be commanded.
            bounded: the impact limit bounds the motion towards the surface.
        """
        velocity, speed = self._ahead(point.J, point.twist, point.drift, ddq, self._preview)
        if speed <= self._creep:
            return False
        direction = velocity / speed
        bound, name = self._highest, "speed_cap"
        obstacle = self._obstacle_speed(point, direction, bounded)
        if obstacle < bound:
            bound, name = max(obstacle, CREEP), "obstacle"
        if self._person is not None:
            person = USABLE * self._person.towards(point, direction)
            if person < bound:
                bound, name = person, "person"
        if speed <= bound:
            return False
        self.row.aim(direction, bound, name)
        return True

    def _obstacle_speed(self, point: PointState, direction: np.ndarray, bounded: bool) -> float:
        """Return the highest speed against a rigid obstacle across a direction [m/s]."""
        away = float(self._normal.dot(direction))
        if self._bound_fraction == inf or (bounded and away < -ALONG):
            return inf
        limit = RobustImpactLimit(self._robot, self._obstacle(-direction))
        bound = self._bound_fraction * limit.speed_bound(point).speed
        if self.backward is not None and away > ALONG:
            bound = max(bound, self.backward.present_bound(point).speed)  # 0 until known
        return USABLE * bound

    def look(self, state: PackedState) -> None:
        """Take a state of an arm that may soon move back from the surface."""
        if self.backward is not None:  # stored for :meth:`exceeded` in the same cycle
            self.backward.present_bound(state.point)

    def catch_up(self, until: float) -> None:
        """Run deferred work of :meth:`look`, see :meth:`.ImpactLimit.catch_up`."""
        if self.backward is not None:
            self.backward.catch_up(until)
