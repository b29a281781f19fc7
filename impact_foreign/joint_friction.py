# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Friction in the joints of a real arm, behind its torque sensors."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class JointFriction:
    r"""Sigmoid friction; Gaz, Cognetti, Oliva, Robuffo Giordano, De Luca, RA-L 2019.

    .. math:: \tau_f = A / (1 + e^{-\alpha (\dot q + s)}) - A / (1 + e^{-\alpha s})

    It is smooth through rest, and not symmetric.
    """

    amplitude: np.ndarray  # A, shape (n,) [N.m]
    offset: np.ndarray  # s, shape (n,) [rad/s]
    slope: np.ndarray  # alpha, shape (n,) [s/rad]

    def torque(self, dq: np.ndarray) -> np.ndarray:
        """Return what acts against the motion, shape (n,) [N.m], of joint velocities dq [rad/s]."""
        moving = 1.0 / (1.0 + np.exp(-self.slope * (dq + self.offset)))
        resting = 1.0 / (1.0 + np.exp(-self.slope * self.offset))
        return np.asarray(self.amplitude * (moving - resting))

    def scaled(self, factor: float) -> JointFriction:
        """Return friction of another size."""
        return JointFriction(factor * self.amplitude, self.offset, self.slope)


# As identified for a Panda by the same authors.
PANDA_FRICTION = JointFriction(
    np.array([0.54615, 0.87224, 0.64068, 1.2794, 0.83904, 0.30301, 0.56489]),
    np.array([0.039533, 0.025882, -0.04607, 0.036194, 0.026226, -0.021047, 0.0035526]),
    np.array([5.1181, 9.0657, 10.136, 5.5903, 8.3469, 17.133, 10.336]),
)
