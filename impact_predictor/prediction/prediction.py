# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Prediction of one impact of a robot by one impact map."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from impact_predictor.impact_result import ContactMode, Flag


class Prediction(NamedTuple):
    """Predicted impact; O are base axes, p contact axes with z out of the surface."""

    inertia: str  # of the impact map: "M", "M+B_theta" or "M+B_rho"
    inverse_inertia: str  # model behind the effective mass: "em", "gm", "crb" or "flex"
    contact: str  # name of the contact point
    contact_position: np.ndarray  # in O, shape (3,) [m]
    contact_rotation: np.ndarray  # R_Op, shape (3, 3)
    friction: float  # [-]
    restitution: float  # [-]
    friction_law: str  # one of FRICTION_LAWS
    joint_names: tuple[str, ...]  # of the velocities; a floating base's six come first
    dq_before: np.ndarray  # shape (n,) [rad/s]
    dq_after: np.ndarray  # shape (n,) [rad/s]
    velocity_before: np.ndarray  # of the contact point, in p, shape (3,) [m/s]
    velocity_after: np.ndarray  # of the contact point, in p, shape (3,) [m/s]
    impulse: np.ndarray  # on the robot, in p, shape (3,) [N.s]
    effective_mass: float  # along the normal, by ``inverse_inertia`` [kg]
    mode: ContactMode
    delta_com_velocity: np.ndarray  # jump of the centre of mass's velocity, in O, shape (3,) [m/s]
    delta_angular_momentum: np.ndarray  # jump about the centre of mass, in O, shape (3,) [N.m.s]
    energy_gain: float  # kinetic energy after minus before, in the map's inertia [J]
    flags: Flag
    approximate_to_exact_ratio: float  # e_a [-]
    jacobian_condition: float  # largest over smallest singular value of J_v [-]
