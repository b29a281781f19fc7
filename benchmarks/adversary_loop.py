# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""The guarded controller as its node runs it, without ROS: a state in, a command out.

In the order of ``impact_qp.ros.control_cycle`` outside lockstep; comments and methods name what of
``impact_qp.ros`` they stand for.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from impact_qp import Command, ControlError, ImpactController, Phase, Plan
from impact_qp.control.guarded import GuardedController
from impact_qp.goals.goal import GoalRun
from impact_qp.guards.takeover import cannot_be_made_safe
from impact_qp.parameters import ControllerParameters
from impact_qp.ros.supervision import CycleWatch
from impact_robots import ArmDynamics, Robot

DEFAULTS = ControllerParameters()
SILENCE = round(DEFAULTS.state_timeout * 1e9)  # without an answer the arm is put to rest [ns]
WATCHED = SILENCE // 2  # how often somebody looks [ns]


class Sent(NamedTuple):
    """What leaves in one cycle."""

    values: np.ndarray  # shape (n,), unit of the interface
    phase: Phase
    relaxed: tuple[str, ...]  # limits that gave way


class Loop:
    """The controller between its guards, and what watches the pace of its cycles."""

    def __init__(self, robot: Robot, plan: Plan, period: float) -> None:
        """Configure and activate, for a period [s]."""
        self._robot, self._period = robot, period
        self._guarded = GuardedController(ImpactController(robot, plan, period=period))
        self._watch = CycleWatch(period, DEFAULTS.max_consecutive_missed)
        self._dynamics = ArmDynamics(robot)
        self._state: tuple[np.ndarray, np.ndarray] | None = None  # the last usable one
        self._now = self._looked = 0
        self._forget()

    def _forget(self) -> None:
        self._active, self._stamp, self._answered = True, -1, self._now
        self._watch.reset()

    @property
    def fault(self) -> str:
        """Why it has stopped, until the next activation."""
        return self._guarded.fault

    @property
    def lost(self) -> bool:
        """Whether states are silent or not trusted: only what lets the arm rest is sent."""
        return not self._guarded.answers

    # --- states (take_state, answer_pending) --------------------------------------------------

    def cycle(
        self, now: int, stamp: int, q: np.ndarray, dq: np.ndarray, impact: bool, ready: bool
    ) -> Sent | None:
        """Return what is sent when a state arrives, None if nothing is; times in [ns]."""
        self._answered = self._answered or now
        self._now = now
        if stamp == self._stamp or self._guarded.settling:
            return self.idle(now)
        self._look()
        if self._guarded.settling:  # the state waits, and the next one takes its place
            return self.idle(now)
        if stamp < self._stamp:
            self._notice(f"clock jumped back by {(self._stamp - stamp) * 1e-9:.3f} s")
            self._watch.resume()
            self._stamp = stamp - 1
        command = self._compute(stamp, q, dq, impact, ready)
        if command is None:
            return self.idle(now)
        self._stamp, self._answered = stamp, now
        self._watch.answered(0.0)
        return self._sent(command)

    def _compute(
        self, stamp: int, q: np.ndarray, dq: np.ndarray, impact: bool, ready: bool
    ) -> Command | None:
        command = None
        try:
            if self._guarded.accepts(stamp, q, dq, impact=impact):
                if not self._watch.take(stamp, self._now * 1e-9):
                    return None
                self._notice(self._watch.problem)
                command = self._guarded.answer(stamp, q, dq, impact=impact, ready=ready)
        except ControlError:
            return None
        self._stamp = stamp
        if command is not None:
            self._state = q, dq
        return command

    def _sent(self, command: Command) -> Sent:
        values = {"torque": command.driver_torque, "velocity": command.velocity}
        kind = self._guarded.controller.plan.interface
        return Sent(values.get(kind, command.position), command.phase, command.relaxed)

    def _notice(self, problem: str) -> None:
        if problem and self._active and not self.fault:
            self._guarded.stop(problem)

    # --- silence, faults (look, settle) ----------------------------------------------------------

    def idle(self, now: int) -> Sent | None:
        """Return what is sent when no state arrives."""
        self._now = now
        if now - self._looked >= WATCHED:
            self._looked = now
            self._look()
        if not self._guarded.settling:
            return None
        values = self._guarded.settle()
        if values is None:
            self._watch.resume()
            return None
        return Sent(values, Phase.HOLD, ())

    def _look(self) -> None:
        if not self.lost and self._answered and self._now - self._answered > SILENCE:
            self._guarded.lose("no joint state")

    def stop(self) -> None:
        """Brake and hold."""
        self._guarded.stop()

    # --- requests --------------------------------------------------------------------------------

    def reset(self) -> bool:
        """Deactivate and activate; return whether that was accepted."""
        self.stop()
        self._active = False
        if self._guarded.settling or self._guarded.doubts or self._refusal():
            return False
        self._guarded.reset()
        self._forget()
        return True

    def _refusal(self) -> str:
        """Return why an approach cannot begin from the last state (activation_refusal)."""
        if self._state is None or self._now - self._answered > SILENCE:
            return ""
        controller, state = self._guarded.controller, self._dynamics(*self._state)
        gap = controller.plan.contact.gap(state.position)
        limit, reaction = controller.impact_limit, controller.interface.reaction
        return cannot_be_made_safe(self._robot, limit, state, gap, reaction)

    def change(self, plan: Plan) -> bool:
        """Take a goal; return whether it was accepted (begin_goal)."""
        if not self._active or self.fault or self._state is None:
            return False
        controller = ImpactController(self._robot, plan, period=self._period)
        run = GoalRun(self._robot, plan, DEFAULTS.goal_timeout)
        if run.refusal(controller.impact_limit, self._dynamics(*self._state)) is not None:
            return False
        self._guarded.adopt(controller)
        return True
