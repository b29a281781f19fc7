# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Approach of a strike: the controller of one strike from a start that it returns to."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from impact_qp.control.controller import ImpactController
from impact_qp.control.plan import Plan
from impact_qp.learning.wall_approach import AHEAD, WallApproach
from impact_qp.limits import Limit
from impact_qp.strike.give_way import Pulse
from impact_qp.strike.strike_line import StrikeLine
from impact_qp.strike.strike_motion import StrikeMotion, coast_time
from impact_qp.strike.strike_record import StrikeRecorder
from impact_robots.dynamics import ArmDynamics
from impact_robots.state.state import PointState

RETURN_SPEED = 0.5  # of the head [m/s]
OVERRUN = 0.05  # behind the target, with the give of the handle, at which nothing was hit [m]


class StrikeController(ImpactController):
    """Strikes once, and stores what is measured.

    Attributes:
        motion: its phases and tasks.
        recorder: of states whose torques are measured.
    """

    def __init__(
        self,
        approach: WallApproach,
        plan: Plan,
        motion: StrikeMotion,
        limits: tuple[Limit, ...] = (),
        period: float = 1e-3,
    ) -> None:
        """Create the controller, as :class:`.ImpactController`; ``limits`` beside the plan's."""
        self.motion, self.recorder = motion, StrikeRecorder()
        super().__init__(
            approach.robot,
            plan,
            period=period,
            approach=motion,
            limits=limits,
            phases=motion.next_phase,
        )

    def measure(self, time: int, q: np.ndarray, dq: np.ndarray, effort: np.ndarray | None) -> None:
        """Store a state that has torques."""
        if effort is not None:
            self.recorder.add(time, np.asarray(q), np.asarray(dq), effort)


def strike_controller(
    approach: WallApproach, speed: float, window: float, pulse: Pulse | None = None
) -> StrikeController:
    """Return the controller of one strike whose limit is its speed alone.

    Args:
        approach: start and target.
        speed: of the head along the strike [m/s].
        window: longest duration of the contact [s].
        pulse: torques from the detected contact on, with which the motors give way; none: gravity.
    """
    plan = replace(
        _strike(approach.plan(speed), approach, speed, window), retract_speed=RETURN_SPEED
    )
    motion = StrikeMotion(approach.robot, plan, _home(approach), speed, pulse=pulse)
    return StrikeController(approach, plan, motion, (approach.cap(speed),))


def bounded_strike(
    approach: WallApproach,
    speed: float,
    window: float,
    plan: Plan,
    line: StrikeLine,
    *,
    pulse: Pulse | None = None,
    period: float = 1e-3,
) -> StrikeController:
    """Return the controller of one strike within all other limits of a node.

    Args:
        approach: as of :func:`strike_controller`.
        speed: the same.
        window: the same.
        plan: motion and limits of a goal.
        line: that head and axis are brought to, and watched.
        pulse: as of :func:`strike_controller`.
        period: of control [s].

    Raises:
        ControlError: the plan does not fit a strike.
    """
    place = np.array(approach.surface.point)  # of a nail: where it is by now
    contact = replace(plan.contact, point=place)
    ahead = replace(plan, contact=contact, strike=speed, highest_speed=speed, speed=AHEAD * speed)
    plan = _strike(ahead, approach, speed, window)
    motion = StrikeMotion(approach.robot, plan, _home(approach), speed, period, pulse, line)
    return StrikeController(approach, plan, motion, period=period)


def _strike(plan: Plan, approach: WallApproach, speed: float, window: float) -> Plan:
    return replace(
        plan,
        coast_time=coast_time(speed, window),
        retract_distance=2.0 * approach.run_up,
        overrun=OVERRUN,
    )


def _home(approach: WallApproach) -> PointState:
    """Return the arm at the start, at rest."""
    return ArmDynamics(approach.robot)(approach.start, np.zeros(approach.robot.dof))
