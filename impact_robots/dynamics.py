# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Everything that the suite asks of rigid-body dynamics at one state, computed by pinocchio."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pinocchio as pin
from numpy.typing import ArrayLike

from impact_robots.composite import Composite, composite_of
from impact_robots.exceptions import RobotError
from impact_robots.robot import Robot


class ArmState(NamedTuple):
    """Dynamics at (q, qdot); O are base (or world) axes, p the contact point.

    For a floating base, n counts its six velocities too and q has its own length.
    """

    q: np.ndarray  # joint positions, shape (n,) [rad]
    dq: np.ndarray  # joint velocities, shape (n,) [rad/s]
    M: np.ndarray  # mass matrix, shape (n, n) [kg.m^2]
    h: np.ndarray  # Coriolis, centrifugal and gravity torques, shape (n,) [N.m]
    g: np.ndarray  # gravity torques, shape (n,) [N.m]
    J: np.ndarray  # Jacobian at p, rows [linear; angular] in O, shape (6, n)
    twist: np.ndarray  # J qdot, of the contact frame at p, shape (6,) [m/s; rad/s]
    dJ_dq: np.ndarray  # Jdot qdot at p, [linear; angular] in O, shape (6,)
    rotation: np.ndarray  # of the contact frame of the tool, in O, shape (3, 3)
    position: np.ndarray  # of p in O, shape (3,) [m]
    com: np.ndarray  # of the composite body, in O, shape (3,) [m]
    mass: float  # of the composite body [kg]
    rotational_inertia: np.ndarray  # of the composite body about com, in O, shape (3, 3) [kg.m^2]
    A_G: np.ndarray  # qdot to its [linear; angular] momentum about com, in O, shape (6, n)

    @property
    def velocity(self) -> np.ndarray:
        """Linear velocity of the contact point in O, shape (3,) [m/s]."""
        return self.twist[:3]

    def at_offset(self, offset: ArrayLike) -> ArmState:
        """Return the dynamics with the contact point moved by ``offset`` in tool axes, (3,) [m]."""
        lever = self.rotation @ np.asarray(offset, dtype=float)
        J, drift, spin = self.J.copy(), self.dJ_dq.copy(), self.twist[3:]
        J[:3] -= pin.skew(lever) @ self.J[3:]
        drift[:3] += np.cross(self.dJ_dq[3:], lever) + np.cross(spin, np.cross(spin, lever))
        position = self.position + lever
        return self._replace(J=J, twist=J @ self.dq, dJ_dq=drift, position=position)


class ArmStates(NamedTuple):
    """What impacts need of the dynamics at k states, as in :class:`ArmState`."""

    q: np.ndarray  # shape (k, nq) [rad]
    dq: np.ndarray  # shape (k, n) [rad/s]
    M: np.ndarray  # shape (k, n, n) [kg.m^2]
    J: np.ndarray  # shape (k, 6, n)
    position: np.ndarray  # shape (k, 3) [m]
    com: np.ndarray  # shape (k, 3) [m]
    mass: float  # [kg]
    rotational_inertia: np.ndarray  # shape (k, 3, 3) [kg.m^2]
    A_G: np.ndarray  # shape (k, 6, n)


