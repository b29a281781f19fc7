# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""From a state to the torque that answers it, whatever the state and whatever happens."""

from __future__ import annotations

import numpy as np

from impact_drivers.franka.arm.arm_state import ArmState
from impact_qp.control.command import Command
from impact_qp.control.guarded import GuardedController
from impact_qp.exceptions import ControlError


class Answers:
    """The controller, and what stands in for it when it has no answer.

    Attributes:
        sent: what the arm was sent last, without gravity, shape (7,) [N.m].
        dropped: states that could not be used.
        fault: why the controller gives no answers any more, "" while it does.
        at_rest: a torque of zero has been reached after a fault.
    """

    def __init__(self, guarded: GuardedController, *, dry_run: bool) -> None:
        """Answer by a controller; ``dry_run``: the arm is sent zeros."""
        from impact_drivers.franka.loop.torque_step import write_limited  # loads slowly

        self._write_limited = write_limited
        self._guarded, self._dry_run = guarded, dry_run
        self.sent = np.zeros(guarded.controller.robot.dof)
        self.dropped, self.fault, self.at_rest = 0, "", False
        self._is_first = True

    def answer(
        self, time: int, state: ArmState, *, impact: bool, ready: bool
    ) -> tuple[Command | None, np.ndarray]:
        """Return the command for a state, None without, and the torque to send (7,) [N.m].

        Args:
            time: of the state [ns].
            state: of the arm.
            impact: the detector holds that the arm has hit something.
            ready: the detector would see an impact.
        """
        command = None if self.fault else self._command(time, state, impact, ready)
        if command is not None:
            wanted = command.driver_torque
        elif self.fault:
            wanted = self._settle()
        else:
            wanted = self.sent
        if self._is_first:  # the arm compensates gravity: zero leaves it where it is
            self._is_first, wanted = False, np.zeros_like(self.sent)
        self.sent = self._limited(wanted, state.tau_d)
        return command, self.sent

    def _limited(self, wanted: np.ndarray, last: np.ndarray) -> np.ndarray:
        """Return what may follow the torque that the arm says it was sent last, (7,) [N.m]."""
        sent: np.ndarray = np.zeros(len(wanted))
        if not self._dry_run and not self._write_limited(wanted, last, sent):
            self._write_limited(wanted, self.sent, sent)
        return sent

    def _command(self, time: int, state: ArmState, impact: bool, ready: bool) -> Command | None:
        """Return what the controller answers; without an answer for good the arm is settled."""
        guarded = self._guarded
        try:
            command = guarded.cycle(time, state.q, state.dq, impact=impact, ready=ready)
            if command is not None:
                return command
            self.fault = guarded.fault
        except ControlError:  # one state that is passed over
            pass
        except Exception as error:  # whatever it is, the arm must come to rest
            self.fault = f"{type(error).__name__}: {' '.join(str(error).split())}"
            guarded.distrust(self.fault)
        self.dropped += 1
        return None

    def _settle(self) -> np.ndarray:
        """Return the next torque on the way to none, shape (7,) [N.m]."""
        torque = self._guarded.settle()
        self.at_rest = torque is None
        return np.zeros_like(self.sent) if torque is None else torque
