# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""The impact limit on what the joints feel: every impact in the ranges keeps every load."""

from __future__ import annotations

from math import inf
from typing import TYPE_CHECKING, Any
from weakref import proxy

from impact_predictor.exceptions import PredictionError
from impact_predictor.joint_load.drive import drive_of
from impact_qp.exceptions import ControlError
from impact_qp.interface import INTERFACES
from impact_qp.limits.impact_limits.contact import NO_BOUND, Contact, SpeedBound
from impact_qp.limits.impact_limits.effects import post_impact_rows
from impact_qp.limits.impact_limits.impact_limit import ImpactLimit
from impact_qp.limits.impact_limits.load_watch import LoadWatch, Pieces
from impact_qp.limits.impact_limits.registry import impact_limit
from impact_qp.limits.impact_limits.speed import VELOCITY_MARGIN, ApproachSpeedLimit
from impact_qp.limits.straight_path import states_ahead
from impact_robots.dynamics import ArmDynamics
from impact_robots.robot import Robot
from impact_robots.state.state import PointState

if TYPE_CHECKING:
    from impact_predictor.joint_load.elastic_arm import ElasticArm
    from impact_predictor.joint_load.load_case import LoadCase, RatedCase
    from impact_predictor.joint_load.load_limits import LoadLimits
    from impact_robots.state.packed_state import PackedState

MARGIN = 0.02  # arms hit up to 1.5 % faster than the bound
DURATION = 0.025  # simulated duration of an impact; no worst case comes later [s]
_NOT_YET = SpeedBound(0.0, "loads not known yet")
_NO_NUMBER = SpeedBound(0.0, "loads that are no numbers")  # of implausible joints


