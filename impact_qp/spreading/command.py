# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Command and reports of one cycle of reference spreading."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from impact_qp.references import ReferenceState
from impact_qp.spreading.modes import Mode, StopReason


class SpreadCommand(NamedTuple):
    """Command and reports of one cycle."""

    torque: np.ndarray  # u, gravity included, shape (n,) [N.m]
    gravity: np.ndarray  # the part of it that holds the arm, shape (n,) [N.m]
    driver_torque: np.ndarray  # sent to the driver: without gravity if it adds it, (n,)
    ddq: np.ndarray  # joint accelerations, including those of the force, shape (n,) [rad/s^2]
    reference_torque: np.ndarray  # M qddot + h: expected joint torque measurement, (n,) [N.m]
    mode: Mode
    reference: ReferenceState  # of [p; xi], followed, shape (4,) each
    joint_velocity: np.ndarray  # of an arm that moves as the reference, shape (n,) [rad/s]
    task_feedback: np.ndarray  # of position, orientation, first joint, (7,) [m/s^2], [rad/s^2]
    fade: float  # gamma [-]
    velocity: np.ndarray  # of the contact point, base axes, shape (3,) [m/s]
    active: tuple[str, ...]  # limits that bind; torque rates are not among them
    solved: bool  # false: the program had no solution, and the joints are braked
    stop: StopReason | None = None  # why the arm brakes and holds; None: it does not
    held: bool = False  # it has braked, and holds
    note: str = ""  # of a stop: the largest torque that the model does not explain

    @property
    def feedback(self) -> np.ndarray:
        """Feedback a_fb of the contact point, base axes, shape (3,) [m/s^2]."""
        return self.task_feedback[:3]
