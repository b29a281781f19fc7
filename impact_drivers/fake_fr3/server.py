# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""The fake arm on the network, compatible with the official libfranka."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator

import numpy as np
from franky_sim.franka_robot_protocol import (
    MoveStatus,
    RobotCommand,
    RobotMode,
    StateControllerMode,
    StateMotionGeneratorMode,
    UDPCommand,
)
from franky_sim.franka_robot_state import FrankaRobotState
from franky_sim.franka_server import BaseCommand, FrankaServer

from impact_drivers.fake_fr3.errors import flags
from impact_drivers.fake_fr3.fake_arm import FakeArm
from impact_drivers.fake_fr3.protocol import COMMANDS
from impact_drivers.franka.arm.arm_state import IDLE, MOVE, REFLEX, USER_STOPPED

PORT, LIBRARY_VERSION = 1337, 10  # of the protocol, as libfranka 0.18 and later speak it
PERIOD = 1e-3  # [s]
POLL = 30e-6  # [s]
PATIENCE = 60.0  # in lockstep, for an answer; then its commands are lost [s]
# In lockstep, until the second state of a motion is sent, as libfranka answers none before that,
# and until a further one, if it took both for the first [s].
SECOND, AGAIN = 0.02, 0.4
_MODES = {
    IDLE: RobotMode.kIdle,
    MOVE: RobotMode.kMove,
    REFLEX: RobotMode.kReflex,
    USER_STOPPED: RobotMode.kUserStopped,
}
_ENDS = {
    REFLEX: MoveStatus.kReflexAborted,
    USER_STOPPED: MoveStatus.kPreemptedDueToActivatedSafetyFunctions,
}


def local_addresses(first: int) -> Iterator[str]:
    """Yield addresses of this machine; each may hold one fake arm."""
    for offset in range(1000):
        number = (first + offset) % 62000
        yield f"127.1.{number // 250}.{number % 250 + 1}"


class FakeServer(FrankaServer):
    """Sends states and takes commands, once a cycle.

    In real time a cycle is a millisecond by the clock, and a command that does not come within it
    is lost. In lockstep the next cycle begins when the command arrives, without a time limit.
    """

    def __init__(self, arm: FakeArm, addresses: Iterable[str], *, lockstep: bool) -> None:
        """Serve an arm; ``init`` binds it to the first address that is free."""
        super().__init__(addresses, PORT, COMMANDS, LIBRARY_VERSION)
        self.arm, self._lockstep = arm, lockstep
        self._motion = 0  # id of the running motion, 0 without
        self._sent = -1  # id of the last state
        self._torque: np.ndarray | None = None  # that answers it
        self._engaged = False  # the first command of the motion has arrived
        self._states = 0  # of the motion, that were sent

    # --- what the base calls -------------------------------------------------------------------

    def _reset_state(self) -> None:
        """Disconnect the client; without one the commands of a running motion are lost."""
        self._sent, self._motion = -1, 0
        while self.arm.mode == MOVE:
            self.arm.command(None)

    def _get_state_bytes(self) -> bytes:
        self._sent, self._torque, self._states = self._sent + 1, None, self._states + 1
        state = self.arm.state()
        moves = self._motion > 0
        generator = StateMotionGeneratorMode.kNone if moves else StateMotionGeneratorMode.kIdle
        controller = (
            StateControllerMode.kExternalController if moves else StateControllerMode.kOther
        )
        return bytes(
            FrankaRobotState(
                q=state.q,
                q_d=state.q,
                dq=state.dq,
                tau_J=state.tau,
                tau_J_d=state.tau_d,
                tau_ext_hat_filtered=state.external,
                robot_mode=_MODES[state.mode],
                control_command_success_rate=state.success_rate,
                errors=flags(state.errors),
                reflex_reason=flags(state.motion_errors),
                motion_generator_mode=generator,
                controller_mode=controller,
            ).pack_state()
        )

    def _handle_udp_command(self, command_data: bytes) -> None:
        command = UDPCommand.from_bytes(command_data)
        if command.torque_command_finished or command.motion_generation_finished:
            if self._motion:
                self.arm.finish_motion()
                self.end_motion(MoveStatus.kSuccess)
        elif command.message_id == self._sent:
            self._torque, self._engaged = np.array(command.tau_J_d), True

    # --- what the protocol calls ---------------------------------------------------------------

    @property
    def is_moved(self) -> bool:
        """Whether a motion of a client runs."""
        return self._motion > 0

    def begin_motion(self, motion: int) -> bool:
        """Begin torque control; return whether that is possible."""
        if not self.arm.begin_motion():
            return False
        self._motion, self._engaged, self._states = motion, False, 0
        return True

    def end_motion(self, status: MoveStatus) -> None:
        """Send the client the end of its motion, and its status."""
        if self._motion:
            BaseCommand.send_response(self._tcp_socket, RobotCommand.kMove, self._motion, status)
            self._motion = 0
        if self.arm.mode == MOVE:
            self.arm.finish_motion()

    def end_stopped_motion(self) -> None:
        """Send the client the arm's stop, if it has stopped itself."""
        if self.arm.mode in _ENDS:
            self.end_motion(_ENDS[self.arm.mode])

    # --- cycles --------------------------------------------------------------------------------

    def cycle(self) -> None:
        """Send a state, wait for its command, and advance one cycle."""
        began = time.perf_counter()
        self.send_state()
        if self._lockstep and self._motion and not self.arm.loses_command:
            self._wait_for_answer(began)
        else:
            self._listen_until(began + PERIOD)
        if not self._motion:
            self.arm.wait()
        elif not self._engaged:
            self.arm.wait()  # as on a network: time passes until libfranka answers
        else:
            self.arm.command(None if self.arm.loses_command else self._torque)
            self.end_stopped_motion()

    def _listen_until(self, end: float) -> None:
        self.process_commands()
        while (left := end - time.perf_counter()) > 0.0:
            time.sleep(min(left, POLL))
            self.process_commands()

    def _wait_for_answer(self, began: float) -> None:
        """Wait in lockstep; the first state of a motion, which libfranka drops, for a moment."""
        if self._engaged:
            most = PERIOD if self.arm.lost_in_a_row else PATIENCE
        else:
            most = AGAIN if self._states > 1 else SECOND
        while self._motion and self._torque is None and time.perf_counter() < began + most:
            time.sleep(POLL)
            self.process_commands()
