# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Actuation of the joints by a robot's YAML: motor, spring and identified friction."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from impact_robots.entries import ABOVE_0, AT_LEAST_0, Entries


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
        """Return the friction scaled by a factor."""
        return JointFriction(factor * self.amplitude, self.slope, self.offset)


# Identified for the Panda in the paper above; measured behind the torque sensor, hence small.
PANDA_FRICTION = JointFriction(
    amplitude=np.array([0.54615, 0.87224, 0.64068, 1.2794, 0.83904, 0.30301, 0.56489]),
    slope=np.array([5.1181, 9.0657, 10.136, 5.5903, 8.3469, 17.133, 10.336]),
    offset=np.array([0.039533, 0.025882, -0.04607, 0.036194, 0.026226, -0.021047, 0.0035526]),
)


_MOTORS = ("reflected_motor_inertia", "apparent_motor_inertia")


def read_passive(entries: Entries, prefix: str, joints: tuple[str, ...]) -> tuple[str, ...]:
    """Return the joints without a motor.

    Raises:
        RobotError: one is not in ``joints``.
    """
    passive = tuple(prefix + joint for joint in entries.texts("passive", ()))
    if any(joint not in joints for joint in passive):
        raise entries.error("passive", f"some of {', '.join(joints)}", list(passive))
    return passive


def read_motors(entries: Entries, n: int, *, zero: bool) -> dict[str, np.ndarray]:
    """Return the motor inertias by key, each of shape (n,) [kg.m^2]; NaN is unknown.

    Args:
        entries: of the YAML.
        n: number of joints.
        zero: 0 is allowed: nothing divides by the inertia.

    Raises:
        RobotError: a wrong entry.
    """
    unknown, allowed = np.full(n, np.nan), AT_LEAST_0 if zero else ABOVE_0
    return {key: entries.vector(key, n, unknown, allowed) for key in _MOTORS}


def read_springs(entries: Entries, prefix: str, joints: tuple[str, ...]) -> np.ndarray:
    """Return the stiffness of the spring beside each joint, 0 without one, (n,) [N.m/rad].

    Raises:
        RobotError: a wrong entry, or an unknown joint.
    """
    if "springs" not in entries:
        return np.zeros(len(joints))
    names = [joint.removeprefix(prefix) for joint in joints]
    springs = entries.section("springs", names)
    return np.array([springs.number(name, 0.0, ABOVE_0) for name in names])