class ContactDynamics:
    """Computes :class:`ArmState` of any pinocchio model at one frame, fixed or floating base.

    Owns the work memory, so one instance per thread.
    """

    def __init__(self, model: pin.Model, contact_frame: str, composite: str = "moving") -> None:
        """Prepare the computation.

        Args:
            model: of pinocchio; a floating base is a free-flyer as its first joint.
            contact_frame: name of the frame at the contact point.
            composite: links of the composite body: "moving" (all but the base, fixed or floating),
                "all" (the base too) or "chain" (those between base and contact).

        Raises:
            RobotError: no such frame or composite.
        """
        if not model.existFrame(contact_frame):
            raise RobotError(f"contact frame: no frame {contact_frame!r} in the model")
        self._model = model
        self._data = model.createData()
        self._frame = model.getFrameId(contact_frame)
        self._composite = composite_of(model, self._frame, composite)
        self._shapes = ((model.nq,), (model.nv,))
        self._rest = np.zeros(model.nv)
        pin.computeAllTerms(model, self._data, pin.neutral(model), self._rest)
        self._mass = self._composite(model, self._data).mass
        # The work memory stays where it is, and looking these up takes longer than copying them.
        data, placement = self._data, self._data.oMf[self._frame]
        self._views = data.M, data.nle, data.g, placement.rotation, placement.translation

    def __call__(self, q: ArrayLike, dq: ArrayLike) -> ArmState:
        """Return the dynamics at positions ``q`` (nq,) [rad] and velocities ``dq`` (nv,) [rad/s].

        Raises:
            RobotError: not that many numbers.
        """
        q, dq = np.array(q, dtype=float), np.array(dq, dtype=float)
        if (q.shape, dq.shape) != self._shapes:
            raise RobotError(
                f"state: expected {self._shapes[0][0]} positions and {self._shapes[1][0]} "
                f"velocities, got arrays of shape {q.shape} and {dq.shape}"
            )
        model, data, frame = self._model, self._data, self._frame
        pin.computeAllTerms(model, data, q, dq)
        body: Composite = self._composite(model, data)
        n = len(dq)
        pin.forwardKinematics(model, data, q, dq, self._rest)
        pin.updateFramePlacement(model, data, frame)
        drift = pin.getFrameClassicalAcceleration(model, data, frame, pin.LOCAL_WORLD_ALIGNED)
        J = pin.getFrameJacobian(model, data, frame, pin.LOCAL_WORLD_ALIGNED).reshape(6, n)
        M, h, g, rotation, translation = [view.copy() for view in self._views]
        return ArmState(
            q,
            dq,
            M.reshape(n, n),  # of a single joint pinocchio gives vectors
            h,
            g,
            J,
            J.dot(dq),
            drift.vector.copy(),
            rotation,
            translation,
            body.com,
            body.mass,
            body.rotational_inertia,
            body.A_G.reshape(6, n),
        )

    def many(self, q: ArrayLike, dq: ArrayLike) -> ArmStates:
        """Return the dynamics at k states, positions (k, nq) [rad], velocities (k, nv) [rad/s].

        Raises:
            RobotError: not two tables of that many columns and equally many rows.
        """
        q, dq = np.array(q, dtype=float), np.array(dq, dtype=float)
        k, n = len(np.atleast_1d(q)), self._model.nv
        if (q.shape, dq.shape) != ((k, self._model.nq), (k, n)):
            raise RobotError(
                f"states: expected tables of {self._model.nq} positions and {n} velocities per "
                f"row, got shapes {q.shape} and {dq.shape}"
            )
        states = ArmStates(
            q,
            dq,
            M=np.empty((k, n, n)),
            J=np.empty((k, 6, n)),
            position=np.empty((k, 3)),
            com=np.empty((k, 3)),
            mass=self._mass,
            rotational_inertia=np.empty((k, 3, 3)),
            A_G=np.empty((k, 6, n)),
        )
        for i in range(k):
            self._fill(states, i)
        return states

    def _fill(self, states: ArmStates, i: int) -> None:
        """Write the dynamics of row ``i``."""
        model, data, frame = self._model, self._data, self._frame
        pin.computeAllTerms(model, data, states.q[i], states.dq[i])
        n = model.nv
        states.M[i] = data.M.reshape(n, n)
        states.position[i] = pin.updateFramePlacement(model, data, frame).translation
        J = pin.getFrameJacobian(model, data, frame, pin.LOCAL_WORLD_ALIGNED)
        states.J[i] = J.reshape(6, n)
        body = self._composite(model, data)
        states.com[i] = body.com
        states.rotational_inertia[i] = body.rotational_inertia
        states.A_G[i] = body.A_G.reshape(6, n)

    def position(self, q: np.ndarray) -> np.ndarray:
        """Return the contact point in base axes, shape (3,) [m]."""
        pin.framesForwardKinematics(self._model, self._data, q)
        return self._data.oMf[self._frame].translation.copy()


class ArmDynamics(ContactDynamics):
    """:class:`ContactDynamics` of a robot of the suite at its contact point."""

    def __init__(self, robot: Robot, composite: str = "moving") -> None:
        """Prepare the computation for ``robot``; ``composite`` as in the base class."""
        self.robot = robot
        super().__init__(robot.model, robot.contact_frame, composite)
