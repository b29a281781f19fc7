# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""The highest speed of the head that joint velocities and the flange's limit allow."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from impact_predictor.exceptions import PredictionError
from impact_robots.robot import Robot
from impact_robots.state.state import PointState
from impact_robots.tools.tool import flange_of

_CUTS, _CLOSE = 50, 1e-6  # tangents of the flange's ball of velocities; excess of a speed [-]


class ReachedSpeed(NamedTuple):
    """A speed of the head, and how it is reached."""

    speed: float  # along the direction [m/s]
    dq: np.ndarray  # joint velocities, shape (n,) [rad/s]


def joint_speed(robot: Robot, point: PointState, direction: np.ndarray) -> ReachedSpeed:
    r"""Return the largest v with :math:`J\dot q = v\,d` within the limits of velocity.

    The rotation of the head is free. The flange's speed is a norm, which tangents replace: linear
    programmes until none is exceeded.

    Args:
        robot: whose limits count.
        point: the head.
        direction: d, base axes, shape (3,), unit.

    Raises:
        PredictionError: the solver failed.
    """
    from scipy.optimize import linprog  # loads slowly

    flange = point.robot_state.at(flange_of(robot)).J[:3]
    highest = robot.limits.velocity
    cuts: list[np.ndarray] = []
    for _ in range(_CUTS):
        found = linprog(
            np.append(np.zeros(robot.dof), -1.0),
            A_ub=np.array([np.append(cut @ flange, 0.0) for cut in cuts]) if cuts else None,
            b_ub=np.full(len(cuts), robot.flange_speed) if cuts else None,
            A_eq=np.column_stack([point.J[:3], -direction]),
            b_eq=np.zeros(3),
            bounds=[*zip(-highest, highest, strict=True), (0.0, None)],
            method="highs",
        )
        if not found.success:
            raise PredictionError(f"joint speed: linear programme failed: {found.message}")
        velocity = flange @ found.x[:-1]
        speed = float(np.linalg.norm(velocity))
        if speed <= robot.flange_speed * (1.0 + _CLOSE):
            break
        cuts.append(velocity / speed)
    return ReachedSpeed(float(found.x[-1]), found.x[:-1])