@impact_limit("joint_load", "every impact in the ranges, by what the joints feel")
class JointLoadLimit(ApproachSpeedLimit):
    """Every impact in the announced ranges keeps each joint's load below its limits.

    The ranges are those of the surface (friction, restitution, stiffness) and of the robot
    (stiffness, damping, motor inertia of its joints); the limits those of its YAML: change and
    range of the torque, contact force, and velocity after the impact. The impact is along the
    normal. See doc/joint_load.md and :mod:`impact_predictor.joint_load`.
    """

    quick, every_impulse = False, True

    def __init__(
        self,
        robot: Robot,
        contact: Contact,
        *,
        margin: float = MARGIN,
        drive: str = "",
        **options: Any,
    ) -> None:
        """Create the limit.

        Args:
            robot: the arm.
            contact: that is announced.
            margin: fraction of every limit kept in reserve [-].
            drive: of the motors, see :mod:`impact_predictor.joint_load.drive`; empty: that of a
                torque interface.
            options: as of :class:`ImpactLimit`.

        Raises:
            PredictionError: required values of the robot are missing.
        """
        from impact_predictor.joint_load.load import warm_up  # loads slowly
        from impact_predictor.joint_load.worst_load import LoadSearch

        warm_up()  # here, not in the first control cycle
        super().__init__(robot, contact, margin=margin, **options)
        self._drive = drive or drive_of(robot, "torque")
        self._search = LoadSearch(
            robot, contact, joints=self.joint_ranges, drive=self._drive, duration=DURATION
        )
        own = proxy(self)  # so that an unused limit is freed at once, with its memory
        self._watch = LoadWatch(
            lambda point, case: own._rated(point, case),
            self._search.cases,
            lambda point, way: own._ahead(point, way),
        )
        self._dynamics = ArmDynamics(robot)  # of states ahead
        self._whole: tuple[bytes, SpeedBound] | None = None  # positions, the bound there
        self._present: tuple[PointState | PackedState, SpeedBound] | None = None  # the bound there
        self._worst: tuple[RatedCase | None, SpeedBound] = None, NO_BOUND  # known, and its bound
        self._at: list[tuple[PointState, ElasticArm, LoadLimits]] = []  # of the last two states

    @classmethod
    def for_interface(
        cls, interface: str, robot: Robot, contact: Contact, **options: Any
    ) -> ImpactLimit:
        """Return the limit; a servo replaces the torque loop, and needs more margin.

        Raises:
            ControlError: required values of the robot are missing.
        """
        try:
            drive = drive_of(robot, interface)
        except PredictionError as error:
            raise ControlError(f"impact_limits joint_load: {error}; robust needs less") from None
        if INTERFACES[interface].servo:
            options = {"margin": MARGIN + VELOCITY_MARGIN} | options
        return cls(robot, contact, drive=drive, **options)

    def speed_bound(self, point: PointState) -> SpeedBound:
        """Return the bound of a complete search at a state (10 to 20 ms), margin included."""
        key = point.q.tobytes() + point.dq.tobytes()
        if self._whole is None or self._whole[0] != key:
            self._whole = key, self._searched(point)
        return self._whole[1]

    def bound_above(self, point: PointState, speed: float) -> SpeedBound | None:
        """Return the same if it is above a speed [m/s]; the first case below it ends the search.

        Usually this is the case that ended the last search.
        """
        bound = self._searched(point, speed)
        return bound if bound.speed > speed else None

    def bottoming_speed(self, point: PointState) -> float | None:
        """Return the same of the worst case; infinite where the loads are no numbers."""
        if self.robot.cover_at(point.frame) is None:
            return None
        try:
            cases = self._search.worst(point, self._limits_at(point))
        except PredictionError:
            return inf
        return min(each.bottoms for each in cases)

    def _searched(self, point: PointState, above: float = 0.0) -> SpeedBound:
        """Return the bound, or one that is not ``above`` a speed either [m/s]."""
        self._limits = self._limits_at(point)
        try:
            return self._bound_of(self._search.worst(point, self._limits, above)[0])
        except PredictionError:
            return _NO_NUMBER

    @property
    def ranking(self) -> ImpactLimit:
        """The limit of nominal joints, whose search takes a tenth of the time."""
        if self.joint_ranges == "nominal":
            return self
        options = self._options() | {"joint_ranges": "nominal"}
        return JointLoadLimit(self.robot, self.contact, **options)

    def _options(self) -> dict[str, Any]:
        """Return the options that the limit was created with."""
        return super()._options() | {"drive": self._drive}

    def present_bound(self, point: PointState) -> SpeedBound:
        """Return the bound that is updated from cycle to cycle, margin included.

        Zero until it is known: some 150 cycles after the first one.
        """
        return self._tracked(point)

    def packed_bound(self, state: PackedState) -> SpeedBound:
        """Return the same; the state is unpacked with the deferred work, if it is rated."""
        return self._tracked(state)

    def _tracked(self, state: PointState | PackedState) -> SpeedBound:
        # asked more than once a cycle while pressing, or where a solver is needed
        if self._present is None or not _of_one_state(state, self._present[0]):
            worst = self._watch.worst(state)
            if worst is None:
                bound = _NO_NUMBER if self._watch.broken else _NOT_YET
            elif worst is self._worst[0]:
                bound = self._worst[1]
            else:
                bound = self._bound_of(worst)
                self._worst = worst, bound
            self._present = state, bound
        return self._present[1]

    def look(self, point: PointState) -> None:
        """Take a state in which the limit does not act yet."""
        self.present_bound(point)
        self._present = None

    def catch_up(self, until: float = inf) -> None:
        """Rate the due cases at the last state: up to four, after the command was sent."""
        self._watch.catch_up(until)

    def _ahead(self, point: PointState, way: float) -> Pieces[PointState]:
        """Return the state after a straight motion along the normal, at most to the surface."""
        return (yield from states_ahead(self._dynamics, self.contact, point, way, self.frame))

    def _rated(self, point: PointState, case: LoadCase) -> Pieces[RatedCase]:
        known = [each for each in self._at if each[0] is point]
        if not known:
            known = [(point, self._search.arm(point), self._limits_at(point))]
            self._at = [*self._at[-1:], *known]
            yield None
        _, arm, self._limits = known[0]
        return (yield from self._search.rating(arm, point, self._limits, case))

    def _limits_at(self, point: PointState) -> LoadLimits:
        """Return the limits of loads and of velocities after the impact at a state."""
        from impact_predictor.joint_load.load_limits import ImpulseLimits, load_limits  # slow

        rows, highest, names = post_impact_rows(
            self.robot, self.contact, point, self.velocity_map, self.bounds
        )
        functionals = ImpulseLimits(rows, (1.0 - self.margin) * highest, names)
        return load_limits(self.robot, point.g, self.margin, functionals)

    def _bound_of(self, rated: RatedCase) -> SpeedBound:
        if rated.speed == inf:
            return NO_BOUND
        return SpeedBound(rated.speed, self._limits.names[rated.worst])


def _of_one_state(point: PointState | PackedState, known: PointState | PackedState) -> bool:
    if point is known or not isinstance(point, PointState):
        return point is known
    if isinstance(known, PointState):
        return point.robot_state is known.robot_state
    return known.holds(point)
