# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Friction in the joints of an arm, as it was identified behind the torque sensors."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class JointFriction:
    r"""Smooth friction torque of n joints, arrays of shape (n,).

    .. math:: \tau_f = \frac{A}{1 + e^{-\alpha (\dot q + s)}} - \frac{A}{1 + e^{-\alpha s}}

    (Gaz, Cognetti, Oliva, Robuffo Giordano, De Luca, RA-L 2019).
    """

    amplitude: np.ndarray  # A [N.m]
    slope: np.ndarray  # alpha [s/rad]
    offset: np.ndarray  # s [rad/s]

    def __call__(self, dq: np.ndarray) -> np.ndarray:
        """Return the friction torque at joint velocities ``dq`` [rad/s], shape (n,) [N.m]."""
        moving = 1.0 / (1.0 + np.exp(-self.slope * (dq + self.offset)))
        return self.amplitude * (moving - 1.0 / (1.0 + np.exp(-self.slope * self.offset)))

    def scaled(self, factor: float) -> JointFriction:
        """Return friction of another size."""
        return JointFriction(factor * self.amplitude, self.slope, self.offset)


# Identified for the Panda in the paper above; measured behind the torque sensor, hence small.
PANDA_FRICTION = JointFriction(
    amplitude=np.array([0.54615, 0.87224, 0.64068, 1.2794, 0.83904, 0.30301, 0.56489]),
    slope=np.array([5.1181, 9.0657, 10.136, 5.5903, 8.3469, 17.133, 10.336]),
    offset=np.array([0.039533, 0.025882, -0.04607, 0.036194, 0.026226, -0.021047, 0.0035526]),
)
