# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""A contact of the robot that is about to occur, and the admissible impulses on it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from impact_predictor.exceptions import UnboundedSetError
from impact_predictor.inertia.inverse_inertia import of_free_body
from impact_predictor.sets.feasible_sets import friction_pyramid
from impact_qp.limits import Contact, Limit, SpeedBound
from impact_qp.limits.impact_limits.contact import NO_BOUND
from impact_robots import PointState, Robot, RobotState
from impact_robots.compiling.direct_call import direct


class ArrivalsLimit(Limit):
    r"""Base of the impact limits of several contacts: the preview of their approach speeds.

    :math:`s_a = -n_a^T(J_a(\dot q + \ddot q T_p) + \dot J_a\dot q T_p)`, see doc/theory.md.
    """

    yields = True

    def __init__(self, robot: Robot, *, preview: float, margin: float) -> None:
        """Create the limit with T_p [s] and the fraction of every bound kept in reserve."""
        from impact_qp.compiled.approach_row import approach_row  # loads slowly

        self._row, self._none = direct(approach_row), np.zeros(robot.nv)
        self.robot, self.preview, self.margin = robot, preview, margin
        self.arrivals: tuple[Arrival, ...] = ()  # announced; none: no rows
        self.bound = NO_BOUND  # on a common speed, as of the last ``fill``; NaN: not computed
        self.used = 0  # rows of the last ``fill``, the first ones; the others have no effect

    def approach(
        self, points: Sequence[PointState], contacts: Sequence[Contact]
    ) -> tuple[np.ndarray, np.ndarray]:
        """Return gradients (k, nv) and offsets (k,) of the previewed speeds as maps of qddot."""
        rows = [
            self._row(each.normal, point.J, point.twist, point.drift, self.preview, self._none)
            for point, each in zip(points, contacts, strict=True)
        ]
        return -np.array([row for row, _ in rows]), -np.array([offset for _, offset in rows])


@dataclass(frozen=True)
class Arrival:
    """One of several announced contacts."""

    frame: str  # of the robot, at the point that hits
    contact: Contact  # the surface there, world axes
    coupling: float = 1.0  # beta, of its impulses by another arrival through the object [-]
    load: SpeedBound | None = None  # of every arrival's speed, by joint loads; none: not known


@dataclass(frozen=True)
class ArrivingImpulses:
    """The admissible impulses of one arrival, in its contact axes p."""

    arrival: Arrival
    point: PointState  # of the robot, before
    W: np.ndarray  # inverse inertia of the composite body in p, shape (3, 3) [1/kg]
    K: np.ndarray  # directions of impulses with a normal part of 1, shape (3, N)

    @property
    def unit(self) -> np.ndarray:
        """The largest at 1 m/s, beta (1 + c_hi) K_j/(z^T W K_j), shape (3, N) [N.s]."""
        most = self.arrival.coupling * (1.0 + self.arrival.contact.restitution[1])
        return self.K * (most / self.per_force)

    @property
    def per_force(self) -> np.ndarray:
        """Normal velocity per normal impulse of each direction, z^T W K_j, (N,) [1/kg].

        Raises:
            UnboundedSetError: an impulse is unbounded.
        """
        response = self.W[2] @ self.K
        if not response.min() > 1e-9 * self.W[2, 2]:
            raise UnboundedSetError(self.arrival.contact.friction[1], 0.0)
        return response


def arriving_impulses(
    robot: Robot,
    state: RobotState,
    arrivals: Sequence[Arrival],
    *,
    along_normal: bool = False,
    lowest_friction: bool = False,
    generators: int = 8,
    circumscribed: bool = True,
) -> tuple[ArrivingImpulses, ...]:
    """Return the admissible impulses of each arrival; W is that of the contact's composite body.

    Impacts are independent of each other (Wang 2023, 6.2: the chain after the base, each arm by
    itself) but for each arrival's ``coupling``.

    Args:
        robot: its YAML defines the links of each contact's composite body.
        state: of the robot.
        arrivals: at least one.
        along_normal: one direction, the normal, instead of the friction pyramid.
        lowest_friction: use the lowest of the range instead of the highest.
        generators: number of facets of the pyramid.
        circumscribed: the pyramid contains the cone.
    """
    found = []
    for arrival in arrivals:
        contact = arrival.contact
        friction = contact.friction[0 if lowest_friction else 1]
        K = np.array([[0.0], [0.0], [1.0]])
        if not along_normal:
            K = friction_pyramid(friction, generators, circumscribed)
        point = state.at(arrival.frame)
        body = state.body(arrival.frame, robot.composite_of(arrival.frame))
        W = of_free_body(*body, point.position, contact.rotation)
        found.append(ArrivingImpulses(arrival, point, W, K))
    return tuple(found)
