# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""A request, by file or message: impact of arms with flat plates on an object."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import ArrayLike

from impact_predictor.multicontact.bodies import ArmBody, FreeBody
from impact_predictor.multicontact.object_impact import (
    OBJECT_MAPS,
    Footing,
    ObjectImpact,
    Plate,
    object_impact,
)
from impact_predictor.prediction.predict import check_finite, motor_inertia
from impact_robots import ArmDynamics, Robot


@dataclass(frozen=True)
class ObjectArm:
    """One arm right before the impact; its plate is about the robot's contact point."""

    q: ArrayLike  # joint positions, shape (n,) [rad]
    dq: ArrayLike  # joint velocities, shape (n,) [rad/s]
    base_position: ArrayLike = (0.0, 0.0, 0.0)  # in the world, shape (3,) [m]
    base_rotation: ArrayLike = field(default_factory=lambda: np.eye(3))  # to world axes, (3, 3)
    half_extents: ArrayLike = (0.05, 0.05)  # of the plate, shape (2,) [m]
    friction: float = 0.8  # of the plate on the object [-]


@dataclass(frozen=True)
class ObjectQuestion:
    """Arms of one kind that hit an object at the same time."""

    arms: Mapping[str, ObjectArm]  # by name, at least one
    body: FreeBody  # the object
    footing: Footing | None = None  # its support; None: it is free, or lifted
    kinds: Sequence[str] = OBJECT_MAPS  # maps wanted


@dataclass(frozen=True)
class ObjectAnswer:
    """Prediction by one impact map."""

    inertia: str  # of the arms, one of ``robot.motor_inertias``
    kind: str  # one of OBJECT_MAPS
    result: ObjectImpact


def object_answers(
    question: ObjectQuestion, robot: Robot, inertias: Sequence[str] = ()
) -> tuple[ObjectAnswer, ...]:
    """Return the prediction by each map, for each inertia.

    Args:
        question: the request.
        robot: every arm.
        inertias: of the impact maps; None: all of ``robot.motor_inertias``.

    Raises:
        OutOfRangeError: no arm, a state that is not finite, or an array of the wrong shape.
        RobotError: a normal is zero, or another number of joints.
        UnknownNameError: no such inertia or map.
        UnsolvedImpactError: no impulses were found that satisfy Coulomb's law.
    """
    dynamics = ArmDynamics(robot)
    states = {name: dynamics(arm.q, arm.dq) for name, arm in question.arms.items()}
    for state in states.values():
        check_finite(state)
    answers = []
    for inertia in inertias or tuple(robot.motor_inertias):
        B = motor_inertia(robot, inertia)
        plates = {
            name: Plate(
                ArmBody(states[name], B, arm.base_position, arm.base_rotation),
                arm.half_extents,
                arm.friction,
            )
            for name, arm in question.arms.items()
        }
        answers += [
            ObjectAnswer(
                inertia, kind, object_impact(plates, question.body, question.footing, kind=kind)
            )
            for kind in question.kinds
        ]
    return tuple(answers)
