# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""A hit from which an arm learns: what its joints did."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class LearningHit:
    """Joint states around a hit; N samples of n joints at any distances, on one clock."""

    time: np.ndarray  # since the touch as it was detected, 1 ms off at most, shape (N,) [s]
    position: np.ndarray  # of the links, shape (N, n) [rad]
    velocity: np.ndarray  # of the links, shape (N, n) [rad/s]
    torque: np.ndarray  # of the springs, measured, shape (N, n) [N.m]
    command: np.ndarray | None = None  # to the torque loop, shape (N, n) [N.m]; none: constant
