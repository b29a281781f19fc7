# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Interface of an arm to the loop, for libfranka and for tests without a network."""

from __future__ import annotations

from typing import Protocol

import numpy as np

from impact_drivers.exceptions import DriverError
from impact_drivers.franka.arm.arm_state import ArmState
from impact_drivers.franka.arm.collision_behavior import CollisionBehavior
from impact_drivers.franka.arm.settings import ArmSettings


class ArmStoppedError(DriverError):
    """The arm has ended a motion itself, or the connection is lost; with the reason."""


class Arm(Protocol):
    """One arm, connected; torques are without gravity, shape (7,) [N.m]."""

    def look(self) -> ArmState:
        """Return the next state outside of a motion.

        Raises:
            ArmStoppedError: the arm cannot be reached.
        """

    def configure(self, settings: ArmSettings) -> None:
        """Set the arm's load, and low collision thresholds.

        Raises:
            DriverError: it refuses.
        """

    def set_thresholds(self, behavior: CollisionBehavior) -> None:
        """Set the arm's collision thresholds, outside of a motion.

        Raises:
            DriverError: it refuses, or cannot be reached.
        """

    def start(self) -> None:
        """Begin torque control.

        Raises:
            DriverError: the arm refuses, with the reason.
        """

    def read(self) -> ArmState:
        """Return the next state of a motion.

        Raises:
            ArmStoppedError: the arm has ended it.
        """

    def write(self, torque: np.ndarray) -> None:
        """Answer the state read last.

        Raises:
            ArmStoppedError: the arm has ended the motion.
        """

    def finish(self, torque: np.ndarray) -> None:
        """Answer the state read last, and end the motion in order.

        Raises:
            ArmStoppedError: the arm has ended it before.
        """

    def rehearse(self) -> None:
        """Run the code of a cycle's input and output without the arm, see :class:`.Rehearsal`."""

    def recover(self) -> None:
        """Clear the arm's errors.

        Raises:
            DriverError: it refuses.
        """
