# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Computes the states of robots with pinocchio, one at a time or many."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import pinocchio as pin
from numpy.typing import ArrayLike

from impact_robots.compiling.direct_call import direct
from impact_robots.exceptions import RobotError
from impact_robots.robot import Robot
from impact_robots.state.composite import composite_of
from impact_robots.state.state import PointState, RobotState
from impact_robots.state.work_memory import PointFunction, WorkMemory

if TYPE_CHECKING:
    from impact_robots.state.packed_state import StatePacker

_new = tuple.__new__  # half the time of the constructor


class ArmStates(NamedTuple):
    """Dynamics at k states that impacts need, as in :class:`~impact_robots.PointState`."""

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
    """Computes the states of any pinocchio model, fixed or floating base.

    Owns the work memory, from which its states compute their points, so one instance per thread.
    """

    def __init__(
        self,
        model: pin.Model,
        contact_frame: str,
        composite: str = "moving",
        *,
        compiled: bool = False,
    ) -> None:
        """Prepare the computation.

        Args:
            model: of pinocchio; a floating base is a free-flyer as its first joint.
            contact_frame: name of the frame at the contact point.
            composite: links of the composite body: "moving" (all but the base, fixed or floating),
                "all" (the base too) or "chain" (those between base and contact).
            compiled: for control loops, points that take less time than pinocchio's; loads slowly.

        Raises:
            RobotError: no such frame or composite.
        """
        self._memory = WorkMemory(
            model, contact_frame, point_motion=_compiled() if compiled else None
        )
        self._model, self._data = model, self._memory.data
        self._frame = model.getFrameId(contact_frame)
        self._composite = composite_of(model, self._data, self._frame, composite)
        self._shapes = ((model.nq,), (model.nv,))
        pin.computeAllTerms(model, self._data, pin.neutral(model), np.zeros(model.nv))
        self._mass = self._composite().mass
        # The work memory stays where it is, and looking these up takes longer than copying them.
        data, n = self._data, model.nv
        self._views = data.M.reshape(n, n), data.nle, data.g  # of one joint M would be a vector

    def __call__(self, q: ArrayLike, dq: ArrayLike) -> PointState:
        """Return :meth:`state` at the contact point."""
        q, dq = np.array(q, dtype=float), np.array(dq, dtype=float)
        if (q.shape, dq.shape) != self._shapes:
            raise RobotError(
                f"state: expected {self._shapes[0][0]} positions and {self._shapes[1][0]} "
                f"velocities, got arrays of shape {q.shape} and {dq.shape}"
            )
        return self.given(q, dq)

    def state(self, q: ArrayLike, dq: ArrayLike) -> RobotState:
        """Return the dynamics at positions ``q`` (nq,) [rad] and velocities ``dq`` (nv,) [rad/s].

        Raises:
            RobotError: wrong number of values.
        """
        return self(q, dq).robot_state

    def given(self, q: np.ndarray, dq: np.ndarray) -> PointState:
        """Return the same for arrays of floats that the caller gives away; nothing is checked."""
        memory, (M, h, g) = self._memory, self._views
        point = memory.contact(q, dq)
        com, mass, inertia, A_G = self._composite()
        copies = M.copy(), h.copy(), g.copy(), com.copy(), mass, inertia, A_G.copy()
        known = {None: point, point.frame: point}
        state = _new(RobotState, (q, dq, *copies, memory, known))
        return _new(PointState, (state, *point))

    def packer(self) -> StatePacker:
        """Return what computes states for control cycles, of a fixed base; loads slowly."""
        from impact_robots.state.packed_state import StatePacker

        return StatePacker(self._memory, self._composite)

    def many(self, q: ArrayLike, dq: ArrayLike) -> ArmStates:
        """Return the dynamics at k states, positions (k, nq) [rad], velocities (k, nv) [rad/s].

        Raises:
            RobotError: tables with wrong numbers of columns or different numbers of rows.
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
        self._memory.lose()
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
        body = self._composite()
        states.com[i] = body.com
        states.rotational_inertia[i] = body.rotational_inertia
        states.A_G[i] = body.A_G

    def position(self, q: np.ndarray) -> np.ndarray:
        """Return the contact point in base axes, shape (3,) [m]."""
        self._memory.lose()
        pin.framesForwardKinematics(self._model, self._data, q)
        return self._data.oMf[self._frame].translation.copy()


class ArmDynamics(ContactDynamics):
    """:class:`ContactDynamics` of a robot of the suite at its contact point."""

    def __init__(self, robot: Robot, composite: str = "moving", *, compiled: bool = False) -> None:
        """Prepare the computation for ``robot``; the others as in the base class."""
        self.robot = robot
        super().__init__(robot.model, robot.contact_frame, composite, compiled=compiled)


def _compiled() -> PointFunction:
    from impact_robots.state.compiled_point import point_motion  # loads slowly

    motion: PointFunction = direct(point_motion)
    return motion
