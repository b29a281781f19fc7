# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""A plain position controller: a step of inverse kinematics per cycle to the palms' poses."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from impact_qp.body.grab_phases import GrabPhases
from impact_qp.limits import SpeedBound
from impact_qp.limits.impact_limits.contact import NO_BOUND
from impact_robots.robot import Robot
from impact_robots.task.palm_task import PALMS
from impact_robots.task.stance import Stance, StanceSolver


class FollowerCommand(NamedTuple):
    """The command of one cycle."""

    positions: np.ndarray  # of the joints, shape (n,) [rad]
    solved: bool = True  # always
    bound: SpeedBound = NO_BOUND  # none


class StanceFollower:
    """Commands joint positions that put the palms where the phases require; soles and COM stay.

    It has no dynamics and no limits but the joint ranges: a baseline for comparison.
    """

    def __init__(
        self, robot: Robot, solver: StanceSolver, start: np.ndarray, phases: GrabPhases
    ) -> None:
        """Start at a position, shape (7 + n,)."""
        self._solver, self.q, self.phases = solver, np.array(start, dtype=float), phases
        whole = solver.stance(start)
        soles = [each.name for each in robot.contacts if each.half_extents]
        self._soles = {name: whole.contacts[name] for name in soles}
        self._com = whole.com

    def update(
        self, time: float, q: np.ndarray, v: np.ndarray, palm_forces: np.ndarray
    ) -> FollowerCommand:
        """Return the command of a cycle; measured q and v are not used.

        Args:
            time: [s].
            q: measured, shape (7 + n,).
            v: measured, shape (6 + n,).
            palm_forces: measured, world axes, shape (2, 3) [N].
        """
        places = self._solver.stance(self.q).contacts
        self.phases.advance(
            time, np.array([places[palm].translation for palm in PALMS]), palm_forces
        )
        stance = Stance(self._soles | self.phases.state.pair.poses, self._com)
        self.q, _ = self._solver.step(self.q, stance)
        return FollowerCommand(np.array(self.q[7:]))
