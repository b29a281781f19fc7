# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Impact limits that hold for every impulse of a set: one row, a bound on the approach speed."""

from __future__ import annotations

from typing import Any

import numpy as np

from impact_predictor.exceptions import UnboundedSetError
from impact_predictor.inertia.approximation import normal_response
from impact_predictor.inertia.impulse_maps import mean_force_factor
from impact_predictor.inertia.inverse_inertia import generalized_momentum
from impact_predictor.sets.feasible_sets import friction_pyramid
from impact_predictor.sets.speed_bound import one_sided_speed_bound
from impact_qp.compiled.records import ImpulseSet
from impact_qp.interface import INTERFACES
from impact_qp.limits.impact_limits.contact import Contact, SpeedBound
from impact_qp.limits.impact_limits.effects import MOMENTUM, row_names
from impact_qp.limits.impact_limits.impact_limit import ImpactLimit
from impact_qp.limits.impact_limits.registry import impact_limit
from impact_qp.limits.impact_limits.speed import VELOCITY_MARGIN, ApproachSpeedLimit
from impact_robots.compiling.direct_call import direct
from impact_robots.robot import Robot
from impact_robots.state.state import PointState

_new = tuple.__new__  # half the time of the constructor
_UNBOUNDED = SpeedBound(0.0, "unbounded impulses")  # friction so high that impulses are unbounded


class WorstCaseImpactLimit(ApproachSpeedLimit):
    """Bounds that hold for every impulse of a finite set that scales with the approach speed.

    The worst vertex of each bound is computed first and clipped at zero, because the zero impulse
    is admissible; the result is one row: a bound on the approach speed.

    Attributes:
        closed_form: impulses of :func:`~impact_qp.compiled.worst_speed.worst_speed`, if that
            gives the bound.
    """

    closed_form: ImpulseSet | None = None

    def __init__(
        self, robot: Robot, contact: Contact, *, bare_motors: bool = False, **options: Any
    ) -> None:
        """Create the limit.

        Args:
            robot: the arm.
            contact: announced.
            bare_motors: of a servo that holds its motors: impulses of M + B_rho count beside those
                of the composite body, in each direction the larger one. Without B_rho in the
                robot's YAML only the latter.
            options: as of :class:`ImpactLimit`.
        """
        from impact_qp.compiled.worst_speed import UNBOUNDED, worst_speed  # loads slowly

        super().__init__(robot, contact, **options)
        none = np.zeros(0)
        self.bare_motors = bare_motors
        self.motors = robot.motor_inertias.get("M+B_rho", none) if bare_motors else none
        self._worst_speed, self._unbounded = direct(worst_speed), UNBOUNDED
        self._directions = contact.rotation @ self._generators_in_contact_axes()  # K, base axes
        n, names = robot.dof, row_names(robot)
        self._names = names[:n] + names[2 * n : 3 * n]
        limits, usable = robot.limits, 1.0 - self.margin
        per_impulse = mean_force_factor(contact.peak_factor, contact.impact_duration)
        if not self.bounds and self.velocity_map == MOMENTUM:
            impulsive = usable * limits.impulsive_torque / per_impulse
            announced = self._directions, contact.restitution[1], impulsive
            self.closed_form = ImpulseSet(*announced, limits.velocity, usable, self.motors)

    def _options(self) -> dict[str, Any]:
        return super()._options() | {"bare_motors": self.bare_motors}

    def _generators_in_contact_axes(self) -> np.ndarray:
        """Return directions of impulses with a normal part of 1, shape (3, N)."""
        raise NotImplementedError

    def inverse_inertia(self, point: PointState) -> np.ndarray:
        """Return W of the announced set, of M + B_rho if motors count, base axes, (3, 3) [1/kg]."""
        if len(self.motors):
            return generalized_momentum(point, np.eye(3), self.motors)
        return super().inverse_inertia(point)

    def unit_impulses(self, point: PointState) -> np.ndarray:
        """Return the largest impulses at an approach speed of 1 m/s, base axes, (3, N) [N.s].

        ``(1 + c_hi) K_j/(z^T W K_j)``: those of the lowest restitution are shorter, never worse.

        Raises:
            UnboundedSetError: an impulse is unbounded.
        """
        K = self._directions
        per_force = np.array(normal_response(point, self._normal)[0]).dot(K)
        if len(self.motors):
            per_force = np.minimum(per_force, self.inverse_inertia(point).dot(self._normal).dot(K))
        if not min(per_force.tolist()) > 1e-9 / point.robot_state.mass:
            raise UnboundedSetError(self.contact.friction[1], 0.0)
        return K * ((1.0 + self.contact.restitution[1]) / per_force)

    def loads(self, point: PointState) -> np.ndarray:
        """Return the load of each impulse on each bound at 1 m/s, shape (4 n + k, N).

        Raises:
            UnboundedSetError: an impulse is unbounded.
        """
        rows, highest, _ = self.effects(point)
        impulses = self.contact.rotation.T @ self.unit_impulses(point)
        with np.errstate(divide="ignore", invalid="ignore"):
            return (rows @ impulses) / highest[:, None]

    def speed_bound(self, point: PointState) -> SpeedBound:
        """Return the closed-form bound, margin included."""
        if self.closed_form is None:
            return self._any_bound(point)
        arm, motor = point.robot_state.numbers, self.robot.apparent_motor_inertia
        found = self._worst_speed(arm, point.numbers, motor, self._normal, self.closed_form)
        return self.named_bound(*found)

    def take_row(self, speed: float, row: int) -> None:
        """Take the bound of this cycle from the result of ``worst_speed``, see :meth:`.take`."""
        name = self.bound.name
        if row >= 0 and self._names[row] is name:  # as in most cycles
            self.bound = _new(SpeedBound, (speed, name))
        else:
            self.take(self.named_bound(speed, row))

    def named_bound(self, speed: float, row: int) -> SpeedBound:
        """Return the bound from the result of ``worst_speed``."""
        if row < 0:
            return _UNBOUNDED if row == self._unbounded else SpeedBound(speed, "")
        return _new(SpeedBound, (speed, self._names[row]))

    def _any_bound(self, point: PointState) -> SpeedBound:
        """Return the bound from all bounded quantities."""
        try:
            impulses = self.unit_impulses(point)
        except UnboundedSetError:
            return _UNBOUNDED
        rows, highest, names = self.effects(point)
        of_contact = self.contact.rotation.T @ impulses
        speed, limiting = one_sided_speed_bound(rows, highest, of_contact)
        return SpeedBound(speed, "" if limiting is None else names[limiting])


