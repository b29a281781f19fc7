# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Inputs and outputs of the compiled motion after contact."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

TICK = 250e-6  # of the joint torque loop, 4 kHz [s]
HUNT_CROSSLEY, EXTENDED, RIGID = 0.0, 1.0, 2.0  # kinds of contact law


class ContactSurfaces(NamedTuple):
    """Contacts, axes two tangents and the normal of each."""

    J: np.ndarray  # contiguous, shape (3 c, n)
    laws: np.ndarray  # stiffness, damping (rigid: restitution), exponent, kind, shape (c, 4)
    friction: np.ndarray  # Coulomb's coefficients, shape (c,)
    velocity: np.ndarray  # before the impact, shape (3 c,) [m/s]


class ElasticMotion(NamedTuple):
    """Links and motors beside the uniform motion before the impact, shape (n,) each."""

    q: np.ndarray  # of the links [rad]
    th: np.ndarray  # of the motors [rad]
    vq: np.ndarray  # [rad/s]
    vt: np.ndarray  # [rad/s]
    load: np.ndarray  # of the springs [N.m]
    filtered: np.ndarray  # load measured by the torque loop [N.m]


class StepTorques(NamedTuple):
    """Of one step, shape (n,) each."""

    act: np.ndarray  # of the actuators [N.m]
    passed: np.ndarray  # by the joints [N.m]
    acceleration: np.ndarray  # of the links [rad/s^2]


class LoadRecord(NamedTuple):
    """Loads and forces so far; a trace of no rows is not filled."""

    loads: np.ndarray  # highest and lowest, shape (2, n) [N.m]
    times: np.ndarray  # theirs, shape (2, n) [s]
    contact: np.ndarray  # impulses (3 c), peak normal forces (c), ends of the last forces (c)
    trace: np.ndarray  # at every tick loads, normal forces, depths, q and vq, (ticks, 3 n + 2 c)
