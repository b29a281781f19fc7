# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""The largest push that does not stop an arm of given collision thresholds."""

from __future__ import annotations

from itertools import combinations, product
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from impact_robots.exceptions import OutOfRangeError
from impact_robots.robot import Robot
from impact_robots.state.state import RobotState

_FLAT = 1e-9  # of the largest: below it a volume, or a singular value, counts as zero
_ROUNDING = 1e-9  # fraction of a threshold
FOREARM = (0.0, 0.0, -0.2)  # of the point, in the axes of link 5 [m]


class StoppingPush(NamedTuple):
    """Largest pushes without a stop: any larger one stops the arm, whatever its direction [N]."""

    tool: float
    forearm: float
    elbow_across: float  # across the upper arm: along it no joint notices a push


def largest_push(J: ArrayLike, thresholds: ArrayLike) -> float:
    r"""Return :math:`\max\{|f| : |J^T f|_i \le \tau_i\}`, infinite if some force is not noticed.

    The set is a polytope, so the largest force is at one of its vertices, where as many joints are
    at their thresholds as f has components.

    Args:
        J: of the point, shape (d, n), d the dimension of the force.
        thresholds: of the joints' external torques, shape (n,) [N.m].

    Raises:
        OutOfRangeError: thresholds not above 0, or of another number.
    """
    rows, most = np.asarray(J, dtype=float).T, np.asarray(thresholds, dtype=float)
    n, d = rows.shape
    if most.shape != (n,) or not (most > 0.0).all():
        raise OutOfRangeError("thresholds", f"{n} numbers above 0", most.tolist())
    singular = np.linalg.svd(rows, compute_uv=False)
    if n < d or singular[-1] <= _FLAT * singular[0]:
        return float("inf")
    scaled = rows / most[:, None]
    flat = _FLAT * np.abs(scaled).max() ** d
    signs = np.array([(1.0, *rest) for rest in product((1.0, -1.0), repeat=d - 1)]).T
    found = 0.0
    for chosen in map(list, combinations(range(n), d)):
        if abs(np.linalg.det(scaled[chosen])) <= flat:
            continue
        forces = np.linalg.solve(scaled[chosen], signs)  # and their opposites
        inside = (np.abs(scaled @ forces) <= 1.0 + _ROUNDING).all(axis=0)
        found = max(found, float(np.linalg.norm(forces[:, inside], axis=0).max(initial=0.0)))
    return found


def stopping_push(robot: Robot, state: RobotState, thresholds: ArrayLike) -> StoppingPush:
    """Return the largest pushes at tool, forearm and elbow of a Panda or FR3.

    Args:
        robot: the arm.
        state: its own.
        thresholds: of the joints' external torques, shape (7,) [N.m].

    Raises:
        RobotError: the arm has no such links.
        OutOfRangeError: thresholds not above 0.
    """
    prefix = robot.base_frame.removesuffix("link0")
    elbow = state.at(f"{prefix}link4")
    upper_arm = elbow.position - state.at(f"{prefix}link2").position  # link 2 begins at joint 2
    across = np.linalg.svd(upper_arm[None])[2][1:]
    return StoppingPush(
        largest_push(state.at().J[:3], thresholds),
        largest_push(state.at(f"{prefix}link5", FOREARM).J[:3], thresholds),
        largest_push(across @ elbow.J[:3], thresholds),
    )
