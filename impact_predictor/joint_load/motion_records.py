# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Inputs and outputs of the compiled motion after contact."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

TICK = 250e-6  # of the joint torque loop, 4 kHz [s]
HUNT_CROSSLEY, EXTENDED, RIGID, YIELDING, LINEAR = 0.0, 1.0, 2.0, 3.0, 4.0  # kinds of law


class ContactSurfaces(NamedTuple):
    """Contacts, axes two tangents and the normal of each."""

    J: np.ndarray  # contiguous, shape (3 c, n)
    # stiffness, damping (rigid: restitution; yielding: force at which it yields, which grows),
    # exponent (yielding: growth of that force per depth), kind; shape (c, 4)
    laws: np.ndarray
    friction: np.ndarray  # Coulomb's coefficients, shape (c,)
    velocity: np.ndarray  # before the impact, shape (3 c,) [m/s]
    # of covers over the points: stiffness, 0: there is none, damping, thickness; shape (c, 3)
    covers: np.ndarray


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
    # impulses (3 c), peak normal forces (c), ends of the last forces (c), depths to which the
    # surfaces have yielded (c), compressions of the covers (c), and the largest so far (c)
    contact: np.ndarray
    trace: np.ndarray  # at every tick loads, normal forces, depths, q and vq, (ticks, 3 n + 2 c)
