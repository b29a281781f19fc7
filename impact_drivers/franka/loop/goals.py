# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Accepts goals: pending while they are prepared, then begun or refused."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf
from time import perf_counter
from typing import Protocol

import numpy as np

from impact_drivers.franka.arm.arm_state import ArmState
from impact_drivers.franka.arm.collision_behavior import CollisionBehavior
from impact_drivers.franka.arm.settings import ArmSettings
from impact_drivers.franka.loop.preparation import Preparation
from impact_drivers.franka.memory.request import Request
from impact_predictor.exceptions import PredictionError
from impact_predictor.reflex.thresholds import check_range
from impact_qp.control.controller import ImpactController
from impact_qp.control.plan import Plan
from impact_qp.limits.impact_limits.registry import refuse_weak_limits
from impact_robots.exceptions import ImpactError


class Requests(Protocol):
    """As :class:`impact_drivers.franka.memory.command_block.CommandReader`."""

    @property
    def beats(self) -> int:
        """Deadman counter of the client."""

    @property
    def taken(self) -> int:
        """Number of the request taken last, 0 before the first."""

    def take(self, defaults: Plan) -> Request | None:
        """Return a request that was not taken yet, or None.

        Raises:
            ImpactError: the request cannot be used; it counts as taken.
        """


@dataclass(frozen=True)
class LoopGoal:
    """One goal, once its controller was made."""

    number: int  # of the request
    plan: Plan
    thresholds: CollisionBehavior | None  # of the arm in its hit; None: they stay low
    controller: ImpactController


@dataclass
class Decisions:
    """Reported with every cycle."""

    number: int = 0  # of the request decided on last, 0 before the first
    refusal: str = ""  # why that one is not carried out, "" if it is
    begun: int = 0  # number of the goal that was begun last, 0 without one

    def decide(self, number: int, refusal: str = "") -> None:
        """Note that a request is carried out, or why not."""
        self.number, self.refusal = number, refusal

    def begin(self, number: int) -> None:
        """Note that the approach of a goal begins."""
        self.decide(number)
        self.begun = number


CYCLE, MARGIN = 1e-3, 250e-6  # of the arm; time before the next state without preparation [s]
PATIENCE = 2000  # cycles in which a controller must be made


class GoalMotion(Protocol):
    """Interface of a :class:`.TorqueMotion` to goals."""

    goes_on: bool  # another motion is to follow at once
    is_raised: bool  # the arm's collision thresholds are

    def refusal(self, state: ArmState, controller: ImpactController | None = None) -> str:
        """Return why a goal with that controller, or any goal, cannot begin now, "" if it can."""

    @property
    def is_settled(self) -> bool:
        """Whether enough commands have arrived to evaluate the connection."""

    @property
    def stands(self) -> bool:
        """Whether the arm holds."""

    def gravity(self, state: ArmState) -> np.ndarray:
        """Return the torques of the joints against gravity, shape (7,) [N.m]."""

    def begin(self, goal: LoopGoal) -> None:
        """Approach for a goal."""

    def hand_over(self, goal: LoopGoal | None) -> None:
        """Brake, then finish for another motion: for a goal, or to hold."""