@impact_limit("robust", "every possible impulse")
class RobustImpactLimit(WorstCaseImpactLimit):
    """Every admissible impulse respects the bounds (doc/theory.md).

    Admissible at the highest friction, whose pyramid contains those of all lower ones.
    """

    every_impulse = True

    def __init__(
        self, robot: Robot, contact: Contact, *, margin: float = 0.01, **options: Any
    ) -> None:
        """Create the limit with the margin that covers the arm's overshoot."""
        super().__init__(robot, contact, margin=margin, **options)

    @classmethod
    def for_interface(
        cls, interface: str, robot: Robot, contact: Contact, **options: Any
    ) -> ImpactLimit:
        """Return the limit; a servo needs more margin, and its motors are part of what hits."""
        if INTERFACES[interface].servo:
            options = {"margin": VELOCITY_MARGIN, "bare_motors": True} | options
        return cls(robot, contact, **options)

    def _generators_in_contact_axes(self) -> np.ndarray:
        return friction_pyramid(self.contact.friction[1], self.generators, self.circumscribed)


@impact_limit("nominal", "one impulse along the normal, at the highest restitution")
class NominalImpactLimit(WorstCaseImpactLimit):
    """One impulse along the normal with the upper restitution respects the bounds."""

    def _generators_in_contact_axes(self) -> np.ndarray:
        return np.array([[0.0], [0.0], [1.0]])
