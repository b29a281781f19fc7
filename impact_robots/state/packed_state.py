# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""A state at the contact point in one array of floats, as control cycles compute and pass it."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

from impact_robots.compiling.array_kinds import Block, Matrix, ToMatrix, ToVector, Vector
from impact_robots.compiling.compiled import compiled, part
from impact_robots.compiling.direct_call import direct
from impact_robots.compiling.plain_numbers import (
    ArmNumbers,
    JointNumbers,
    JointTerms,
    PointNumbers,
    StateArrays,
)
from impact_robots.state.compiled_point import point_motion
from impact_robots.state.composite import Composite
from impact_robots.state.state import PointState, RobotState
from impact_robots.state.work_memory import PointMotion

if TYPE_CHECKING:
    from impact_robots.state.work_memory import WorkMemory

_new = tuple.__new__  # half the time of the constructor


def _arrays_in(block: np.ndarray, n: int) -> StateArrays:
    """Return the arrays of a state of n joints, all parts of its block; the last is the mass."""
    rows, rest = block[: n * (n + 16)].reshape(n + 16, n), block[n * (n + 16) :]
    vectors = rows[0], rows[1], rows[2], rows[3]
    body = rest[:3], rest[3:12].reshape(3, 3)
    motion = rows[10:16], rest[12:18], rest[18:24], rest[24:33].reshape(3, 3), rest[33:36]
    return StateArrays(*vectors, rows[16:], rows[4:10], *body, *motion)


_arrays = part(_arrays_in)


def _size(n: int) -> int:
    """Return the number of floats in a block of a state of n joints."""
    return n * (n + 16) + 37


@compiled
def _arm(
    q: Vector,
    dq: Vector,
    M: Matrix,
    h: Vector,
    g: Vector,
    com: Vector,
    mass: float,
    rotational_inertia: Matrix,
) -> ArmNumbers:
    return ArmNumbers(q, dq, M, h, g, com, mass, rotational_inertia)


@compiled
def _point(
    J: ToMatrix, twist: ToVector, drift: ToVector, rotation: ToMatrix, position: ToVector
) -> PointNumbers:
    return PointNumbers(J, twist, drift, rotation, position)


@part
def records_in(block: np.ndarray, n: int) -> tuple[ArmNumbers, PointNumbers]:
    """Return what the block of a state of n joints holds of the arm and of the contact point."""
    own, mass = _arrays(block, n), block[len(block) - 1]
    arm = _arm(own.q, own.dq, own.M, own.h, own.g, own.com, mass, own.rotational_inertia)
    return arm, _point(own.J, own.twist, own.drift, own.rotation, own.position)


@compiled
def write_state(
    q: Vector, dq: Vector, terms: JointTerms, body: Composite, joint: JointNumbers, block: Block
) -> None:
    """Write the block of a state whose dynamics are in pinocchio's memory.

    Args:
        q: positions, shape (n,) [rad].
        dq: velocities, shape (n,) [rad/s].
        terms: in that memory.
        body: the composite one.
        joint: of the frame at the contact point, in that memory.
        block: written.
    """
    own, n = _arrays(block, len(dq)), len(dq)
    for i in range(n):
        own.q[i], own.dq[i], own.h[i], own.g[i] = q[i], dq[i], terms.h[i], terms.g[i]
        for k in range(n):
            own.M[i, k] = terms.M[i, k]
        for row in range(6):
            own.A_G[row, i] = body.A_G[row, i]
    for i in range(3):
        own.com[i] = body.com[i]
        for k in range(3):
            own.rotational_inertia[i, k] = body.rotational_inertia[i, k]
    block[len(block) - 1] = body.mass
    point = _point(own.J, own.twist, own.drift, own.rotation, own.position)
    point_motion(dq, joint, point)


@compiled
def _motion_along(block: Block, direction: Vector) -> tuple[float, float]:
    place, speed, position, velocity = 0.0, 0.0, len(block) - 4, len(block) - 25
    for axis in range(3):
        place += direction[axis] * block[position + axis]
        speed += direction[axis] * block[velocity + axis]
    return place, speed


_along = direct(_motion_along)


