# SPDX-License-Identifier: Apache-2.0
"""One call from a robot's state to everything that an impact would do."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from impact_predictor.approximation import approximate_to_exact_ratio
from impact_predictor.exceptions import UnknownNameError
from impact_predictor.impact_map import impact_map
from impact_predictor.impact_result import Flag
from impact_predictor.inverse_inertia import (
    contact_jacobian,
    crb,
    effective_mass,
    generalized_momentum,
)
from impact_predictor.prediction import Prediction
from impact_robots import ArmState, Robot

INVERSE_INERTIAS: dict[str, Callable[[ArmState, np.ndarray], np.ndarray]] = {
    "crb": crb,
    "gm": generalized_momentum,
}


def named_inverse_inertia(state: ArmState, rotation: np.ndarray, name: str = "crb") -> np.ndarray:
    """Return the inverse inertia ``name`` of the contact point, in p, shape (3, 3) [1/kg].

    Raises:
        UnknownNameError: not one of :data:`INVERSE_INERTIAS`.
    """
    if name not in INVERSE_INERTIAS:
        raise UnknownNameError("inverse inertia", name, INVERSE_INERTIAS)
    return INVERSE_INERTIAS[name](state, rotation)


def predict(
    state: ArmState,
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
        OutOfRangeError: friction or restitution out of range, or the state is not finite.
        UnknownNameError: no such model, law or inverse inertia.
    """
    motors = robot.motor_inertias
    if model not in motors:
        raise UnknownNameError("model", model, motors)
    J = contact_jacobian(state, rotation)
    W = named_inverse_inertia(state, rotation, inverse_inertia)
    result = impact_map(
        state.M, motors[model], J, state.dq, friction=friction, restitution=restitution, law=law
    )
    momentum_jump = state.A_G @ (result.dq_after - state.dq)
    return Prediction(
        model=model,
        inverse_inertia=inverse_inertia,
        contact=robot.contact_frame,
        contact_position=state.position,
        contact_rotation=rotation,
        friction=friction,
        restitution=restitution,
        friction_law=law,
        joint_names=robot.joint_names,
        dq_before=state.dq,
        dq_after=result.dq_after,
        velocity_before=result.velocity_before,
        velocity_after=result.velocity_after,
        impulse=result.impulse,
        effective_mass=effective_mass(W),
        mode=result.mode,
        delta_com_velocity=momentum_jump[:3] / state.mass,
        delta_angular_momentum=momentum_jump[3:],
        energy_gain=result.energy_gain,
        flags=result.flags | _limit_flags(state, robot, result.dq_after),
        approximate_to_exact_ratio=approximate_to_exact_ratio(state, rotation),
    )


def _limit_flags(state: ArmState, robot: Robot, dq_after: np.ndarray) -> Flag:
    """Return which of the robot's limits are broken before and after the impact."""
    limits, flags = robot.limits, Flag.NONE
    outside = (state.q < limits.position_lower) | (state.q > limits.position_upper)
    if np.any(outside) or np.any(np.abs(state.dq) > limits.velocity):
        flags |= Flag.STATE_LIMIT
    if np.any(np.abs(dq_after) > limits.velocity):
        flags |= Flag.VELOCITY_LIMIT
    return flags
