# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Command and reports of one cycle of the controller."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from impact_qp.control.phases import Phase
from impact_qp.interface import Motion


class Acceleration(NamedTuple):
    """Accelerations of one cycle."""

    ddq: np.ndarray  # shape (n,) [rad/s^2]
    active: tuple[str, ...]  # rows that bind
    slack: float  # amount by which yielding rows are exceeded, in their unit; 0 if they hold
    relaxed: tuple[str, ...]  # relaxed rows
    torques: tuple[np.ndarray, np.ndarray] | None = None  # of it, if already computed
    ahead: Sequence[float] | None = None  # a preview ahead: speed of the contact point, and that
    # along the normal of the impact limit, where they are known already [m/s]
    motion: Motion | None = None  # next velocities and positions that are commanded, if computed


class Command(NamedTuple):
    """Command and reports of one cycle; arrays of shape (n,)."""

    torque: np.ndarray  # u, gravity included [N.m]
    driver_torque: np.ndarray  # sent to the driver: without gravity if it adds it [N.m]
    velocity: np.ndarray  # for a velocity interface [rad/s]
    position: np.ndarray  # for a position interface [rad]
    ddq: np.ndarray  # [rad/s^2]
    reference_torque: np.ndarray  # M qddot + h: expected joint torque measurement [N.m]
    gravity: np.ndarray  # g, part of ``torque`` [N.m]
    phase: Phase
    active: tuple[str, ...]
    relaxed: tuple[str, ...]
    slack: float  # [m/s] for the one-row limits
    normal_speed: float  # of the contact point along the normal [m/s]
    speed_bound: float  # of the impact limit, NaN without one [m/s]
    gap: float  # [m]
    due: bool  # the impact is due: the surface is near, or was hit recently
    note: str = ""  # deviation from the model
