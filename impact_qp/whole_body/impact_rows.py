# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
r"""Bounded effects of impulses at several contacts on a robot.

Rows :math:`\sum_a D_a\,\iota_a \le d`: joint torques, joint velocities after the impact and, where
requested, velocity of the centre of mass and angular momentum after it (Wang 2023, 29 to 32, with
both signs).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from impact_predictor.inertia.impulse_maps import (
    angular_momentum_map,
    com_velocity_map,
    mean_force_factor,
)
from impact_predictor.inertia.jacobian import contact_jacobian
from impact_qp.limits import Contact
from impact_qp.limits.impact_limits.effects import row_names
from impact_qp.whole_body.arrival import ArrivingImpulses
from impact_robots import PointState, Robot, RobotState
from impact_robots.compiling.direct_call import direct

_force_factor = lru_cache(maxsize=64)(mean_force_factor)  # of the same contacts in each cycle


@dataclass(frozen=True)
class CentroidalBounds:
    """Bounds on the whole robot's motion after the impact, world axes."""

    directions: np.ndarray  # G_c, of the com's velocity, shape (k, 3)
    com_velocity: np.ndarray  # h_c: G_c cdot+ <= h_c, shape (k,) [m/s]
    angular_momentum: np.ndarray | None = None  # of each axis, both signs, (3,) [N.m.s]; none: any

    @property
    def names(self) -> tuple[str, ...]:
        """Of the rows."""
        com = tuple(f"com velocity after {i + 1}" for i in range(len(self.com_velocity)))
        if self.angular_momentum is None:
            return com
        return com + tuple(
            f"angular momentum after {sign}{axis}" for sign in "+-" for axis in "xyz"
        )


@dataclass(frozen=True)
class ImpactRows:
    """Rows of several contacts' impulses."""

    D: tuple[np.ndarray, ...]  # of each contact, impulse in its axes to rows, shape (m, 3)
    limits: np.ndarray  # d, upper bound of the sum, shape (m,)
    names: tuple[str, ...]  # of the m rows


class ImpactRowMaker:
    """Makes the rows of one robot cycle by cycle."""

    def __init__(
        self, robot: Robot, centroidal: CentroidalBounds | None = None, *, torques: bool = True
    ) -> None:
        """Set up; arguments and errors as of :func:`several_impact_rows`."""
        import scipy.linalg.lapack  # noqa: F401  here, not in the first control cycle: loads slowly

        from impact_qp.compiled.arrival_rows import worst_both_ways  # loads slowly

        robot.require("impact limits", "impulsive_torque", "velocity")
        self._worst_both_ways = direct(worst_both_ways)
        self._centroidal, self._joints = centroidal, slice(robot.nv - robot.dof, None)
        motors = robot.motor_inertias
        self._motors = motors.get("M+B_theta", motors.get("M+B_rho", motors["M"]))
        self._torque, self._fastest = robot.limits.impulsive_torque, robot.limits.velocity
        if not torques:
            self._torque = np.full(robot.dof, np.inf)
        self.names = row_names(robot) + (() if centroidal is None else centroidal.names)

    def rows(self, state: RobotState, impulses: Sequence[ArrivingImpulses]) -> ImpactRows:
        """Return the rows; arguments as of :func:`several_impact_rows`."""
        points, contacts = _places(impulses)
        torque, jump = self._joint_maps(state, points, contacts)
        D = np.concatenate([torque, -torque, jump, -jump])
        if self._centroidal is not None:
            D = np.concatenate([D, _centroidal_map(state, points, contacts, self._centroidal)])
        blocks = tuple(D[:, 3 * i : 3 * i + 3] for i in range(len(impulses)))
        return ImpactRows(blocks, self.limits(state), self.names)

    def loads(
        self,
        state: RobotState,
        points: Sequence[PointState],
        contacts: Sequence[Contact],
        unit: np.ndarray,
    ) -> np.ndarray:
        """Return the worst load of each contact on each row at 1 m/s, shape (m, k).

        As :func:`~impact_qp.whole_body.speed_bounds.worst_loads`, in less time.

        Args:
            state: before the impact.
            points: that hit, in this state.
            contacts: of these points.
            unit: largest impulses of each contact in turn, in its axes, shape (3 k, N) [N.s].
        """
        maps = self._joint_maps(state, points, contacts)
        loads = [self._worst_both_ways(each, unit) for each in maps]
        if self._centroidal is not None:
            D = _centroidal_map(state, points, contacts, self._centroidal)
            loads.append(self._worst_both_ways(D, unit)[: len(D)])
        return np.concatenate(loads)

    def limits(self, state: RobotState) -> np.ndarray:
        """Return the upper bounds of the rows, shape (m,)."""
        dq, torque, fastest = state.dq[self._joints], self._torque, self._fastest
        limits = np.concatenate([torque, torque, fastest - dq, fastest + dq])
        if self._centroidal is None:
            return limits
        return np.append(limits, _centroidal_limits(state, self._centroidal))

    def _joint_maps(
        self, state: RobotState, points: Sequence[PointState], contacts: Sequence[Contact]
    ) -> tuple[np.ndarray, np.ndarray]:
        """Return the maps from all impulses to torques and jumps of velocities, (n, 3 k) each."""
        from scipy.linalg.lapack import dposv

        n, k = len(state.dq), len(points)
        J, factors = np.empty((3 * k, n)), np.empty(3 * k)
        for i, (point, contact) in enumerate(zip(points, contacts, strict=True)):
            own = slice(3 * i, 3 * i + 3)
            J[own] = contact_jacobian(point, contact.rotation)
            factors[own] = _force_factor(contact.peak_factor, contact.impact_duration)
        inertia = state.inertia(self._motors).T  # symmetric; transposed as LAPACK takes it
        _, jumps, _ = dposv(inertia, J.T, overwrite_a=True)
        return J.T[self._joints] * factors, jumps[self._joints]


