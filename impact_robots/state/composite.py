# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Which links count as the composite rigid body, and what they weigh together."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import pinocchio as pin

from impact_robots.compiling.array_kinds import Matrix, Vector
from impact_robots.exceptions import RobotError

_new = tuple.__new__  # half the time of the constructor
COMPOSITES = ("moving", "all", "chain")


class Composite(NamedTuple):
    """Links taken together; O are base (or world) axes.

    The arrays may be parts of pinocchio's memory, into which the next state is written.
    """

    com: Vector  # in O, shape (3,) [m]
    mass: float  # [kg]
    rotational_inertia: Matrix  # about com, in O, shape (3, 3) [kg.m^2]
    A_G: Matrix  # qdot to [linear; angular] momentum about com, in O, shape (6, n)


def composite_of(
    model: pin.Model, data: pin.Data, frame: int, which: str = "moving"
) -> Callable[[], Composite]:
    """Return the function that computes a composite body after ``pinocchio.computeAllTerms``.

    Args:
        model: of pinocchio.
        data: its work memory.
        frame: index of the contact frame.
        which: of :data:`COMPOSITES`: "moving" leaves out the base (the fixed link, or the body of
            a free-flyer), as Wang, Dehio, Kheddar, RA-L 2022 do; "all" counts it; "chain" counts
            the links between base and contact only, as they do for each arm of a humanoid.

    Raises:
        RobotError: there is no such choice, or it has no mass.
    """
    joints = joints_of(model, frame, which)
    if joints == list(range(1, model.njoints)):
        return _every_moving_link(model, data)
    return lambda: _some_links(model, data, joints)


def joints_of(model: pin.Model, frame: int, which: str) -> list[int]:
    """Return the joints whose links count; 0 is the fixed base link.

    Arguments and errors are those of :func:`composite_of`.
    """
    if which not in COMPOSITES:
        raise RobotError(f"composite: expected one of {', '.join(COMPOSITES)}, got {which!r}")
    joints = _counted(model, frame, which)
    if not sum(model.inertias[i].mass for i in joints) > 0.0:
        raise RobotError(f"composite {which!r}: expected links with mass, got none")
    return joints


def _counted(model: pin.Model, frame: int, which: str) -> list[int]:
    floating = model.njoints > 1 and model.joints[1].nv == 6
    base = 1 if floating else 0
    if which == "chain":
        chain = list(model.supports[model.frames[frame].parentJoint])
        return [i for i in chain if i > base]
    moving = [i for i in range(1, model.njoints) if i != base]
    return moving if which == "moving" else [base, *moving]


def _every_moving_link(model: pin.Model, data: pin.Data) -> Callable[[], Composite]:
    """Return the function that shows what pinocchio has summed up already, in its memory."""
    pin.computeAllTerms(model, data, pin.neutral(model), np.zeros(model.nv))
    mass, total, com, A_G = data.Ig.mass, data.Ig, data.com[0], data.Ag.reshape(6, model.nv)
    return lambda: _new(Composite, (com, mass, total.inertia, A_G))


def inertia_of(model: pin.Model, data: pin.Data, joints: list[int]) -> Callable[[], pin.Inertia]:
    """Return the function that sums up links as one body, in O, after ``computeAllTerms``.

    It takes the subtrees that begin with them, less those that branch off. That of 0, all moving
    links, is without the fixed base link.

    Args:
        model: of pinocchio.
        data: its work memory.
        joints: whose links count.
    """
    parents = list(model.parents)
    first, *others = [data.oYcrb[i] for i in joints if parents[i] not in joints or i == 0]
    others += [model.inertias[0]] if 0 in joints else []
    branches = [
        data.oYcrb[i] for i in range(1, model.njoints) if parents[i] in joints and i not in joints
    ]

    def summed() -> pin.Inertia:
        body = first
        for tree in others:
            body = body + tree
        for tree in branches:
            body = body - tree
        return body

    return summed


def _some_links(model: pin.Model, data: pin.Data, joints: list[int]) -> Composite:
    """Return the sum over the links of ``joints``."""
    links = [data.oMi[i].act(model.inertias[i]) for i in joints]
    total = links[0]
    for link in links[1:]:
        total = total + link
    about_origin = np.zeros((6, model.nv))
    for joint, link in zip(joints, links, strict=True):
        if joint > 0:
            jacobian = pin.getJointJacobian(model, data, joint, pin.WORLD)
            about_origin += link.matrix() @ jacobian.reshape(6, model.nv)
    A_G = about_origin.copy()
    A_G[3:] -= pin.skew(total.lever) @ about_origin[:3]
    return Composite(total.lever.copy(), total.mass, total.inertia.copy(), A_G)
