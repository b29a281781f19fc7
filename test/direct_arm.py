# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""The fake arm without a network: the same states and faults, in the caller's own process."""

from __future__ import annotations

import numpy as np

from impact_drivers.exceptions import DriverError
from impact_drivers.fake_fr3.fake_arm import FakeArm
from impact_drivers.franka.arm.arm import ArmStoppedError
from impact_drivers.franka.arm.arm_state import IDLE, MOVE, ArmState
from impact_drivers.franka.arm.collision_behavior import CollisionBehavior
from impact_drivers.franka.arm.settings import ArmSettings


class DirectArm:
    """An :class:`.Arm` in lockstep: a state is read, answered, and followed by the next."""

    def __init__(self, arm: FakeArm) -> None:
        """Drive a fake arm."""
        self.arm = arm

    def look(self) -> ArmState:
        """Return the next state outside of a motion."""
        self.arm.wait()
        return self.arm.state()

    def configure(self, settings: ArmSettings) -> None:
        """Tell the arm its load, and set its collision thresholds low."""
        if self.arm.mode != IDLE or self.arm.errors:
            raise DriverError(f"arm: expected mode {IDLE} without errors, got {self.arm.mode}")
        self.arm.load = (settings.load_mass, np.array(settings.load_center))
        self.set_thresholds(settings.low_thresholds)

    def set_thresholds(self, behavior: CollisionBehavior) -> None:
        """Set the arm's collision thresholds."""
        if not self.arm.set_thresholds(behavior):
            raise DriverError(f"arm: cannot change its thresholds in mode {self.arm.mode}")

    def start(self) -> None:
        """Begin torque control."""
        if not self.arm.begin_motion():
            raise DriverError(f"arm: cannot move in mode {self.arm.mode}")

    def read(self) -> ArmState:
        """Return the next state of a motion."""
        state = self.arm.state()
        if state.mode != MOVE:
            raise ArmStoppedError(f"motion ended: {state.mode} {', '.join(state.motion_errors)}")
        return state

    def write(self, torque: np.ndarray) -> None:
        """Answer the state read last; what is lost on the way does not arrive."""
        self.arm.command(None if self.arm.loses_command else torque)

    def finish(self, torque: np.ndarray) -> None:
        """End the motion in order."""
        self.arm.finish_motion()

    def rehearse(self) -> None:
        """Do nothing: there is no connection."""

    def recover(self) -> None:
        """Clear the arm's errors."""
        if not self.arm.recover():
            raise DriverError(f"arm: cannot recover in mode {self.arm.mode}")
