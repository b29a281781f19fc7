# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Model errors of an arm, and their effect on predictions."""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

import numpy as np
import pinocchio as pin

from impact_predictor.inertia.jacobian import contact_jacobian
from impact_predictor.prediction.predict import map_inertia
from impact_robots import PointState, Robot, Surface


class ModelError(NamedTuple):
    """Half widths of 95 % intervals of model parameters; all independent."""

    inertia: float = 0.1  # of each link and each motor alone, relative; van Steen, table I [-]
    point: float = 5e-3  # contact point, along each axis of the tool; assumed [m]
    normal: float = 0.035  # tilt of the surface about each tangent; assumed, 2 deg [rad]
    joint_impulse: float = 5e-3  # by friction in a joint, 0.5 N.m (Gaz 2019) for 10 ms [N.m.s]


MODEL_ERROR = ModelError()
USUAL_CONTACT, UNKNOWN_CONTACT = 0.01, 0.02  # duration [s]
_ACROSS = np.vstack([pin.skew(axis) for axis in np.eye(3)])  # cross products with each axis
QUANTILE = 1.96  # of a normal distribution: standard deviations in half a 95 % interval


def inertia_variations(
    state: PointState, robot: Robot, inertia: str, error: ModelError = MODEL_ERROR
) -> np.ndarray:
    """Return M + B with each link and then each motor moved alone, shape (m, n, n) [kg.m^2].

    Args:
        state: of the arm.
        robot: the arm.
        inertia: name of the inertia of the impact map, one of ``robot.motor_inertias``.
        error: of the model.

    Raises:
        UnknownNameError: no such model.
    """
    M_x = map_inertia(state, robot, inertia)
    n = len(M_x)
    motors = np.zeros((n, n, n))
    motors.ravel()[:: n * n + n + 1] = robot.motor_inertias[inertia]
    parts = np.concatenate([state.robot_state.link_inertias(), motors])
    varied: np.ndarray = M_x + error.inertia * parts
    return varied


def place_variations(
    state: PointState, surface: Surface, error: ModelError = MODEL_ERROR
) -> np.ndarray:
    """Return the contact's Jacobian with the point moved thrice, the surface tilted twice.

    The point moves along each axis of its frame; the surface tilts about each tangent, which tilts
    along.

    Args:
        state: of the arm.
        surface: that is hit.
        error: of the model.

    Returns:
        linear Jacobians in the contact axes p, shape (5, 3, n).
    """
    J = contact_jacobian(state, surface.rotation)
    to_contact = surface.rotation.T
    levers = error.point * to_contact.dot(state.rotation)  # one in each column
    turning = _ACROSS.dot(to_contact.dot(state.J[3:])).reshape(3, -1)
    moved = J - levers.T.dot(turning).reshape(3, *J.shape)
    return np.concatenate([moved, _tilts(error.normal) @ J])


@cache
def _tilts(angle: float) -> np.ndarray:
    """Return the rotations from p to axes that are tilted about each tangent, shape (2, 3, 3)."""
    return np.array([pin.exp3(-tilt) for tilt in angle * np.eye(3)[:2]])


def joint_impulse_effects(M_x: np.ndarray, error: ModelError = MODEL_ERROR) -> np.ndarray:
    """Return the velocity changes by an unknown impulse in each joint, (n, n) [rad/s], by rows.

    Args:
        M_x: M + B, shape (n, n) [kg.m^2].
        error: of the model.
    """
    from impact_predictor.compiled.mobility import inverse  # loads slowly

    return np.asarray(error.joint_impulse * inverse(M_x))


def friction_scale(duration: float) -> float:
    """Return by how much more friction in joints passes than in the 10 ms of ``MODEL_ERROR`` [-].

    Args:
        duration: of the contact, NaN: unknown, then 20 ms are taken [s].
    """
    return max(1.0, (duration if np.isfinite(duration) else UNKNOWN_CONTACT) / USUAL_CONTACT)
