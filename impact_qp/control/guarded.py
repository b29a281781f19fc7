# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""The controller between two guards: the check of the states, and the check of the commands."""

from __future__ import annotations

from collections.abc import Iterator
from math import inf

import numpy as np

from impact_qp.control.command import Command
from impact_qp.control.controller import ImpactController
from impact_qp.control.guarded_arm import GuardedArm
from impact_qp.control.phases import Phase
from impact_qp.control.state_machine import Event, StateMachine
from impact_qp.guards.takeover import can_stop_before
from impact_robots.state.state import PointState


class GuardedController(GuardedArm):
    """Answers plausible states with commands that can be sent.

    Attributes:
        controller: between the guards.
        own: that of the beginning; a restart ends every other one.
    """

    controller: ImpactController

    def __init__(self, controller: ImpactController, machine: StateMachine | None = None) -> None:
        """Put guards around a controller.

        Args:
            controller: between the guards.
            machine: that decides what it may do; none: one of its own, which is active at once.
        """
        if machine is None:
            machine = StateMachine()
            _activate(machine)
        super().__init__(controller, machine)
        self.controller = self.own = controller
        self._time: int | None = None  # of the state answered last [ns]

    def reset(self) -> None:
        """Restart, as at an activation; knowledge of the states stays."""
        self.clean_up()
        _activate(self.machine)

    def begin_anew(self) -> None:
        """Restart with the own controller; knowledge of the states stays.

        One that was adopted, a goal's, is not continued: its surface or direction is not what an
        activation asks for.
        """
        if self.controller is not self.own:
            self.adopt(self.own)
        self.controller.reset()
        self._check.begin_anew()
        self._time = self._settling = None

    def _brake(self) -> None:
        self.controller.stop()

    def _way_to_rest(self) -> Iterator[np.ndarray]:
        self.controller.stop()
        self._time = None
        return self.controller.settle()

    def adopt(self, controller: ImpactController) -> None:
        """Continue with another controller of the same robot and interface, without a step.

        Until the next restart.
        """
        controller.adopt(self.controller)
        self.controller = controller

    def start_refusal(
        self, controller: ImpactController, point: PointState | None = None, later: float = 0.0
    ) -> str:
        """Return why a goal's controller cannot take over now, "" if it can.

        The arm moved on while it was prepared. There is no time to search for the safe speed: an
        arm that could not be stopped before the surface is too fast.

        Args:
            controller: the new one, see :meth:`adopt`.
            point: of the arm, now; None: as of the last cycle.
            later: longest time until its first command [s].
        """
        if self.latched or self.doubts:
            return f"the joint states are not trusted: {self.fault}"
        if reason := controller.start_refusal(self.controller.touched):
            return reason
        contact, point = (
            controller.plan.contact,
            self.controller.last_state if point is None else point,
        )
        if point is None:
            return ""
        gap, speed = contact.gap(point.position), contact.approach_speed(point.velocity)
        if self.controller.hears_impact:
            return "the detector still reports an impact"
        if gap <= 0.0:
            return f"the contact point is {-gap:.3f} m behind the surface"
        left = gap - max(0.0, speed) * later
        reaction = controller.interface.reaction
        if can_stop_before(controller.robot, point, contact.normal, left, reaction):
            return ""
        return f"the arm moves at {speed:.3f} m/s, too fast to begin {gap:.3f} m before the surface"

    def stop(self, reason: str = "") -> None:
        """Brake and hold, from the next cycle on, until ``reset``; a reason makes it a fault."""
        if reason:
            super().stop(reason)
        else:
            self._brake()

    def answer(
        self,
        time: int,
        q: np.ndarray,
        dq: np.ndarray,
        *,
        impact: bool = False,
        ready: bool = True,
        effort: np.ndarray | None = None,
    ) -> Command | None:
        """Return the command for a state that was accepted; arguments as of :meth:`cycle`."""
        if not self.answers:
            return None
        elapsed = None
        if self._time is not None and time >= self._time:  # else the clock jumped back
            elapsed = time - self._time
        self._time = time
        self.controller.measure(time, q, dq, effort)
        command = self.controller.update(q, dq, impact=impact, ready=ready, elapsed=elapsed)
        if self.controller.anew:
            self._check.begin_anew()
        if problem := self._check.problem(command, q):
            self.distrust(f"command withheld: {problem}")
            return None
        phase = command.phase
        self._note(stands=phase.stands, held=phase is Phase.HOLD, fault=self.controller.refused)
        return command

    def catch_up(self, until: float = inf) -> None:
        """Run deferred work of the last cycle, see :meth:`.ImpactController.catch_up`."""
        self.controller.catch_up(until)

    def cycle(
        self,
        time: int,
        q: np.ndarray,
        dq: np.ndarray,
        *,
        impact: bool = False,
        ready: bool = True,
        effort: np.ndarray | None = None,
    ) -> Command | None:
        """Return the command for one measured state.

        Args:
            time: of the measurement [ns].
            q: joint positions, shape (n,) [rad].
            dq: joint velocities, shape (n,) [rad/s].
            impact: an impact is detected.
            ready: the detector is ready.
            effort: joint torques as they were measured, shape (n,) [N.m]; None: unknown.

        Returns:
            None if states jumped or a command is invalid: the arm is then ramped to rest by
            :meth:`settle`, one command per period, and nothing is commanded until ``reset``, even
            if later states are consistent: they may be those of other joints.

        Raises:
            ControlError: the state is skipped; gives the reason.
        """
        if not self.accepts(time, q, dq, impact=impact):
            return None
        return self.answer(time, q, dq, impact=impact, ready=ready, effort=effort)


def _activate(machine: StateMachine) -> None:
    machine.take(Event.CONFIGURED)
    machine.take(Event.ACTIVATED_TO_MOVE)
