# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""The force of an arm on an object that it moves, computed from the reference."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike

from impact_qp.references import ReferenceState
from impact_robots.exceptions import OutOfRangeError
from impact_robots.state.state import PointState
from impact_robots.validation import finite_array, friction_coefficient, positive

GRAVITY = 9.81  # [m/s^2]
WRENCH = 6  # size of a wrench: force and moment
_LIFT = np.array([0.0, 0.0, GRAVITY])
_MOVING = 5e-3  # speed of the reference below which sliding friction fades [m/s]

# point of the post-impact reference: wrench on the object, [force; moment], base axes, (6,)
ForceLaw = Callable[[ReferenceState], np.ndarray]


def no_force(motion: ReferenceState) -> np.ndarray:
    """Return no wrench, shape (6,)."""
    return np.zeros(WRENCH)


class _Along:
    """Force along a direction of any length."""

    direction: ArrayLike

    @cached_property
    def _d(self) -> np.ndarray:
        """The direction, unit, shape (3,)."""
        return _unit(self.direction, "direction")


@dataclass(frozen=True)
class PushForce(_Along):
    r"""Force :math:`m(\ddot p_d^T d + \mu g)` along d that moves a sliding object as the reference.

    Without the object's inertia a reference that decelerates shifts the root of the net feedback
    by a fifth. A plate cannot pull: the force is never against d. Friction fades as the reference
    comes to rest: an object that is let go at once pushes the plate back.
    """

    mass: float  # of the object [kg]
    friction: float  # between object and table [-]
    direction: ArrayLike  # d, of the push, base axes, any length, shape (3,)

    def __post_init__(self) -> None:
        """Check the numbers.

        Raises:
            OutOfRangeError: one is out of its range.
        """
        positive(self.mass, "mass")
        friction_coefficient(self.friction)
        _unit(self.direction, "direction")

    def __call__(self, motion: ReferenceState) -> np.ndarray:
        """Return the wrench on the object."""
        d = self._d
        slides = min(1.0, max(0.0, float(motion.velocity[:3].dot(d)) / _MOVING))
        grip = slides * self.friction * GRAVITY
        force = self.mass * (float(motion.acceleration[:3].dot(d)) + grip)
        return _without_moment(max(0.0, force) * d)


@dataclass(frozen=True)
class GrabForce(_Along):
    r"""One arm's part of holding an object: a clamp force, and :math:`s\,m(\ddot p_d + g z)`."""

    mass: float  # of the object [kg]
    clamp: float  # into the object [N]
    direction: ArrayLike  # of the clamp force, base axes, any length, shape (3,)
    fraction: float = 0.5  # s, of the object's weight and inertia [-]

    def __post_init__(self) -> None:
        """Check the numbers.

        Raises:
            OutOfRangeError: one is out of its range.
        """
        positive(self.mass, "mass")
        finite_array(self.clamp, (), "clamp")
        positive(self.fraction, "fraction")
        _unit(self.direction, "direction")

    def __call__(self, motion: ReferenceState) -> np.ndarray:
        """Return the wrench on the object."""
        d = self._d
        carried = self.fraction * self.mass * (motion.acceleration[:3] + _LIFT)
        across = carried - d * d.dot(carried)  # along d the arms' parts are the clamp force
        return _without_moment(self.clamp * d + across)


def force_acceleration(
    point: PointState, motor_inertia: np.ndarray, wrench: np.ndarray
) -> np.ndarray:
    r"""Return :math:`(M + B_\theta)^{-1}J^T f_d`, shape (n,) [rad/s^2].

    Added to the tasks' joint accelerations it is :math:`a_f = \Lambda^{-1}f_d` in all of them (van
    Steen et al., 26, 27), and :math:`\tau = J^T f_d` beside gravity at rest.

    Args:
        point: of the arm that exerts the wrench.
        motor_inertia: diagonal of B_theta, shape (n,) [kg.m^2].
        wrench: on the object at the point, [force; moment], base axes, shape (6,).
    """
    inertia = point.robot_state.inertia(motor_inertia)
    return np.linalg.solve(inertia, point.J.T @ wrench)


def _without_moment(force: np.ndarray) -> np.ndarray:
    """Return a force (3,) as a wrench, shape (6,)."""
    wrench = np.zeros(WRENCH)
    wrench[:3] = force
    return wrench


def _unit(vector: ArrayLike, name: str) -> np.ndarray:
    """Return a unit vector."""
    array = finite_array(vector, (3,), name)
    length = float(np.linalg.norm(array))
    if length < 1e-9:
        raise OutOfRangeError(name, "a vector above 0", vector)
    return array / length
