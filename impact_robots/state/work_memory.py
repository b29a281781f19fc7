# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""pinocchio's work memory for one model, and any point's motion out of it."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any, NamedTuple

import numpy as np
import pinocchio as pin

from impact_robots.compiling.direct_call import direct
from impact_robots.compiling.plain_numbers import JointNumbers, PointNumbers
from impact_robots.state.composite import inertia_of, joints_of
from impact_robots.state.frames import frame_index

_AXES = pin.LOCAL_WORLD_ALIGNED
_new = tuple.__new__  # half the time of the constructor
PointFunction = Callable[..., None]


@cache
def _adder() -> Callable[..., None]:
    from impact_robots.state.compiled_point import add_force_about  # loads slowly

    function: Callable[..., None] = direct(add_force_about)
    return function


class PointMotion(NamedTuple):
    """A point at one state, all copies; as in :class:`~impact_robots.PointState`."""

    frame: str
    J: np.ndarray  # shape (6, n)
    twist: np.ndarray  # shape (6,)
    drift: np.ndarray  # shape (6,)
    rotation: np.ndarray  # shape (3, 3)
    position: np.ndarray  # shape (3,)


class _Frame(NamedTuple):
    """A frame of the model, looked up once."""

    name: str
    number: int  # in the model
    rotation: np.ndarray  # of it in the work memory, which stays where it is
    position: np.ndarray
    joint: JointNumbers


