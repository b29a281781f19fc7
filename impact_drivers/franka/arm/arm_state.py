# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""State of the arm, once a cycle."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

# Modes of the arm, by libfranka's names.
IDLE, MOVE, REFLEX, USER_STOPPED = "Idle", "Move", "Reflex", "UserStopped"
DOF = 7


class ArmState(NamedTuple):
    """One state; arrays of shape (7,)."""

    q: np.ndarray  # [rad]
    dq: np.ndarray  # [rad/s]
    tau: np.ndarray  # measured, gravity included [N.m]
    tau_d: np.ndarray  # commanded last, without gravity [N.m]
    mode: str = IDLE
    errors: tuple[str, ...] = ()  # now, by libfranka's names
    motion_errors: tuple[str, ...] = ()  # that ended the last motion
    success_rate: float = 0.0  # of the last 100 commands; 0 outside of a motion [-]
    period: int = 0  # since the state before, by the arm's clock; outside of a motion 0 [ns]
    clock: int = 0  # of the arm, from an arbitrary origin [ns]
    arrived: float = 0.0  # time of arrival [s of perf_counter]
    external: np.ndarray | None = None  # torques, as the arm estimates and filters them [N.m]
