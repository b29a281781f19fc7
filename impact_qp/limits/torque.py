# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Joint torque and torque rate."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from impact_qp.interface import RATE_FRACTION
from impact_qp.limits.limit import RateLimit
from impact_robots.compiling.direct_call import direct
from impact_robots.robot import Robot
from impact_robots.state.state import RobotState

if TYPE_CHECKING:
    from impact_robots.state.packed_state import PackedState


class TorqueLimit(RateLimit):
    r"""Bounds on :math:`u = (M + B_\theta)\ddot q + h` and on its change over one cycle.

    The rate is that of the torque beyond gravity, which is sent to the driver. If the driver adds
    gravity, the sent torque is within the torque limits, too.
    """

    def __init__(self, robot: Robot, period: float) -> None:
        """Create the limit for a control period ``period`` [s]."""
        from impact_qp.compiled.torque_box import torque_box, write_torque_rows  # loads slowly

        self._torque_box, self._write_rows = direct(torque_box), write_torque_rows
        self._limits, self._adds_gravity = (
            robot.limits.torque,
            bool(robot.driver_compensates_gravity),
        )
        self._step = RATE_FRACTION * robot.limits.torque_rate * period
        self._motor = robot.apparent_motor_inertia
        self._unknown = np.full(robot.dof, np.nan)
        self.fraction = 1.0  # of the period that has passed since the last command
        self.previous: np.ndarray | None = None  # last u - g [N.m], None after a re-start
        self._last: tuple[RobotState | PackedState, np.ndarray | None, np.ndarray] | None = None
        self.names = tuple(f"{name} torque upper" for name in robot.joint_names) + tuple(
            f"{name} torque lower" for name in robot.joint_names
        )

    def fill(self, state: RobotState, G: np.ndarray, E: np.ndarray, h: np.ndarray) -> None:
        """Write 2 n rows."""
        self._write_rows(state.M, self._motor, state.h, self.box(state), G, h)

    def reset(self) -> None:
        """Forget the last cycle."""
        self.previous = None

    def remember(self, ddq: np.ndarray, torque: np.ndarray) -> None:
        """Store the command; see :meth:`RateLimit.remember`."""
        self.previous = torque

    @property
    def figures(self) -> tuple[np.ndarray, float, np.ndarray, np.ndarray, bool]:
        """Last torque, fraction of the step, step, limits and whether the driver adds gravity."""
        return self.last, self.fraction, self._step, self._limits, self._adds_gravity

    @property
    def last(self) -> np.ndarray:
        """Torques beyond gravity of the last cycle, shape (n,) [N.m]; NaN: not known."""
        return self._unknown if self.previous is None else self.previous

    def box(self, state: RobotState | PackedState) -> np.ndarray:
        """Return lower and upper torques u, gravity included, shape (2, n) [N.m]."""
        last = self._last  # called twice a cycle
        if last is not None and last[0] is state and last[1] is self.previous:
            return last[2]
        previous, fraction, step, *others = self.figures
        box: np.ndarray = self._torque_box(state.g, previous, fraction * step, *others)
        self._last = (state, self.previous, box)
        return box