def _places(
    impulses: Sequence[ArrivingImpulses],
) -> tuple[list[PointState], list[Contact]]:
    return [each.point for each in impulses], [each.arrival.contact for each in impulses]


def several_impact_rows(
    robot: Robot,
    state: RobotState,
    impulses: Sequence[ArrivingImpulses],
    centroidal: CentroidalBounds | None = None,
    *,
    torques: bool = True,
) -> ImpactRows:
    """Return the rows of joint torques and velocities after, and those of ``centroidal``.

    The jump of velocities is ``(M + B)^-1 J_v^T iota`` with the apparent motor inertias, B_theta
    under a torque loop, else B_rho; those of the base are not bounded.

    Args:
        robot: with ``impulsive_torque``.
        state: before the impact.
        impulses: of all contacts, in this state.
        centroidal: further bounds; none: no such rows.
        torques: bound the torques; no: their rows are there, without a bound.

    Raises:
        RobotError: the robot's YAML lacks the impulsive torques.
    """
    return ImpactRowMaker(robot, centroidal, torques=torques).rows(state, impulses)


def _centroidal_map(
    state: RobotState,
    points: Sequence[PointState],
    contacts: Sequence[Contact],
    bounds: CentroidalBounds,
) -> np.ndarray:
    """Return the rows of all contacts' impulses, shape (r, 3 k)."""
    mass, com = state.whole()
    pairs = [*zip(points, contacts, strict=True)]
    com_maps = [com_velocity_map(mass, contact.rotation) for contact in contacts]
    rows = np.hstack([bounds.directions @ each for each in com_maps])
    if bounds.angular_momentum is None:
        return rows
    turns = [angular_momentum_map(point.position, com, each.rotation) for point, each in pairs]
    turn = np.hstack(turns)
    return np.vstack([rows, turn, -turn])


def _centroidal_limits(state: RobotState, bounds: CentroidalBounds) -> np.ndarray:
    """Return the upper bounds of the centroidal rows, shape (k,)."""
    mass, _ = state.whole()
    A_G, _ = state.momentum()
    now = A_G @ state.dq
    limits = bounds.com_velocity - bounds.directions @ (now[:3] / mass)
    if bounds.angular_momentum is None:
        return limits
    return np.concatenate(
        [limits, bounds.angular_momentum - now[3:], bounds.angular_momentum + now[3:]]
    )
