# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Controller of the planar study: follow a line through the surface, then coast or continue."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from impact_robots import PointState
from studies.flexible_joints.planar_arm import PLANE, plane_pose, pose_error

STIFFNESS = 100.0  # k_p of the line and the pitch, assumed [1/s^2]
RAMP_TIME = 0.1  # from rest to the line's speed [s]


def line_command(
    start: np.ndarray, velocity: np.ndarray, inertia: np.ndarray, *, coast: bool
) -> Callable[[float, PointState, bool], np.ndarray]:
    """Return the command that follows a line with a constant pitch.

    u = (M + B) J^-1 (a - Jdot qdot) + h with a = a_ref + 2 sqrt(k_p) (v_ref - v) + k_p (x_ref - x):
    with three joints and three coordinates this is the one solution of the 1 kHz task-space QP of
    Rey Arias 2024.

    Args:
        start: plane pose at rest (x [m], z [m], pitch [rad]), shape (3,).
        velocity: of the line after the ramp (x [m/s], z [m/s], 0), shape (3,).
        inertia: diagonal of B, shape (3,) [kg.m^2].
        coast: from first contact on, compensate gravity and nothing else.
    """

    def command(time: float, state: PointState, touched: bool) -> np.ndarray:
        if touched and coast:
            return state.g
        travelled, speed, change = _ramp(time)
        J = state.J[PLANE]
        error = pose_error(start + travelled * velocity, plane_pose(state))
        wanted = change * velocity + STIFFNESS * error
        wanted = wanted + 2.0 * np.sqrt(STIFFNESS) * (speed * velocity - J @ state.dq)
        ddq = np.linalg.solve(J, wanted - state.drift[PLANE])
        return (state.M + np.diag(inertia)) @ ddq + state.h

    return command


def _ramp(time: float) -> tuple[float, float, float]:
    """Return path [s], rate [-] and its change [1/s] of a line that starts at rest."""
    if time < RAMP_TIME:
        return time**2 / (2.0 * RAMP_TIME), time / RAMP_TIME, 1.0 / RAMP_TIME
    return time - RAMP_TIME / 2.0, 1.0, 0.0
