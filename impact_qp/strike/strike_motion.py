# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Motion of a strike: approach, let go before the head touches, and back to the start.

Impedance that stays on during a contact with a handle that gives raises the load of the joints 2 to
5 times. So the approach ends before the target, and the arm coasts, with gravity compensated, until
the contact is over; then it returns to where it began. A pulse of torques with which the motors
give way begins when the contact is detected, not before: an arm that misses is sent gravity alone.

A stop that comes too late to stop before the target lets go at once, and brakes after the contact:
a braking arm would be hit with its impedance on.
"""

from __future__ import annotations

from math import cos
from typing import TYPE_CHECKING

import numpy as np

from impact_qp.control.approach import ApproachTasks
from impact_qp.control.phases import Phase, Situation, next_phase
from impact_qp.control.plan import Plan
from impact_qp.guards.envelope import CREEP
from impact_qp.guards.takeover import can_stop_before
from impact_qp.strike.give_way import Pulse
from impact_qp.strike.strike_line import Off, StrikeLine
from impact_robots.robot import Robot
from impact_robots.state.state import PointState

if TYPE_CHECKING:
    from impact_robots.state.packed_state import PackedState

NEAREST, EARLY = 2e-3, 35e-3  # distance [m] and time [s] before the target at which the arm lets go
LATE = 5e-3  # time of a contact later than planned [s]
RETURN_RATE = 5.0  # speed back to the start over the distance to it [1/s]
RETURN_LEAD = 0.1  # of the commanded speed before the arm's, which the envelope may hold [m/s]
LONGEST_RETURN = 20.0  # after which the arm holds where it is [s]
NEAR, NEAR_ANGLE = 1e-3, 5e-3  # the start: of the head [m], of its axes and the joints [rad]


def coast_time(speed: float, contact: float) -> float:
    """Return how long an arm coasts, from letting go on [s].

    Args:
        speed: of the strike [m/s].
        contact: longest duration of the contact [s].
    """
    return EARLY + NEAREST / speed + contact + LATE


class StrikeMotion(ApproachTasks):
    """Tasks and phases of a strike that begins and ends at one state of the arm.

    Attributes:
        off: how far the head was off its line in the last cycle before it let go; none so far.
        problem: why the approach was ended, "" if it was not.
        returned: it ended where it began.
    """

    def __init__(
        self,
        robot: Robot,
        plan: Plan,
        home: PointState,
        speed: float,
        period: float = 1e-3,
        pulse: Pulse | None = None,
        line: StrikeLine | None = None,
    ) -> None:
        """Set up.

        Args:
            robot: the arm with its tool.
            plan: of the motion.
            home: where the strike begins and ends, at rest.
            speed: of the strike [m/s].
            period: of control [s].
            pulse: torques from the detected contact on; none: gravity alone.
            line: that the head and its axis are brought to, and watched; none: neither.
        """
        self._pulse, self._line = pulse, line
        self._struck: float | None = None  # since coasting, when the contact was detected [s]
        self._pace = 0.0  # of the way back [m/s]
        self._early = 0.0  # time by which a stop let go earlier than planned [s]
        self._can_stop = True  # before the target
        self.off: Off | None = None
        self.problem, self.returned = "", False
        self._robot = robot
        super().__init__(robot, plan, period)
        self._home, self._speed, self._at_home = home, speed, False

    def next_phase(self, now: Situation, plan: Plan) -> Phase:
        """Return the phase of a cycle: as :func:`~impact_qp.control.phases.next_phase`.

        But the arm lets go before the target, retracts if it finds nothing there, and retracts to
        the start.
        """
        phase, free = now.phase, not (now.stopping or self.problem)
        self._give_way(now)
        if phase is Phase.APPROACH:
            if not free and self._can_stop:
                return next_phase(now._replace(stopping=True), plan)
            before = now.gap - (NEAREST + EARLY * self._speed)
            if free and before > 0.0:
                return next_phase(now, plan)
            self._early = max(0.0, before) / self._speed
            return Phase.COAST
        if phase is Phase.COAST:
            missed = now.gap < -plan.overrun
            over = missed or now.since >= plan.coast_time + self._early
            if not free:
                return next_phase(now._replace(stopping=True), plan) if over else phase
            return Phase.RETRACT if missed else next_phase(now, plan)
        if phase is Phase.RETRACT:
            self.returned = self._at_home
        if phase is Phase.RETRACT and (self._at_home or now.since > LONGEST_RETURN):
            return Phase.BRAKE
        return next_phase(now, plan)

    def _give_way(self, now: Situation) -> None:
        """Set the torques of this cycle, if the arm coasts."""
        if self._pulse is None or now.phase is not Phase.COAST:
            self._struck, self.coasting = None, None
            return
        if now.stopping:
            self._end_pulse()
            return
        if now.detected and self._struck is None:
            self._struck = now.since
        if self._struck is None:
            return
        place = round((now.since - self._struck) / self._period)
        self.coasting = self._pulse[place] if place < len(self._pulse) else None

    def _end_pulse(self) -> None:
        """Bring torques beyond gravity to zero, within the limits of their rates."""
        if self.coasting is not None:
            step = self._robot.limits.torque_rate * self._period
            self.coasting = self.coasting - np.clip(self.coasting, -step, step)

    def enter(self, phase: Phase, point: PointState) -> None:
        """Begin a phase where the contact ``point`` is."""
        super().enter(phase, point)
        self._at_home = False
        if phase is Phase.RETRACT or self._is_home(point):
            self.orientation.reference = self._home.rotation
            self.posture.reference = self._home.q
        if phase is Phase.APPROACH and self._line is not None:
            self.orientation.reference = self._line.aligned(point.rotation)

    def update(self, phase: Phase, state: PackedState, ready: bool) -> None:
        """Set the references of this cycle; a retreat goes straight to the start."""
        if phase is not Phase.RETRACT:
            super().update(phase, state, ready)
            if phase is Phase.APPROACH:
                self._approach(state.point)
            return
        point = state.point
        self._at_home = self._is_home(point)
        way = self._home.position - point.position
        distance, highest = float(np.linalg.norm(way)), self._target(phase, ready)
        way /= max(distance, 1e-9)
        speed = float(way @ point.twist[:3])
        pace = min(
            self._pace + self._plan.ramp * self._period,
            highest,
            RETURN_RATE * distance,
            max(0.0, speed) + RETURN_LEAD,
        )
        self._pace = pace
        self.velocity.reference = pace * way
        self.velocity.feedforward = np.zeros(3)
        along, across = float(self.velocity.reference @ self._normal), point.twist[:3] - speed * way
        swings = float(np.linalg.norm(across)) > CREEP  # after the contact: not blocked
        # an arm is blocked below what the envelope allows in any case
        self.speed = 0.0 if swings else min(along, CREEP)

    def _approach(self, point: PointState) -> None:
        """Bring the head to its line in an approach, and look where it is."""
        contact = self._plan.contact
        self._can_stop = can_stop_before(
            self._robot, point, contact.normal, contact.gap(point.position)
        )
        if self._line is None:
            return
        self.velocity.reference = self.speed * self._normal + self._line.back(point.position)
        self.off = self._line.off(point)
        self.problem = self.problem or self._line.problem(self.off)

    def reset(self) -> None:
        """Restart."""
        super().reset()
        self._pace = self._early = 0.0
        self._struck = self.coasting = None
        self._can_stop, self.off, self.problem, self.returned = True, None, "", False

    def _is_home(self, point: PointState) -> bool:
        home = self._home
        turned = 0.5 * (float(np.vdot(home.rotation, point.rotation)) - 1.0)
        return bool(
            np.linalg.norm(point.position - home.position) < NEAR
            and turned > cos(NEAR_ANGLE)
            and np.abs(point.q - home.q).max() < 4.0 * NEAR_ANGLE
        )
