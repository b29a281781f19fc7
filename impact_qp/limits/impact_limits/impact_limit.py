# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Common base of the impact limits: the previewed approach velocity."""

from __future__ import annotations

from collections.abc import Sequence
from math import inf
from typing import Any

import numpy as np

from impact_predictor.inertia.inverse_inertia import crb
from impact_qp.compiled.records import Preview
from impact_qp.exceptions import ControlError
from impact_qp.limits.impact_limits.contact import Contact, SpeedBound
from impact_qp.limits.impact_limits.effects import (
    MOMENTUM,
    VELOCITY_MAPS,
    PostImpactBound,
    impact_rows,
)
from impact_qp.limits.limit import Limit
from impact_robots.robot import Robot
from impact_robots.state.state import PointState

_new = tuple.__new__  # half the time of the constructor


class ImpactLimit(Limit):
    r"""Base of the impact limits: the preview of the approach velocity.

    :math:`v_n^- = J_n(\dot q + \ddot q T_p) + \dot J_n\dot q T_p` (doc/theory.md).
    """

    yields = True
    quick = True  # the bound takes microseconds
    of_person = False  # takes a task of contact with a person, as option ``person``
    every_impulse = False  # every admissible impulse respects the bounds, as required on a real arm

    def __init__(
        self,
        robot: Robot,
        contact: Contact,
        *,
        preview: float = 0.02,
        margin: float = 0.0,
        generators: int = 8,
        circumscribed: bool = True,
        velocity_map: str = MOMENTUM,
        joint_ranges: str = "announced",
        bounds: Sequence[PostImpactBound] = (),
        period: float = 0.0,
        frame: str | None = None,
    ) -> None:
        """Create the limit.

        Args:
            robot: the arm.
            contact: announced.
            preview: T_p [s].
            margin: fraction of every bound kept in reserve.
            generators: number N of facets of the friction pyramid.
            circumscribed: the pyramid contains the cone.
            velocity_map: of :data:`VELOCITY_MAPS`.
            joint_ranges: "announced" or "nominal", for a limit on joint loads.
            bounds: on further functionals of the state after the impact.
            period: between two states, if ``fill`` is called for consecutive ones; 0: it is not
                [s].
            frame: at the point that hits; none: the robot's contact frame.

        Raises:
            ControlError: no such map.
        """
        from impact_qp.compiled.approach_row import approach_row, fall  # loads slowly

        if velocity_map not in VELOCITY_MAPS:
            choices = ", ".join(VELOCITY_MAPS)
            raise ControlError(f"velocity map: expected one of {choices}, got {velocity_map!r}")
        self.robot, self.contact, self.frame = robot, contact, frame
        self.preview, self.margin, self.period = preview, margin, period
        self.generators, self.circumscribed = generators, circumscribed
        self.velocity_map, self.joint_ranges, self.bounds = (
            velocity_map,
            joint_ranges,
            tuple(bounds),
        )
        self.bound = SpeedBound(float("nan"), "")  # of the last ``fill``, if it has one
        self._approach_row, self._fall, self._normal = approach_row, fall, contact.normal
        self._none = np.zeros(robot.dof)
        self._figures = Preview(self._normal, preview, self._none)
        self.unexplained: np.ndarray | None = None  # accelerations beside qddot, (n,) [rad/s^2]

    @classmethod
    def for_interface(
        cls, interface: str, robot: Robot, contact: Contact, **options: Any
    ) -> ImpactLimit:
        """Return the limit for an arm commanded by ``interface``; options as of the class."""
        return cls(robot, contact, **options)

    def against(self, contact: Contact) -> ImpactLimit:
        """Return the same limit for another contact."""
        return type(self)(self.robot, contact, **self._options())

    def _options(self) -> dict[str, Any]:
        """Return the options that the limit was created with."""
        return {
            "preview": self.preview,
            "margin": self.margin,
            "generators": self.generators,
            "circumscribed": self.circumscribed,
            "velocity_map": self.velocity_map,
            "joint_ranges": self.joint_ranges,
            "bounds": self.bounds,
            "period": self.period,
            "frame": self.frame,
        }

    def effects(self, point: PointState) -> tuple[np.ndarray, np.ndarray, tuple[str, ...]]:
        """Return rows, their upper limits, margin included, and names of all bounded quantities.

        See :func:`~impact_qp.limits.impact_limits.effects.impact_rows`.
        """
        rows, highest, names = impact_rows(
            self.robot, self.contact, point, self.velocity_map, self.bounds
        )
        return rows, (1.0 - self.margin) * highest, names

    def inverse_inertia(self, point: PointState) -> np.ndarray:
        """Return W of the announced impulses, the composite body's, base axes, (3, 3) [1/kg]."""
        return crb(point, np.eye(3))

    def speed_bound(self, point: PointState) -> SpeedBound:
        """Return the highest admissible approach speed at a state, margin included."""
        raise NotImplementedError

    def bound_above(self, point: PointState, speed: float) -> SpeedBound | None:
        """Return the bound at a state if it is above a speed [m/s], else None, maybe in less time.

        For searches of a configuration better than the one with that speed.
        """
        bound = self.speed_bound(point)
        return bound if bound.speed > speed else None

    def bottoming_speed(self, point: PointState) -> float | None:
        """Return the lowest speed at which the tool's cover bottoms out at a state [m/s].

        None: there is no cover, or the limit knows no compliance of a contact.
        """
        return None

    @property
    def ranking(self) -> ImpactLimit:
        """A limit whose bounds rank configurations alike; itself unless a quicker one does."""
        return self

    def look(self, point: PointState) -> None:
        """Take a state in which the limit is not active yet."""
        return

    def catch_up(self, until: float = inf) -> None:
        """Run the deferred work of the last state.

        Args:
            until: time by :func:`time.perf_counter` after which only a first piece is begun; the
                rest is left for the next call; minus infinity: none is begun [s].
        """
        return

    def approach(self, point: PointState) -> tuple[np.ndarray, float]:
        """Return gradient, shape (n,), and offset of the previewed v_n^- as a map of qddot."""
        normal, preview, beside = self.figures
        gradient, offset = self._approach_row(
            normal, point.J, point.twist, point.drift, preview, beside
        )
        return gradient, offset

    @property
    def figures(self) -> Preview:
        """The data of the preview."""
        beside = self._none if self.unexplained is None else self.unexplained
        known = self._figures
        if known.unexplained is not beside or known.time != self.preview:
            known = self._figures = _new(Preview, (self._normal, self.preview, beside))
        return known
