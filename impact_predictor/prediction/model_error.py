# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""How far an arm may be from its model, and what the same impact does to such arms."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import NamedTuple

import numpy as np
import pinocchio as pin

from impact_predictor.prediction.predict import map_inertia
from impact_robots import PointState, Robot, Surface
from impact_robots.link_inertias import link_inertias


class ModelError(NamedTuple):
    """Half the widths of 95 % intervals of what a model says; all independent."""

    inertia: float = 0.1  # of each link and each motor alone, relative; van Steen, table I [-]
    point: float = 5e-3  # contact point, along each axis of the tool; assumed [m]
    normal: float = 0.035  # tilt of the surface about each tangent; assumed, 2 deg [rad]
    joint_impulse: float = 5e-3  # by friction in a joint, 0.5 N.m (Gaz 2019) for 10 ms [N.m.s]


MODEL_ERROR = ModelError()
QUANTILE = 1.96  # of a normal distribution: standard deviations in half a 95 % interval


def inertia_variations(
    state: PointState, robot: Robot, inertia: str, error: ModelError = MODEL_ERROR
) -> Iterator[np.ndarray]:
    """Yield M + B, shape (n, n) [kg.m^2], with each link and then each motor moved alone.

    Args:
        state: of the arm.
        robot: the arm.
        inertia: name of the inertia of the impact map, one of ``robot.motor_inertias``.
        error: of the model.

    Raises:
        UnknownNameError: no such model.
    """
    M_x = map_inertia(state, robot, inertia)
    for link in link_inertias(robot, state.q):
        yield M_x + error.inertia * link
    for i, motor in enumerate(robot.motor_inertias[inertia]):
        change = np.zeros_like(M_x)
        change[i, i] = error.inertia * motor
        yield M_x + change


def place_variations(
    state: PointState, surface: Surface, error: ModelError = MODEL_ERROR
) -> Iterator[tuple[PointState, Surface]]:
    """Yield state and surface: the contact point moved thrice, the surface tilted twice.

    Args:
        state: of the arm.
        surface: that is hit.
        error: of the model.
    """
    for axis in np.eye(3):
        yield state.beside(error.point * axis), surface
    for tilt in error.normal * np.eye(3)[:2]:
        normal = surface.rotation @ pin.exp3(tilt)[:, 2]
        yield state, replace(surface, normal=normal)


def joint_impulse_effects(M_x: np.ndarray, error: ModelError = MODEL_ERROR) -> np.ndarray:
    """Return what an unknown impulse in each joint does to all velocities, (n, n) [rad/s], by rows.

    Args:
        M_x: M + B, shape (n, n) [kg.m^2].
        error: of the model.
    """
    return np.asarray(error.joint_impulse * np.linalg.inv(M_x))