class StatePacker:
    """Computes packed states of an arm with a fixed base; one per thread."""

    def __init__(self, memory: WorkMemory, composite: Callable[[], Composite]) -> None:
        """Prepare.

        Args:
            memory: of pinocchio.
            composite: returns the composite body of the state in memory.
        """
        data, n = memory.data, memory.model.nv
        self._memory, self._composite, self._write = memory, composite, direct(write_state)
        self._frame, self._joint = memory.contact_joint
        # The work memory stays where it is, and looking these up takes longer than copying them.
        # Of one joint M would be a vector.
        self._terms = JointTerms(data.M.reshape(n, n), data.nle, data.g)
        self._n, self._size = n, _size(n)

    def __call__(self, q: np.ndarray, dq: np.ndarray) -> PackedState:
        """Return a state of positions (n,) [rad] and velocities (n,) [rad/s]; unchecked."""
        memory, block = self._memory, np.empty(self._size)
        memory.compute(q, dq)
        memory.hold(block)
        self._write(q, dq, self._terms, self._composite(), self._joint, block)
        return PackedState(block, self._n, self._frame, memory)


class PackedState:
    """A state at the contact point; becomes a :class:`PointState` where one is needed.

    Attributes:
        block: of all numbers, see :func:`write_state`; nobody writes into it any more.
        n: joints.
    """

    __slots__ = ("_frame", "_memory", "_origin", "_point", "block", "n")

    def __init__(
        self,
        block: np.ndarray,
        n: int,
        frame: str,
        memory: WorkMemory,
        origin: PackedState | None = None,
    ) -> None:
        """Take a block.

        Args:
            block: of the state.
            n: joints.
            frame: name of the one at the contact point.
            memory: that computed it.
            origin: the state without what :meth:`opposing` changes; none: this one.
        """
        self.block, self.n, self._frame, self._memory = block, n, frame, memory
        self._origin = origin
        self._point: PointState | None = None

    @property
    def point(self) -> PointState:
        """The same state; its arrays are parts of the block."""
        if self._point is None:
            self._point = self._unpacked() if self._origin is None else self._changed(self._origin)
        return self._point

    def holds(self, point: PointState) -> bool:
        """Tell whether a point belongs to this state."""
        return self._point is not None and self._point.robot_state is point.robot_state

    @property
    def position(self) -> np.ndarray:
        """Of the contact point, base axes, shape (3,) [m]."""
        return self.block[-4:-1]

    @property
    def velocity(self) -> np.ndarray:
        """Of the contact point, base axes, shape (3,) [m/s]."""
        return self.block[-25:-22]

    @property
    def twist(self) -> np.ndarray:
        """Of the contact point, base axes, shape (6,) [m/s; rad/s]."""
        return self.block[-25:-19]

    def along(self, direction: np.ndarray) -> tuple[float, float]:
        """Return the contact point's position [m] and velocity [m/s] along a direction, (3,)."""
        return _along(self.block, direction)

    @property
    def q(self) -> np.ndarray:
        """Joint positions, shape (n,) [rad]."""
        return self.block[: self.n]

    @property
    def dq(self) -> np.ndarray:
        """Joint velocities, shape (n,) [rad/s]."""
        return self.block[self.n : 2 * self.n]

    @property
    def h(self) -> np.ndarray:
        """Coriolis, centrifugal and gravity torques, shape (n,) [N.m]."""
        return self.block[2 * self.n : 3 * self.n]

    @property
    def g(self) -> np.ndarray:
        """Gravity torques, shape (n,) [N.m]."""
        return self.block[3 * self.n : 4 * self.n]

    @property
    def J(self) -> np.ndarray:
        """Jacobian of the contact point, base axes, linear rows first, shape (6, n)."""
        return self.block[10 * self.n : 16 * self.n].reshape(6, self.n)

    @property
    def M(self) -> np.ndarray:
        """Mass matrix, shape (n, n) [kg.m^2]."""
        return self.block[16 * self.n : (16 + self.n) * self.n].reshape(self.n, self.n)

    def opposing(self, torque: np.ndarray) -> PackedState:
        """Return the state with torques (n,) [N.m] less in its bias forces."""
        changed = PackedState(self.block.copy(), self.n, self._frame, self._memory, self)
        changed.h[:] -= torque
        return changed

    def _unpacked(self) -> PointState:
        q, dq, h, g, M, A_G, com, inertia, *motion = _arrays_in(self.block, self.n)
        self._memory.unpack(self.block, q)
        point = _new(PointMotion, (self._frame, *motion))
        body = com, float(self.block[-1]), inertia, A_G
        known = {None: point, self._frame: point}
        state = _new(RobotState, (q, dq, M, h, g, *body, self._memory, known))
        return _new(PointState, (state, *point))

    def _changed(self, origin: PackedState) -> PointState:
        state, *point = origin.point
        q, dq, M, _, *others = state
        return _new(PointState, (_new(RobotState, (q, dq, M, self.h, *others)), *point))
