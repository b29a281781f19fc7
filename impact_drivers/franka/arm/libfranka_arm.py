# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""The arm through the manufacturer's library, libfranka."""

from __future__ import annotations

import ipaddress
import re
from time import perf_counter
from typing import Any

import numpy as np

from impact_drivers.exceptions import DriverError
from impact_drivers.franka.arm.arm import ArmStoppedError
from impact_drivers.franka.arm.arm_state import IDLE, MOVE, ArmState
from impact_drivers.franka.arm.collision_behavior import CollisionBehavior
from impact_drivers.franka.arm.real_time import own_priority
from impact_drivers.franka.arm.settings import ArmSettings
from impact_robots.exceptions import one_line

NANOSECONDS = 1_000_000_000
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
        self._moving = library.RobotMode.Move
        self._control: Any = None

    def look(self) -> ArmState:
        """Return the next state outside of a motion; see :class:`.Arm`."""
        try:
            return self._state(self._robot.read_once(), 0, perf_counter())
        except self._faults as error:
            raise ArmStoppedError(one_line(error)) from None

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
        arrived = perf_counter()
        return self._state(state, round(period.to_sec() * NANOSECONDS), arrived)

    def write(self, torque: np.ndarray) -> None:
        """Answer the state read last; see :class:`.Arm`."""
        self._write(self._torques(torque.tolist()))

    def finish(self, torque: np.ndarray) -> None:
        """Answer the state read last, and end the motion; see :class:`.Arm`."""
        command = self._torques(torque.tolist())
        command.motion_finished = True
        self._write(command)
        self._control = None

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

    def _state(self, state: Any, period: int, arrived: float) -> ArmState:
        """Return a libfranka state; fields that are not used during motions are left out."""
        q, dq, tau, tau_d, ext = (
            np.array(values)
            for values in (
                *(state.q, state.dq, state.tau_J, state.tau_J_d),
                state.tau_ext_hat_filtered,
            )
        )
        rate = state.control_command_success_rate
        clock = round(state.time.to_sec() * NANOSECONDS)
        if state.robot_mode == self._moving:
            return ArmState(q, dq, tau, tau_d, MOVE, (), (), rate, period, clock, arrived, ext)
        errors, ended = _names(state.current_errors), _names(state.last_motion_errors)
        mode = state.robot_mode.name
        return ArmState(q, dq, tau, tau_d, mode, errors, ended, rate, period, clock, arrived, ext)


def is_on_this_machine(address: str) -> bool:
    """Whether an address is of this machine, which means a fake arm."""
    try:
        return ipaddress.ip_address(address).is_loopback
    except ValueError:
        return address == "localhost"


def _names(errors: Any) -> tuple[str, ...]:
    return tuple(name.lower() for name in _NAME.findall(str(errors)))