class GoalDesk:
    """At most one goal is pending. Until it is begun or refused, the current motion continues.

    Attributes:
        decisions: reported with each cycle.
        spare: time since a state's arrival after which no deferrable work is begun; infinite: the
            arm waits for its answer [s].
    """

    def __init__(self, settings: ArmSettings, preparation: Preparation, spare: float) -> None:
        """Begin without a goal; arguments as of the attributes."""
        self._settings, self._preparation = settings, preparation
        self.decisions, self.spare = Decisions(), spare
        self._pending: Request | None = None
        self._own: LoopGoal | None = None  # waiting for its motion to settle
        self._just_begun, self._waited = False, 0

    def move(self, motion: GoalMotion, goal: LoopGoal | None) -> None:
        """Start with a new motion; ``goal``: of this motion, if any."""
        self._motion, self._own = motion, goal

    def forget(self) -> None:
        """Drop the goal that is not begun yet."""
        self._pending = self._own = None

    def take(self, request: Request, state: ArmState) -> None:
        """Take a goal: refuse it, or prepare it; it replaces the pending one."""
        self._pending, plan = None, request.plan
        assert plan is not None
        if refusal := self._unfit(plan) or self._motion.refusal(state):
            self.decisions.decide(request.number, refusal)
            return
        self._pending, self._waited = request, 0
        self._preparation.begin(plan)

    def _unfit(self, plan: Plan) -> str:
        try:
            refuse_weak_limits(plan.impact_limits)
        except ImpactError as error:
            return str(error)
        return ""

    def prepare(self, state: ArmState) -> bool:
        """Use the time until the next state for a pending goal; return whether there is one."""
        if self._pending is None:
            return False
        if perf_counter() < state.arrived + self.spare:
            self._preparation.work(state.arrived + CYCLE - MARGIN)
        return True

    def decide(self, state: ArmState) -> None:
        """Begin a prepared goal or refuse it; not on a state with NaN."""
        if not (np.isfinite(state.q).all() and np.isfinite(state.dq).all()):
            return
        if self._own is not None:
            self._settle(self._own, state)
        elif self._motion.is_raised and self._motion.stands and not self._just_begun:
            self._motion.hand_over(None)  # the hit is over
        else:
            self._just_begun = False
        if self._pending is not None:
            if self.spare == inf:
                self._preparation.work(inf)
            self._judge(self._pending, state)

    def _settle(self, goal: LoopGoal, state: ArmState) -> None:
        """Begin the goal that the motion is for, once enough commands have arrived."""
        if not self._motion.is_settled:
            return
        self._own = None
        if refusal := self._motion.refusal(state, goal.controller):
            self.decisions.decide(goal.number, refusal)
            self._motion.hand_over(None)
        else:
            self._begin(goal)

    def _judge(self, request: Request, state: ArmState) -> None:
        """Accept or refuse the pending goal if its controller is made."""
        outcome = self._preparation.outcome()
        self._waited += 1
        if outcome is None and self._waited > PATIENCE:
            outcome = f"not prepared within {PATIENCE} cycles: they leave no time for it"
        if outcome is None:
            return
        self._pending = None
        if not isinstance(outcome, ImpactController):
            self.decisions.decide(request.number, outcome)
            return
        goal = self._goal(request, outcome)
        if refusal := self._motion.refusal(state, outcome) or self._beyond_range(goal, state):
            self.decisions.decide(request.number, refusal)
        else:
            self._accept(goal)

    def _beyond_range(self, goal: LoopGoal, state: ArmState) -> str:
        """Return why the goal's thresholds would let a joint leave its range, "" if not."""
        if goal.thresholds is None:
            return ""
        room = goal.controller.robot.limits.torque_range - np.abs(self._motion.gravity(state))
        try:
            check_range(goal.thresholds.torque, self._settings.low_thresholds.torque, room)
        except PredictionError as error:
            return str(error)
        return ""

    def _goal(self, request: Request, controller: ImpactController) -> LoopGoal:
        """Return a goal with its allowed thresholds."""
        settings, need, thresholds = self._settings, request.need, None
        if settings.raise_thresholds and need is not None:
            raised = settings.raised_for(need)
            thresholds = raised if raised.is_above(settings.low_thresholds) else None
        return LoopGoal(request.number, controller.plan, thresholds, controller)

    def _accept(self, goal: LoopGoal) -> None:
        """Begin at once, or in a motion with other thresholds: they change only between two."""
        motion = self._motion
        if goal.thresholds is None and not motion.is_raised and not motion.goes_on:
            self._begin(goal)
            return
        self.decisions.decide(goal.number)
        self._own = None
        motion.hand_over(goal)

    def _begin(self, goal: LoopGoal) -> None:
        self._motion.begin(goal)
        self.decisions.begin(goal.number)
        self._just_begun = True
