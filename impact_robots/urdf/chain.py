# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Which joints and links of a URDF are the arm: from a base to a tip, without what is beside it."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

import pinocchio as pin

from impact_robots.exceptions import RobotError

BASE, TIPS = "base_link", ("tool0", "flange")  # what arms' URDFs usually call them
_ROUNDING = 1e-9  # of a place that is another one's [m; rad]


class Chain(NamedTuple):
    """The arm in a URDF."""

    base: str  # link, of "base axes"
    tip: str  # link
    joints: tuple[str, ...]  # that move, in the URDF's order
    beside: tuple[str, ...]  # joints on other branches from the base, as of legs: locked


def find_chain(path: Path, model: pin.Model, base: str = "", tip: str = "") -> Chain:
    """Return the arm in a URDF.

    Args:
        path: of the URDF, for errors.
        model: of all of it.
        base: link; empty: ``base_link`` if it is in the place of the root, or else the root.
        tip: link; empty: of those behind most joints ``tool0``, ``flange``, or else the last.

    Raises:
        RobotError: no such link, or no joint of one coordinate that moves the tip.
    """
    parents = {f.name: f.parentJoint for f in model.frames if f.type == pin.BODY}
    for option, link in (("--base", base), ("--tip", tip)):
        if link and link not in parents:
            raise RobotError(f"{option}: expected a link of {path}, {_some(parents)}, got {link!r}")
    base = base or (BASE if BASE in parents and is_at_root(model, BASE) else root_link(model))
    tip = tip or _tip(model, parents)
    moved = set(_support(model, parents[tip])) - set(_support(model, parents[base]))
    joints = sorted(moved)
    if not joints:
        raise RobotError(f"{path}: expected joints that move {tip!r}, found none from {base!r} on")
    for joint in joints:
        if model.joints[joint].nq != 1:
            raise RobotError(
                f"{path}: joint {model.names[joint]!r}: expected revolute or prismatic with limits"
            )
    carried = set(_support(model, parents[base])) | moved
    beside = [j for j in range(1, model.njoints) if not carried & set(_support(model, j))]
    names = (tuple(model.names[j] for j in each) for each in (joints, beside))
    return Chain(base, tip, *names)


def root_link(model: pin.Model) -> str:
    """Return the name of the root of the URDF."""
    return next(each.name for each in model.frames if each.type == pin.BODY)


def is_at_root(model: pin.Model, link: str) -> bool:
    """Return whether a link is fixed where the root of the URDF is, with the same axes."""
    frame = model.frames[model.getFrameId(link)]
    return frame.parentJoint == 0 and frame.placement.isIdentity(_ROUNDING)


def _tip(model: pin.Model, parents: dict[str, int]) -> str:
    """Return the link that is most likely the arm's end."""
    depth = {link: len(_support(model, joint)) for link, joint in parents.items()}
    ends = [link for link in parents if depth[link] == max(depth.values())]
    return next((name for name in TIPS if name in ends), ends[-1])


def _support(model: pin.Model, joint: int) -> list[int]:
    """Return the joints from the root to a joint."""
    return [each for each in model.supports[joint] if each > 0]


def _some(names: dict[str, int]) -> str:
    listed = list(names)
    return ", ".join(listed[:12]) + (", ..." if len(listed) > 12 else "")
