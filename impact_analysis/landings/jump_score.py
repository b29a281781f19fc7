# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""How much of the joints' measured velocity jump an impact map explains."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from impact_analysis.landings.foot_touch import AFTER, BEFORE, FootTouch
from impact_analysis.landings.jump_models import JUMP_MODELS, predicted_jump
from impact_analysis.landings.landing import Landing
from impact_robots import ArmDynamics, Robot
from impact_robots.description.floating_base import joint_names


@dataclass(frozen=True)
class FootJump:
    """The joints' jumps at one foot's impact, of the joints from the base to the foot."""

    landing: str
    touch: FootTouch
    joints: tuple[str, ...]  # m of them
    passive: np.ndarray  # which have no motor, shape (m,)
    measured: np.ndarray  # shape (m,) [rad/s]
    predicted: dict[str, np.ndarray]  # by model, shape (m,) [rad/s]


def foot_jump(landing: Landing, touch: FootTouch, robot: Robot) -> FootJump:
    """Return measured and predicted jumps at one impact.

    Args:
        landing: the record.
        touch: of one of its feet.
        robot: that landed.

    Raises:
        RobotError: the landing is another robot's.
        UnsolvedImpactError: a map has no solution.
    """
    before, v = touch.sample - BEFORE, landing.v_differentiated
    state = ArmDynamics(robot).state(landing.q[before], v[before])
    leg = _leg(robot, touch.foot)
    names = joint_names(robot.model)
    columns = [6 + names.index(name) for name in leg]
    return FootJump(
        landing.name,
        touch,
        leg,
        np.array([name in robot.passive for name in leg]),
        (v[touch.sample + AFTER] - v[before])[columns],
        {model.name: predicted_jump(model, state, touch, robot)[columns] for model in JUMP_MODELS},
    )


def skill(jumps: list[FootJump], model: str, *, passive: bool = False) -> float:
    """Return 1 - (squares of the errors)/(squares of the jumps), 1 at best; 0: as no jump at all.

    Args:
        jumps: at least one.
        model: of :data:`JUMP_MODELS`.
        passive: only of joints without a motor.
    """
    error, size = 0.0, 0.0
    for jump in jumps:
        chosen = jump.passive if passive else np.ones(len(jump.measured), dtype=bool)
        error += float(np.sum((jump.predicted[model] - jump.measured)[chosen] ** 2))
        size += float(np.sum(jump.measured[chosen] ** 2))
    return 1.0 - error / size if size > 0.0 else float("nan")


def rms_error(jumps: list[FootJump], model: str | None = None) -> float:
    """Return the root of the mean squared error of a model, of no jump without one [rad/s]."""
    errors = [
        jump.measured if model is None else jump.predicted[model] - jump.measured for jump in jumps
    ]
    return float(np.sqrt(np.mean(np.concatenate(errors) ** 2)))


def _leg(robot: Robot, foot: str) -> tuple[str, ...]:
    """Return the joints from the base to a link."""
    model = robot.model
    support = model.supports[model.frames[model.getFrameId(foot)].parentJoint]
    return tuple(model.names[joint] for joint in support if model.names[joint] in robot.joint_names)
