# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""The joints that carry a frame in plain numbers, for kinematics that are compiled."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pinocchio as pin

from impact_robots.compiling.array_kinds import Integers, Matrix, Vector


class AxisChain(NamedTuple):
    """k joints from the base to a frame, each turning or sliding along one axis.

    A row of ``joints`` is one of them: its place in the one before as rotation, row by row (9), and
    translation (3) [m]; its axis, own axes, of length 1 (3); 1 if it slides, 0 if it turns.
    """

    joints: Matrix  # shape (k, 16)
    places: Integers  # of each in the joint positions, integers, shape (k,)
    frame: Vector  # its place in the last joint, rotation and translation, shape (12,)


def axis_chain(model: pin.Model, frame: int) -> AxisChain | None:
    """Return the chain to a frame; none if it has other joints, such as a floating base.

    Args:
        model: of pinocchio.
        frame: its index.
    """
    numbers = [each for each in model.supports[model.frames[frame].parentJoint] if each > 0]
    if not numbers or any((model.joints[k].nq, model.joints[k].nv) != (1, 1) for k in numbers):
        return None
    rows = []
    for k in numbers:
        subspace = joint_subspace(model, k)
        lengths = np.linalg.norm(subspace[:3]), np.linalg.norm(subspace[3:])
        if min(lengths) > 0.0:  # a screw
            return None
        slides = lengths[0] > 0.0
        axis = subspace[:3] if slides else subspace[3:]
        rows.append([*_place(model.jointPlacements[k]), *axis, float(slides)])
    places = np.array([model.joints[k].idx_q for k in numbers], dtype=np.int64)
    return AxisChain(np.array(rows), places, _place(model.frames[frame].placement))


def joint_subspace(model: pin.Model, joint: int) -> np.ndarray:
    """Return the motion of a joint of one velocity, [linear; angular] in its own axes, (6,)."""
    data = model.joints[joint].createData()
    model.joints[joint].calc(data, pin.neutral(model), np.zeros(model.nv))
    return np.array(data.S, dtype=float).reshape(6)


def _place(placement: pin.SE3) -> np.ndarray:
    """Return rotation, row by row, and translation, shape (12,)."""
    return np.concatenate([placement.rotation.ravel(), placement.translation])
