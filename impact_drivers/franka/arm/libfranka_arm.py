# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""The arm through the manufacturer's library, libfranka."""

from __future__ import annotations

import contextlib
import ipaddress
import re
import socket
from time import perf_counter
from typing import Any

import numpy as np

from impact_drivers.exceptions import DriverError
from impact_drivers.franka.arm.arm import ArmStoppedError
from impact_drivers.franka.arm.arm_state import DOF, IDLE, MOVE, ArmState
from impact_drivers.franka.arm.collision_behavior import CollisionBehavior
from impact_drivers.franka.arm.real_time import own_priority
from impact_drivers.franka.arm.settings import ArmSettings
from impact_robots.exceptions import one_line

NANOSECONDS = 1_000_000_000
MOVING = MOVE, (), ()  # mode and errors of a state of a motion: libfranka raises in any other mode
COMMAND = bytes(375)  # about as long as one through libfranka
_NAME = re.compile(r'"(\w+)"')


def libfranka() -> Any:
    """Return the package of libfranka.

    Raises:
        DriverError: it is not installed.
    """
    try:
        import pylibfranka
    except ImportError:
        raise DriverError(
            "libfranka: the package pylibfranka is not installed; it exists for Linux on x86-64"
            " with Python 3.9 to 3.12"
        ) from None
    return pylibfranka


class LibfrankaArm:
    """An FR3 with system 5.9 or later, connected.

    The caller's scheduling stays as it is, real-time or not; see :func:`.real_time.claim`.
    """

    def __init__(self, address: str, *, realtime: bool = True) -> None:
        """Connect.

        Args:
            address: of the arm's control unit.
            realtime: refuse to run without a real-time kernel.

        Raises:
            DriverError: no such library, or no arm there.
        """
        library = libfranka()
        self._torques = library.Torques
        self._faults = (RuntimeError, library.FrankaException, ValueError)
        config = library.RealtimeConfig
        try:
            with own_priority():
                self._robot = library.Robot(
                    address, config.kEnforce if realtime else config.kIgnore
                )
        except self._faults as error:
            raise DriverError(f"arm at {address}: {one_line(error)}") from None
        self._control: Any = None
        self._last: Any = None  # state of a motion
        self._clock = 0  # of the arm, then [ns]
        self._rehearsed = _socket_to_itself()

    def look(self) -> ArmState:
        """Return the next state outside of a motion; see :class:`.Arm`."""
        try:
            state = self._robot.read_once()
        except self._faults as error:
            raise ArmStoppedError(one_line(error)) from None
        arrived, mode = perf_counter(), state.robot_mode.name
        errors = _names(state.current_errors), _names(state.last_motion_errors)
        return _arm_state(state, (mode, *errors), 0, _nanoseconds(state.time), arrived)

    def configure(self, settings: ArmSettings) -> None:
        """Set the arm's load, and low collision thresholds; see :class:`.Arm`."""
        state = self.look()
        if state.mode != IDLE or state.errors:
            raise DriverError(
                f"arm: expected mode {IDLE} without errors, got {state.mode}"
                f" ({', '.join(state.errors) or 'no errors'})"
            )
        try:
            self._robot.set_load(settings.load_mass, settings.load_center, settings.load_inertia)
        except self._faults as error:
            raise DriverError(one_line(error)) from None
        self.set_thresholds(settings.low_thresholds)

    def set_thresholds(self, behavior: CollisionBehavior) -> None:
        """Set the arm's collision thresholds; see :class:`.Arm`."""
        torque, force = behavior.torque.tolist(), behavior.force.tolist()
        try:
            self._robot.set_collision_behavior(torque, torque, force, force)
        except self._faults as error:
            raise DriverError(one_line(error)) from None

    def start(self) -> None:
        """Begin torque control; see :class:`.Arm`."""
        try:
            with own_priority():
                self._control = self._robot.start_torque_control()
        except self._faults as error:
            raise DriverError(one_line(error)) from None

    def read(self) -> ArmState:
        """Return the next state of a motion; see :class:`.Arm`."""
        try:
            state, period = self._control.readOnce()
        except self._faults as error:
            self._control = None
            raise ArmStoppedError(one_line(error)) from None
        arrived, passed = perf_counter(), _nanoseconds(period)
        self._last = state
        if passed:
            self._clock += passed
        else:  # the first state of a motion
            self._clock = _nanoseconds(state.time)
        return _arm_state(state, MOVING, passed, self._clock, arrived)

    def write(self, torque: np.ndarray) -> None:
        """Answer the state read last; see :class:`.Arm`."""
        self._write(self._torques(torque.tolist()))

    def finish(self, torque: np.ndarray) -> None:
        """Answer the state read last, and end the motion; see :class:`.Arm`."""
        command = self._torques(torque.tolist())
        command.motion_finished = True
        self._write(command)
        self._control = None

    def rehearse(self) -> None:
        """Convert state and command, and send one to this process; see :class:`.Arm`."""
        if self._last is not None:
            _arm_state(self._last, MOVING, 0, 0, 0.0)
        self._torques([0.0] * DOF)
        with contextlib.suppress(OSError):  # it is not needed
            self._rehearsed.send(COMMAND)
            self._rehearsed.recv(len(COMMAND))

    def recover(self) -> None:
        """Clear the arm's errors; see :class:`.Arm`."""
        try:
            self._robot.automatic_error_recovery()
        except self._faults as error:
            raise DriverError(one_line(error)) from None

    def _write(self, command: Any) -> None:
        try:
            self._control.writeOnce(command)
        except self._faults as error:
            self._control = None
            raise ArmStoppedError(one_line(error)) from None


def _arm_state(
    state: Any,
    condition: tuple[str, tuple[str, ...], tuple[str, ...]],
    period: int,
    clock: int,
    arrived: float,
) -> ArmState:
    """Return a libfranka state; ``condition``: mode, errors, and those that ended a motion."""
    q, dq, tau, tau_d, ext = (
        np.array(values)
        for values in (state.q, state.dq, state.tau_J, state.tau_J_d, state.tau_ext_hat_filtered)
    )
    rate = state.control_command_success_rate
    return ArmState(q, dq, tau, tau_d, *condition, rate, period, clock, arrived, ext)


def _nanoseconds(duration: Any) -> int:
    """Return a duration of libfranka [ns]."""
    return round(duration.to_sec() * NANOSECONDS)


def _socket_to_itself() -> socket.socket:
    """Return a socket for datagrams, on this machine, that sends to itself and does not wait."""
    made = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    made.bind(("127.0.0.1", 0))
    made.connect(made.getsockname())
    made.setblocking(False)
    return made


def is_on_this_machine(address: str) -> bool:
    """Whether an address is of this machine, which means a fake arm."""
    try:
        return ipaddress.ip_address(address).is_loopback
    except ValueError:
        return address == "localhost"


def _names(errors: Any) -> tuple[str, ...]:
    return tuple(name.lower() for name in _NAME.findall(str(errors)))
