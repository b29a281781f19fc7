# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Which impact maps a landing is compared with, and the velocity jump that each predicts."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from impact_analysis.landings.foot_touch import FootTouch
from impact_predictor.multicontact.simultaneous_impact import simultaneous_impact
from impact_robots import Robot, RobotState, loop_jacobian

FRICTION = 0.8  # of rubber soles on the laboratory's floor


@dataclass(frozen=True)
class JumpModel:
    """An impact map of a foot that hits the floor with all its points, e = 0."""

    name: str
    inertia: str  # of ``Robot.motor_inertias``
    friction: float = FRICTION  # [-]
    locked: bool = False  # joints beside which there are springs do not move
    summary: str = ""


JUMP_MODELS = (
    JumpModel("M+B_rho", "M+B_rho", summary="rigid map, motors' inertia, friction"),
    JumpModel("M", "M", summary="the same without the motors' inertia"),
    JumpModel("frictionless", "M+B_rho", 0.0, summary="M+B_rho without friction"),
    JumpModel("springs locked", "M+B_rho", locked=True, summary="M+B_rho, springs rigid"),
)


def predicted_jump(
    model: JumpModel, state: RobotState, touch: FootTouch, robot: Robot
) -> np.ndarray:
    """Return the jump of the velocities at an impact of one foot, shape (nv,).

    Loops hold, the floor is level; the springs' forces are too small to matter within an impact,
    so a spring is a free joint, or with ``locked`` a rigid one.

    Args:
        model: which map.
        state: of the robot right before the impact.
        touch: which contacts hit.
        robot: the robot.

    Raises:
        UnsolvedImpactError: no impulses were found that satisfy Coulomb's law.
    """
    points = [state.at(each.name, at) for each in touch.contacts for at in each.points]
    held = loop_jacobian(robot.loops, state)
    if model.locked:
        springs = robot.on_velocities(robot.spring_stiffness) > 0.0  # type: ignore[arg-type]
        held = np.vstack([held, np.eye(len(state.dq))[springs]])
    impact = simultaneous_impact(
        state.inertia(robot.motor_inertias[model.inertia]),
        np.vstack([point.J[:3] for point in points]),
        state.dq,
        friction=model.friction,
        loops=held,
    )
    return np.asarray(impact.v_after - state.dq)
