# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""What one cycle of the controller sends and reports."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from impact_qp.control.phases import Phase


class Acceleration(NamedTuple):
    """What one cycle asks of the arm."""

    ddq: np.ndarray  # shape (n,) [rad/s^2]
    active: tuple[str, ...]  # rows that bind
    slack: float  # by how much the yielding rows gave way, in their unit; 0 if they held
    relaxed: tuple[str, ...]  # what gave way
    torques: tuple[np.ndarray, np.ndarray] | None = None  # of it, where they are known already
    ahead: Sequence[float] | None = None  # a preview ahead: speed of the contact point, and that
    # along the normal of the impact limit, where they are known already [m/s]


class Command(NamedTuple):
    """What one cycle sends and reports; arrays of shape (n,)."""

    torque: np.ndarray  # u, gravity included [N.m]
    driver_torque: np.ndarray  # what the driver is sent: without gravity if it adds it [N.m]
    velocity: np.ndarray  # for a velocity interface [rad/s]
    position: np.ndarray  # for a position interface [rad]
    ddq: np.ndarray  # [rad/s^2]
    reference_torque: np.ndarray  # M qddot + h: what the joint sensors should read [N.m]
    gravity: np.ndarray  # g, part of ``torque`` [N.m]
    phase: Phase
    active: tuple[str, ...]
    relaxed: tuple[str, ...]
    slack: float  # [m/s] for the one-row limits
    normal_speed: float  # of the contact point along the normal [m/s]
    speed_bound: float  # of the impact limit, NaN without one [m/s]
    gap: float  # [m]
    due: bool  # the impact: the surface is that near, or was hit a moment ago
    note: str = ""  # what is not as the model has it
