# SPDX-License-Identifier: Apache-2.0
"""Everything that the suite asks of rigid-body dynamics at one state, computed by pinocchio."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pinocchio as pin
from numpy.typing import ArrayLike

from impact_robots.exceptions import RobotError
from impact_robots.robot import Robot


@dataclass(frozen=True, slots=True)
class ArmState:
    """Dynamics of a fixed-base arm at (q, qdot); O are base axes, p the contact point."""

    q: np.ndarray  # joint positions, shape (n,) [rad]
    dq: np.ndarray  # joint velocities, shape (n,) [rad/s]
    M: np.ndarray  # mass matrix, shape (n, n) [kg.m^2]
    h: np.ndarray  # Coriolis, centrifugal and gravity torques, shape (n,) [N.m]
    g: np.ndarray  # gravity torques, shape (n,) [N.m]
    J: np.ndarray  # Jacobian at p, rows [linear; angular] in O, shape (6, n)
    dJ_dq: np.ndarray  # Jdot qdot at p, [linear; angular] in O, shape (6,)
    rotation: np.ndarray  # of the contact frame of the tool, in O, shape (3, 3)
    position: np.ndarray  # of p in O, shape (3,) [m]
    com: np.ndarray  # of the moving links, in O, shape (3,) [m]
    mass: float  # of the moving links [kg]
    rotational_inertia: np.ndarray  # of the moving links about com, in O, shape (3, 3) [kg.m^2]
    A_G: np.ndarray  # qdot to [linear; angular] momentum about com, in O, shape (6, n)

    @property
    def velocity(self) -> np.ndarray:
        """Linear velocity of the contact point in O, shape (3,) [m/s]."""
        return self.J[:3] @ self.dq


class ArmDynamics:
    """Computes :class:`ArmState`; owns the work memory, so one instance per thread."""

    def __init__(self, robot: Robot) -> None:
        """Prepare the computation for ``robot``."""
        self.robot = robot
        self._model = robot.model
        self._data = robot.model.createData()
        self._frame = robot.model.getFrameId(robot.contact_frame)

    def __call__(self, q: ArrayLike, dq: ArrayLike) -> ArmState:
        """Return the dynamics at positions ``q`` [rad] and velocities ``dq`` [rad/s], both (n,).

        Raises:
            RobotError: not n numbers each.
        """
        q, dq = np.array(q, dtype=float), np.array(dq, dtype=float)
        if not q.shape == dq.shape == (self.robot.dof,):
            raise RobotError(
                f"state: expected {self.robot.dof} positions and velocities, got arrays of shape"
                f" {q.shape} and {dq.shape}"
            )
        model, data, frame = self._model, self._data, self._frame
        pin.computeAllTerms(model, data, q, dq)
        pin.updateFramePlacement(model, data, frame)
        placement = data.oMf[frame]
        J = pin.getFrameJacobian(model, data, frame, pin.LOCAL_WORLD_ALIGNED)
        mass, com, inertia = self._composite_rigid_body()
        return ArmState(
            q=q,
            dq=dq,
            M=_symmetric(data.M),
            h=data.nle.copy(),
            g=data.g.copy(),
            J=J,
            dJ_dq=self._drift(q, dq),
            rotation=placement.rotation.copy(),
            position=placement.translation.copy(),
            com=com,
            mass=mass,
            rotational_inertia=inertia,
            A_G=data.Ag.copy(),
        )

    def position(self, q: np.ndarray) -> np.ndarray:
        """Return the contact point in base axes, shape (3,) [m]."""
        pin.framesForwardKinematics(self._model, self._data, q)
        return self._data.oMf[self._frame].translation.copy()

    def _drift(self, q: np.ndarray, dq: np.ndarray) -> np.ndarray:
        """Return Jdot qdot at the contact point: its acceleration at zero joint acceleration."""
        pin.forwardKinematics(self._model, self._data, q, dq, np.zeros_like(dq))
        drift = pin.getFrameClassicalAcceleration(
            self._model, self._data, self._frame, pin.LOCAL_WORLD_ALIGNED
        )
        return drift.vector.copy()

    def _composite_rigid_body(self) -> tuple[float, np.ndarray, np.ndarray]:
        """Return mass, centre of mass and rotational inertia about it of the moving links."""
        composite = self._data.Ig
        return composite.mass, self._data.com[0].copy(), composite.inertia.copy()


def _symmetric(upper: np.ndarray) -> np.ndarray:
    """Return the symmetric matrix whose upper triangle pinocchio has filled."""
    return np.triu(upper) + np.triu(upper, 1).T


def contact_rotation(normal: ArrayLike) -> np.ndarray:
    """Return the rotation from contact axes p to base axes O, shape (3, 3).

    Args:
        normal: outward normal of the surface, towards the robot, in O, shape (3,); any length.

    The third column is the unit normal; the first is horizontal (the base's x axis if the normal
    is vertical), so a vertical wall has its first tangent sideways and its second upwards.

    Raises:
        RobotError: the normal is not three finite numbers, or is zero.
    """
    z = np.asarray(normal, dtype=float)
    if z.shape != (3,) or not np.all(np.isfinite(z)) or np.linalg.norm(z) < 1e-9:
        raise RobotError(f"normal: expected three finite numbers, not all zero, got {normal!r}")
    z = z / np.linalg.norm(z)
    x = np.cross([0.0, 0.0, 1.0], z)
    x = np.array([1.0, 0.0, 0.0]) if np.linalg.norm(x) < 1e-9 else x / np.linalg.norm(x)
    return np.column_stack([x, np.cross(z, x), z])
