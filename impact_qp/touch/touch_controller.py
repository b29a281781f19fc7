# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""The controller of a touch: the impact-aware one, which moves until contact is detected."""

from __future__ import annotations

from math import inf, sqrt
from typing import TYPE_CHECKING

import numpy as np

from impact_qp.control.approach import ApproachTasks
from impact_qp.control.command import Command
from impact_qp.control.controller import ImpactController, LeftContact
from impact_qp.control.phases import Phase, Situation, next_phase
from impact_qp.control.plan import Plan
from impact_qp.tasks import VelocityTask
from impact_qp.touch.contact_sense import STALL, ContactSense, Noted
from impact_qp.touch.promise import TouchPlan
from impact_qp.touch.touch_goal import HOLD, RELEASE
from impact_robots.robot import Robot

if TYPE_CHECKING:
    from impact_robots.state.packed_state import PackedState

DETECTOR, DISTANCE = "detector", "distance"  # signals beside those of the sense
ALONG = 0.01  # part of a direction into a contact, above which a motion presses on [-]
THROWN = 0.3  # time after a contact in which the arm may be faster than commanded [s]
TURNS = 0.3  # time in which a servo comes back from where it leads into the surface [s]


class TouchPhases:
    """Phases of a touch: approach until a signal, then hold, or go back and hold.

    Attributes:
        signal: that ended the approach, "" so far.
        before: the last cycle without contact, if any.
        left: of a way back that something cut short, 0 so far [m].
    """

    def __init__(self, plan: TouchPlan, sense: ContactSense) -> None:
        """Begin with the approach."""
        self._goal, self._sense, self._gain = plan.goal, sense, plan.gain
        self.signal = ""
        self.before: Noted | None = None
        self._back = inf  # gap at which the way back ends [m]
        self.left = 0.0

    def __call__(self, now: Situation, plan: Plan) -> Phase:
        """Return the phase of this cycle, see :func:`.next_phase`."""
        stop = Phase.HOLD if now.at_rest else Phase.BRAKE
        if self._sense.interrupted:
            return next_phase(now._replace(stopping=True), plan)
        if now.phase is Phase.APPROACH and not now.stopping:
            return self._approaching(now, plan)
        if now.phase is Phase.RETRACT and not now.stopping:
            if now.gap >= self._back:
                return stop
            blocked = now.blocked and now.since > TURNS
            if not (blocked or now.detected or self._sense.behind):
                return Phase.RETRACT
            self.left = self._back - now.gap
            return stop
        return next_phase(now, plan)

    def _approaching(self, now: Situation, plan: Plan) -> Phase:
        signal = self._sense.signal
        if not signal and now.impact:
            signal = DETECTOR
        if not signal and now.blocked:
            signal = STALL
        if not signal:
            if now.gap > 0.0:
                return Phase.APPROACH
            self.signal = DISTANCE
            return Phase.BRAKE
        self.signal, self.before = signal, self._sense.before()
        if self._goal.then == HOLD:
            return Phase.BRAKE
        if self._goal.then == RELEASE:
            back = 0.0 if self.before is None else self._way_back(now, plan, self.before)
        else:
            way = self._goal.retract
            back = max(0.5 * way, way - self._stopping_distance(plan, way))
        self._back = now.gap + back
        return Phase.RETRACT

    def _way_back(self, now: Situation, plan: Plan, before: Noted) -> float:
        """Return the distance to the last cycle without contact [m]."""
        return max(0.0, plan.contact.gap(self._sense.position(before.q)) - now.gap)

    def _stopping_distance(self, plan: Plan, way: float) -> float:
        """Return the distance that the arm needs to stop after a way back [m]."""
        return min(plan.retract_speed, sqrt(2.0 * plan.ramp * way)) / self._gain


class TouchController(ImpactController):
    """Moves along a direction until contact, the distance limit or a stall.

    Attributes:
        touch: the accepted touch.
        sense: its detection.
        steps: its phases.
    """

    def __init__(self, robot: Robot, plan: TouchPlan, *, period: float = 1e-3) -> None:
        """Create the controller, as :class:`.ImpactController`.

        Raises:
            RobotError: a required limit or parameter of the robot is unknown.
        """
        self.touch, self.sense = plan, ContactSense(robot, plan.sense, period)
        self.steps = TouchPhases(plan, self.sense)
        self._since_contact = 0.0  # of moving phases [s]
        self._start = plan.motion.contact.point - plan.goal.distance * plan.goal.unit  # [m]
        task = VelocityTask(gain=plan.gain)
        approach = ApproachTasks(robot, plan.motion, period, velocity=task)
        super().__init__(robot, plan.motion, period=period, approach=approach, phases=self.steps)

    def measure(self, time: int, q: np.ndarray, dq: np.ndarray, effort: np.ndarray | None) -> None:
        """Look for contact; a torque-controlled arm without efforts has the commanded ones."""
        if effort is None and not self.interface.servo and self.last_state is not None:
            effort = self.interface.torque + self.last_state.g
        self.sense.update(time, q, dq, effort)

    def update(
        self,
        q: np.ndarray,
        dq: np.ndarray,
        *,
        impact: bool = False,
        ready: bool = True,
        elapsed: int | None = None,
    ) -> Command:
        """Return the command for a state that was measured, see :meth:`.ImpactController.update`.

        The arm moves once its own detection is ready and the speed of the impact limit is known.
        """
        limit = self.impact_limit
        known = limit is None or not limit.bound.speed <= 0.0  # else it would begin with a jump
        ready = self.sense.ready and known
        command = super().update(q, dq, impact=impact, ready=ready, elapsed=elapsed)
        sent, into = self._approach.speed, self.touch.goal.unit
        if self.interface.servo and self.last_state is not None:
            sent = -float(into.dot(self.last_state.J[:3].dot(command.velocity)))
        elif limit is not None:
            sent = max(sent, -limit.bound.speed)  # of NaN, which is no closed form: sent
        self.sense.commanded(-sent)
        self._note_contact()
        return command

    def _note_contact(self) -> None:
        """Remember the contact, in which this touch may leave the arm."""
        before = self.steps.before
        if self.sense.interrupted:  # anything may have been met
            self.touched = LeftContact(self.touch.goal.unit, self._start)
        elif self.steps.signal not in ("", DISTANCE):
            free = self._start if before is None else self.sense.position(before.q).copy()
            self.touched = LeftContact(self.touch.goal.unit, free)

    def start_refusal(self, touched: LeftContact | None) -> str:
        """Refuse to press on: the force that a servo holds would be added to the promised one."""
        if touched is None or not self.interface.servo:
            return ""
        deep = float(touched.into @ (self._start - touched.free))
        if deep <= 0.0 or float(touched.into @ self.touch.goal.unit) < ALONG:
            return ""
        return (
            "the arm still presses on what a touch found: go back by"
            f" {1e3 * deep:.2g} mm first, or end touches with release or retract"
        )

    def _watch_motion(self, state: PackedState, command: Command) -> None:
        """Stop an arm that is faster than commanded; what a contact throws back, or aside, is."""
        if self.steps.signal not in ("", DISTANCE) and self._since_contact < THROWN:
            self._since_contact += self._since_look
            self._tracking.reset(float(np.linalg.norm(state.velocity)))
            return
        super()._watch_motion(state, command)

    def _begin_anew(self) -> None:
        """Measure the bias anew, too."""
        super()._begin_anew()
        self.sense.reset()
