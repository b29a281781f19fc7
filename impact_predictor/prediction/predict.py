# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""One call from a robot's state to everything that an impact would do."""

from __future__ import annotations

from math import isfinite
from typing import NamedTuple

import numpy as np

from impact_predictor.exceptions import OutOfRangeError, UnknownNameError
from impact_predictor.impact_result import Flag, ImpactMapResult
from impact_predictor.inertia.approximation import composite_contact, ratio
from impact_predictor.inertia.inertia_models import named_inverse_inertia
from impact_predictor.inertia.jacobian import contact_jacobian
from impact_predictor.laws.impact_map import map_state
from impact_predictor.prediction.prediction import Prediction
from impact_robots import PointState, Robot

_STATE_LIMIT, _VELOCITY_LIMIT = int(Flag.STATE_LIMIT), int(Flag.VELOCITY_LIMIT)


def predict(
    state: PointState,
    robot: Robot,
    rotation: np.ndarray,
    *,
    model: str = "M+B_theta",
    friction: float = 0.0,
    restitution: float = 0.0,
    law: str = "coulomb",
    inverse_inertia: str = "crb",
) -> Prediction:
    """Return what an impact in ``state`` would do.

    The jumps of the centre of mass's velocity and of the angular momentum are those of the arm
    whose joint velocities jump as predicted; its fixed base takes the rest of the impulse.

    Args:
        state: dynamics of the arm right before the impact.
        robot: the arm.
        rotation: R_Op, from contact axes to base axes, shape (3, 3); see ``contact_rotation``.
        model: inertia of the impact map, one of ``robot.motor_inertias``.
        friction: coefficient mu >= 0 [-].
        restitution: coefficient e, 0 to 1 [-].
        law: "coulomb" or "sliding" (as published).
        inverse_inertia: W behind the effective mass, one of :data:`INVERSE_INERTIAS`.

    Raises:
        NoImpulseError: Coulomb's law has no solution.
        OutOfRangeError: friction or restitution out of range, or the state is not finite.
        UnknownNameError: no such model, law or inverse inertia.
    """
    M_x = map_inertia(state, robot, model)
    J = contact_jacobian(state, rotation)
    check_finite(state)
    result = map_state(M_x, J, state.dq, friction=friction, restitution=restitution, law=law)
    assumptions = Assumptions(model, friction, restitution, law, inverse_inertia)
    return complete(result, state, robot, rotation, assumptions)


class Assumptions(NamedTuple):
    """What a prediction rests on, as in :class:`~impact_predictor.Prediction`."""

    model: str
    friction: float
    restitution: float
    friction_law: str
    inverse_inertia: str


def complete(
    result: ImpactMapResult,
    state: PointState,
    robot: Robot,
    rotation: np.ndarray,
    assumptions: Assumptions,
) -> Prediction:
    """Return the prediction that an impact map's ``result`` makes at one contact point.

    Raises:
        UnknownNameError: no such inverse inertia.
    """
    body, flags = composite_contact(state, rotation), int(result.flags)
    mass = body.effective_mass
    if assumptions.inverse_inertia != "crb":
        model = named_inverse_inertia(state, rotation, assumptions.inverse_inertia)
        mass, flags = model.effective_mass, flags | int(model.flags)
    momentum_jump = state.A_G.dot(result.dq_after - state.dq)
    flags |= _limit_flags(state, robot, result.dq_after)
    return Prediction(
        model=assumptions.model,
        inverse_inertia=assumptions.inverse_inertia,
        contact=state.frame,
        contact_position=state.position,
        contact_rotation=rotation,
        friction=assumptions.friction,
        restitution=assumptions.restitution,
        friction_law=assumptions.friction_law,
        joint_names=robot.joint_names,
        dq_before=state.dq,
        dq_after=result.dq_after,
        velocity_before=result.velocity_before,
        velocity_after=result.velocity_after,
        impulse=result.impulse,
        effective_mass=mass,
        mode=result.mode,
        delta_com_velocity=momentum_jump[:3] / state.mass,
        delta_angular_momentum=momentum_jump[3:],
        energy_gain=result.energy_gain,
        flags=Flag(flags),
        approximate_to_exact_ratio=ratio(body.normal_velocity, float(result.velocity_before[2])),
        jacobian_condition=result.jacobian_condition,
    )


def check_finite(state: PointState) -> None:
    """Check positions and velocities.

    Raises:
        OutOfRangeError: one is not finite.
    """
    if not isfinite(state.dq.dot(state.dq) + state.q.dot(state.q)):
        got = (state.q, state.dq)
        raise OutOfRangeError("state", "finite positions and velocities", got)


def map_inertia(state: PointState, robot: Robot, model: str) -> np.ndarray:
    """Return M + B of an impact map's ``model``, shape (n, n) [kg.m^2].

    Raises:
        UnknownNameError: not one of ``robot.motor_inertias``.
    """
    motors = robot.motor_inertias
    if model not in motors:
        raise UnknownNameError("model", model, motors)
    return state.robot_state.inertia(motors[model])


def _limit_flags(state: PointState, robot: Robot, dq_after: np.ndarray) -> int:
    """Return which of the robot's limits are broken before and after the impact."""
    flags, limits = 0, robot.limits.rows
    for (low, high, fastest), q, dq in zip(
        limits, state.q.tolist(), state.dq.tolist(), strict=True
    ):
        if not (low <= q <= high and -fastest <= dq <= fastest):
            flags = _STATE_LIMIT
            break
    for (_, _, fastest), dq in zip(limits, dq_after.tolist(), strict=True):
        if not -fastest <= dq <= fastest:
            return flags | _VELOCITY_LIMIT
    return flags
