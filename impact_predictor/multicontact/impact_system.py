# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Robots, objects, contacts and loops put together: build the impact's problem, then solve it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from impact_predictor.exceptions import UnknownNameError
from impact_predictor.multicontact.bodies import Body
from impact_predictor.multicontact.contacts import WORLD, BodyContact, Loop
from impact_predictor.multicontact.simultaneous_impact import simultaneous_impact
from impact_predictor.multicontact.simultaneous_result import SimultaneousImpact
from impact_robots.exceptions import OutOfRangeError
from impact_robots.validation import finite_array


@dataclass(frozen=True)
class SystemImpact:
    """Velocity changes of each body by an impact."""

    velocities: dict[str, np.ndarray]  # after, joints' (n,) or [linear of COM; angular] (6,)
    impact: SimultaneousImpact  # contacts and loops in the order given


@dataclass(frozen=True)
class ImpactSystem:
    """The problem of an impact: generalised inertia, Jacobians and velocities of all bodies."""

    M: np.ndarray  # shape (nv, nv)
    J: np.ndarray  # of the contacts, each in its own contact axes, shape (3k, nv)
    v: np.ndarray  # before, shape (nv,)
    friction: np.ndarray  # shape (k,) [-]
    restitution: np.ndarray  # shape (k,) [-]
    loops: np.ndarray  # that stay closed, shape (l, nv)
    closed: np.ndarray  # that the impact closes, shape (c, nv)
    slices: dict[str, slice]  # of each body's velocities in v

    def solve(self, tolerance: float = 1e-10) -> SystemImpact:
        """Return the result of the impact.

        Raises:
            OutOfRangeError: a coefficient is out of its range.
            UnsolvedImpactError: no impulses were found that satisfy the law.
        """
        impact = simultaneous_impact(
            self.M,
            self.J,
            self.v,
            friction=self.friction,
            restitution=self.restitution,
            loops=self.loops,
            closed=self.closed,
            tolerance=tolerance,
        )
        after = {name: impact.v_after[where] for name, where in self.slices.items()}
        return SystemImpact(after, impact)


def impact_system(
    bodies: Mapping[str, Body], contacts: Sequence[BodyContact], loops: Sequence[Loop] = ()
) -> ImpactSystem:
    """Return the problem of an impact between ``bodies``, and with the world.

    Args:
        bodies: by name; not "world", which is there anyway.
        contacts: all closed contacts, approaching or not.
        loops: joints between bodies, closed before or by the impact.

    Raises:
        OutOfRangeError: an argument of the wrong shape or range; no contact and no loop.
        RobotError: a normal or an axis is zero.
        UnknownNameError: no such body or joint.
    """
    if WORLD in bodies:
        raise OutOfRangeError("bodies", f"names other than {WORLD!r}", WORLD)
    if not contacts and not any(loop.closes for loop in loops):
        raise OutOfRangeError("contacts", "at least one", contacts)
    slices, nv = {}, 0
    for name, body in bodies.items():
        slices[name] = slice(nv, nv + len(body.velocity()))
        nv = slices[name].stop
    M, v = np.zeros((nv, nv)), np.zeros(nv)
    for name, body in bodies.items():
        M[slices[name], slices[name]] = body.inertia()
        v[slices[name]] = body.velocity()
    nothing = np.zeros((0, nv))
    joints = {
        closes: np.vstack([nothing, *_joint_rows(bodies, slices, nv, loops, closes)])
        for closes in (False, True)
    }
    return ImpactSystem(
        M=M,
        J=np.vstack([nothing, *(_contact_rows(bodies, slices, nv, each) for each in contacts)]),
        v=v,
        friction=np.array([contact.friction for contact in contacts], dtype=float),
        restitution=np.array([contact.restitution for contact in contacts], dtype=float),
        loops=joints[False],
        closed=joints[True],
        slices=slices,
    )


def _joint_rows(
    bodies: Mapping[str, Body],
    slices: dict[str, slice],
    nv: int,
    loops: Sequence[Loop],
    closes: bool,
) -> list[np.ndarray]:
    """Return the Jacobian of each joint that the impact closes, or keeps, (6, 5, 4 or 3, nv)."""
    chosen = [loop for loop in loops if loop.closes == closes]
    return [loop.rows() @ _relative(bodies, slices, nv, loop) for loop in chosen]


def _contact_rows(
    bodies: Mapping[str, Body], slices: dict[str, slice], nv: int, contact: BodyContact
) -> np.ndarray:
    """Return the Jacobian of a contact in its own axes, shape (3, nv)."""
    J = _relative(bodies, slices, nv, contact)[:3]
    given = ((contact.a, contact.jacobian_a, 1.0), (contact.b, contact.jacobian_b, -1.0))
    for name, jacobian, sign in given:
        if jacobian is not None and name != WORLD:
            where = slices[name]
            n = where.stop - where.start
            J[:, where] = sign * finite_array(jacobian, (3, n), f"jacobian of {name}")
    return contact.rotation().T @ J


def _relative(
    bodies: Mapping[str, Body], slices: dict[str, slice], nv: int, joint: BodyContact | Loop
) -> np.ndarray:
    """Return the Jacobian of a's twist less b's at the joint's point, world axes, (6, nv)."""
    point = finite_array(joint.point, (3,), "point")
    if joint.a == joint.b:
        raise OutOfRangeError("contacts and loops", "two bodies", f"{joint.a} and {joint.b}")
    J = np.zeros((6, nv))
    for name, sign in ((joint.a, 1.0), (joint.b, -1.0)):
        if name == WORLD:
            continue
        if name not in bodies:
            raise UnknownNameError("body", name, [*bodies, WORLD])
        J[:, slices[name]] = sign * bodies[name].jacobian(point)
    return J