class WorkMemory:
    """Holds one state at a time; not for two threads at once."""

    def __init__(
        self, model: pin.Model, contact_frame: str, *, point_motion: PointFunction | None = None
    ) -> None:
        """Make the memory for a model.

        Args:
            model: of pinocchio.
            contact_frame: the one that goes without saying.
            point_motion: that of ``impact_robots.state.compiled_point``; none: pinocchio does it.

        Raises:
            RobotError: there is no such frame.
        """
        self._point_motion = point_motion
        self.model, self.data = model, model.createData()
        self._contact_frame, self._rest = contact_frame, np.zeros(model.nv)
        self._frames: dict[str | None, _Frame] = {}
        self._contact = self._frames[None] = self._frame(contact_frame)
        self._bodies: dict[tuple[str, str], Callable[[], pin.Inertia]] = {}
        # The work memory stays where it is, and looking these up takes longer than copying them.
        data, roots = self.data, [i for i in range(1, model.njoints) if model.parents[i] == 0]
        self._A_G, self._com = data.Ag.reshape(6, model.nv), data.com[0]
        pin.computeAllTerms(model, data, pin.neutral(model), self._rest)
        self._total = float(data.Ig.mass)  # of all moving links [kg]
        self._weight = self._total * model.gravity.linear
        self._roots = [  # joints whose forces, of a motion without accelerations, bear all links
            (
                self._com,
                data.oMi[i].rotation,
                data.oMi[i].translation,
                data.f[i].linear,
                data.f[i].angular,
            )
            for i in roots
        ]
        self._inertias: np.ndarray | None = None  # of the joints' bodies, shape (joints, 6, 6)
        self._held: np.ndarray | None = None  # q or block of the state in memory, by identity

    def __reduce__(self) -> tuple[Any, ...]:
        """Travel without what is in memory: it is computed again when it is asked for."""
        return WorkMemory, (self.model, self._contact_frame)  # and without compiled functions

    def compute(self, q: np.ndarray, dq: np.ndarray) -> None:
        """Put a state into memory: positions (nq,) [rad] and velocities (nv,) [rad/s]."""
        pin.computeAllTerms(self.model, self.data, q, dq)
        if self._point_motion is None:
            pin.forwardKinematics(self.model, self.data, q, dq, self._rest)  # for the drift
        self._held = q

    def point(self, q: np.ndarray, dq: np.ndarray, name: str | None) -> PointMotion:
        """Return the origin of a frame in a state; none: the contact frame.

        A state that is not in memory any more is put there again.

        Raises:
            RobotError: there is no such frame.
        """
        frame = self._frames.get(name) or self._frame(name or "")
        self._hold(q, dq)
        return self._moving(frame, dq)

    def contact(self, q: np.ndarray, dq: np.ndarray) -> PointMotion:
        """Put a state into memory, and return the origin of the contact frame in it."""
        self.compute(q, dq)
        return self._moving(self._contact, dq)

    def _moving(self, frame: _Frame, dq: np.ndarray) -> PointMotion:
        """Return the origin of a frame in the state in memory."""
        if self._point_motion is not None:
            new, n = np.empty, len(dq)
            arrays = new((6, n)), new(6), new(6), new((3, 3)), new(3)
            self._point_motion(dq, frame.joint, _new(PointNumbers, arrays))
            return _new(PointMotion, (frame.name, *arrays))
        model, data, index = self.model, self.data, frame.number
        pin.updateFramePlacement(model, data, index)
        drift = pin.getFrameClassicalAcceleration(model, data, index, _AXES).vector.copy()
        J = pin.getFrameJacobian(model, data, index, _AXES).reshape(6, len(dq))
        rotation, position = frame.rotation.copy(), frame.position.copy()
        return PointMotion(frame.name, J, J.dot(dq), drift, rotation, position)

    def point_beside(
        self, q: np.ndarray, dq: np.ndarray, name: str | None, offset: np.ndarray
    ) -> PointMotion:
        """Return a point ``offset`` (3,) [m] away from a frame's origin, in the frame's axes.

        Raises:
            RobotError: there is no such frame.
        """
        frame = self._frames.get(name) or self._frame(name or "")
        self._hold(q, dq)
        model, data, known = self.model, self.data, self.model.frames[frame.number]
        if self._point_motion is not None:
            pin.forwardKinematics(model, data, q, dq, self._rest)
        joint, at = known.parentJoint, known.placement * pin.SE3(np.eye(3), offset)
        drift = pin.getFrameClassicalAcceleration(model, data, joint, at, _AXES).vector.copy()
        J = pin.getFrameJacobian(model, data, joint, at, _AXES).reshape(6, len(dq))
        placement = data.oMi[joint] * at
        return PointMotion(
            frame.name, J, J.dot(dq), drift, placement.rotation, placement.translation
        )

    def whole(self, q: np.ndarray, dq: np.ndarray) -> tuple[float, np.ndarray]:
        """Return mass [kg] and centre of mass, shape (3,) [m], of all moving links in a state."""
        self._hold(q, dq)
        return self._total, self._com.copy()

    def body(
        self, q: np.ndarray, dq: np.ndarray, name: str, which: str
    ) -> tuple[float, np.ndarray, np.ndarray]:
        """Return mass [kg], centre of mass (3,) [m] and inertia about it (3, 3) of some links.

        Raises:
            RobotError: no such frame or composite.
        """
        of_links = self._bodies.get((name, which))
        if of_links is None:
            joints = joints_of(self.model, frame_index(self.model, name), which)
            of_links = self._bodies[name, which] = inertia_of(self.model, self.data, joints)
        self._hold(q, dq)
        body = of_links()
        return body.mass, body.lever.copy(), body.inertia

    def momentum(self, q: np.ndarray, dq: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return A_G (6, n) of all moving links and its drift A_G_dot dq, shape (6,)."""
        self._hold(q, dq)
        drift, add = np.zeros(6), _adder()
        for force in self._roots:
            add(*force, drift)
        drift[:3] += self._weight
        return self._A_G.copy(), drift

    def link_inertias(self, q: np.ndarray, dq: np.ndarray) -> np.ndarray:
        """Return the part of M that is each joint's body's, shape (joints, n, n) [kg.m^2]."""
        self._hold(q, dq)
        model, data = self.model, self.data
        if self._inertias is None:
            self._inertias = np.array([each.matrix() for each in list(model.inertias)[1:]])
        joints = range(1, model.njoints)
        J = np.array([pin.getJointJacobian(model, data, i, pin.LOCAL) for i in joints])
        J = J.reshape(len(J), 6, len(dq))
        parts: np.ndarray = np.swapaxes(J, 1, 2) @ self._inertias @ J
        return parts

    def lose(self) -> None:
        """Note that somebody else writes into the memory."""
        self._held = None

    def hold(self, block: np.ndarray) -> None:
        """Note that the state in memory is that of a block, see :class:`.PackedState`."""
        self._held = block

    def unpack(self, block: np.ndarray, q: np.ndarray) -> None:
        """Note that the positions in a block are known as ``q`` from now on, shape (n,) [rad]."""
        if self._held is block:
            self._held = q

    @property
    def contact_joint(self) -> tuple[str, JointNumbers]:
        """Name of the contact frame, and the motion of its joint."""
        return self._contact.name, self._contact.joint

    def _hold(self, q: np.ndarray, dq: np.ndarray) -> None:
        if self._held is not q:
            self.compute(q, dq)

    def _frame(self, name: str) -> _Frame:
        """Look up a frame.

        Raises:
            RobotError: there is no such frame (lists them).
        """
        index = frame_index(self.model, name)
        placement = self.data.oMf[index]
        joint = self._joint(self.model.frames[index])
        found = _Frame(name, index, placement.rotation, placement.translation, joint)
        self._frames[name] = found
        return found

    def _joint(self, frame: pin.Frame) -> JointNumbers:
        """Look up the joint of a frame."""
        data, number, moves = self.data, frame.parentJoint, np.zeros(self.model.nv)
        for each in self.model.supports[number]:
            joint = self.model.joints[each]
            moves[joint.idx_v : joint.idx_v + joint.nv] = 1.0
        return JointNumbers(
            data.J.reshape(6, -1),
            moves,
            data.oMi[number].rotation,
            data.oMi[number].translation,
            data.a_gf[number].linear,
            data.a_gf[number].angular,
            self.model.gravity.linear,
            frame.placement.rotation.copy(),
            frame.placement.translation.copy(),
        )
