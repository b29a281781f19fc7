# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""From a state to the torque that answers it, for any state and any error."""

from __future__ import annotations

import numpy as np

from impact_drivers.franka.arm.arm_state import ArmState
from impact_qp.control.command import Command
from impact_qp.control.guarded import GuardedController
from impact_qp.exceptions import ControlError


class Answers:
    """The controller, and its substitute when it has no answer.

    Attributes:
        sent: last torque sent to the arm, without gravity, shape (7,) [N.m].
        dropped: states that could not be used.
        fault: why the controller has stopped answering, "" while it answers.
        at_rest: a torque of zero has been reached after a fault.
    """

    def __init__(self, guarded: GuardedController, *, dry_run: bool) -> None:
        """Answer by a controller; ``dry_run``: the arm is sent zeros."""
        from impact_drivers.franka.loop.torque_step import write_limited  # slow import

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
            impact: the detector reports an impact.
            ready: the detector can detect impacts.
        """
        command = None if self.fault else self._command(time, state, impact, ready)
        if command is not None:
            wanted = command.driver_torque
        elif self.fault:
            wanted = self._settle()
        else:
            wanted = self.sent
        if self._is_first:  # the arm compensates gravity: zero torque keeps it at rest
            self._is_first, wanted = False, np.zeros_like(self.sent)
        self.sent = self._limited(wanted, state.tau_d)
        return command, self.sent

    def _limited(self, wanted: np.ndarray, last: np.ndarray) -> np.ndarray:
        """Return a torque within the rate limit of the arm's last command, (7,) [N.m]."""
        sent: np.ndarray = np.zeros(len(wanted))
        if not self._dry_run and not self._write_limited(wanted, last, sent):
            self._write_limited(wanted, self.sent, sent)
        return sent

    def _command(self, time: int, state: ArmState, impact: bool, ready: bool) -> Command | None:
        """Return the controller's answer; after a fault the arm is brought to zero torque."""
        guarded = self._guarded
        try:
            command = guarded.cycle(time, state.q, state.dq, impact=impact, ready=ready)
            if command is not None:
                return command
            self.fault = guarded.fault
        except ControlError:  # one state without an answer
            pass
        except Exception as error:  # after any error the arm must stop
            self.fault = f"{type(error).__name__}: {' '.join(str(error).split())}"
            guarded.distrust(self.fault)
        self.dropped += 1
        return None

    def _settle(self) -> np.ndarray:
        """Return the next torque of the ramp to zero, shape (7,) [N.m]."""
        torque = self._guarded.settle()
        self.at_rest = torque is None
        return np.zeros_like(self.sent) if torque is None else torque
