# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""One call from a robot's state to everything that an impact would do."""

from __future__ import annotations

from math import isfinite

import numpy as np

from impact_predictor.exceptions import UnknownNameError
from impact_predictor.impact_result import Flag, ImpactMapResult
from impact_predictor.inertia.approximation import composite_contact, ratio
from impact_predictor.inertia.inertia_models import named_inverse_inertia
from impact_predictor.inertia.jacobian import contact_jacobian
from impact_predictor.laws.impact_map import map_state
from impact_predictor.prediction.prediction import Prediction
from impact_robots import PointState, Robot, Surface
from impact_robots.exceptions import OutOfRangeError

_STATE_LIMIT, _VELOCITY_LIMIT = int(Flag.STATE_LIMIT), int(Flag.VELOCITY_LIMIT)


def predict(
    state: PointState,
    surface: Surface,
    robot: Robot,
    *,
    inertia: str = "M+B_theta",
    law: str = "coulomb",
    inverse_inertia: str = "crb",
) -> Prediction:
    """Predict an impact on ``surface`` in ``state``.

    Friction and restitution are in the middle of their ranges. The jumps of the centre of mass's
    velocity and of the angular momentum are those of the arm whose joint velocities jump as
    predicted; its fixed base takes the rest of the impulse. The first call of a process loads what
    is compiled, half a second; the first after an installation by pip compiles it, some 10 s.

    Args:
        state: dynamics of the arm right before the impact.
        surface: that its contact point hits, wherever the surface is.
        robot: the arm.
        inertia: name of the inertia of the impact map, one of ``robot.motor_inertias``.
        law: of friction, one of :data:`FRICTION_LAWS`.
        inverse_inertia: W behind the effective mass, one of :data:`INVERSE_INERTIAS`.

    Raises:
        NoImpulseError: Coulomb's law has no solution.
        OutOfRangeError: the state is not finite.
        UnknownNameError: no such model, law or inverse inertia.
    """
    M_x = map_inertia(state, robot, inertia)
    J = contact_jacobian(state, surface.rotation)
    check_finite(state)
    mu, e = surface.middle
    result = map_state(M_x, J, state.dq, friction=mu, restitution=e, law=law)
    case = {"inertia": inertia, "law": law, "inverse_inertia": inverse_inertia}
    return complete(result, state, surface, robot, state.frame, **case)


def complete(
    result: ImpactMapResult,
    state: PointState,
    surface: Surface,
    robot: Robot,
    contact: str,
    *,
    inertia: str,
    law: str,
    inverse_inertia: str,
) -> Prediction:
    """Return the prediction that an impact map's ``result`` makes at one ``contact`` point.

    The other arguments are those of :func:`predict`.

    Raises:
        UnknownNameError: no such inverse inertia.
    """
    rotation, (friction, restitution) = surface.rotation, surface.middle
    body, flags = composite_contact(state, rotation), int(result.flags)
    mass = body.effective_mass
    if inverse_inertia != "crb":
        other = named_inverse_inertia(state, rotation, inverse_inertia)
        mass, flags = other.effective_mass, flags | int(other.flags)
    momentum_jump = state.A_G.dot(result.dq_after - state.dq)
    flags |= _limit_flags(state, robot, result.dq_after)
    return Prediction(
        inertia=inertia,
        inverse_inertia=inverse_inertia,
        contact=contact,
        contact_position=state.position,
        contact_rotation=rotation,
        friction=friction,
        restitution=restitution,
        friction_law=law,
        joint_names=robot.velocity_names,
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


def map_inertia(state: PointState, robot: Robot, inertia: str) -> np.ndarray:
    """Return M + B of an impact map's ``model``, shape (nv, nv) [kg.m^2].

    Raises:
        RobotError: the robot has closed loops, which M + B does not model.
        UnknownNameError: not one of ``robot.motor_inertias``.
    """
    motors = motor_inertia(robot, inertia)
    robot.require_no_loops("an impact map of one point")
    M_x = state.M.copy()
    M_x.ravel()[:: len(M_x) + 1] += motors
    return M_x


def motor_inertia(robot: Robot, inertia: str) -> np.ndarray:
    """Return the diagonal of B of an impact map's ``model``, shape (nv,) [kg.m^2].

    Raises:
        UnknownNameError: not one of ``robot.motor_inertias``.
    """
    motors = robot.motor_inertias
    if inertia not in motors:
        raise UnknownNameError("model", inertia, motors)
    return motors[inertia]


def _limit_flags(state: PointState, robot: Robot, dq_after: np.ndarray) -> int:
    """Return which of the robot's limits are broken before and after the impact."""
    flags, limits = 0, robot.limits.rows
    n = len(limits)  # the last of the positions and velocities
    for (low, high, fastest), q, dq in zip(
        limits, state.q.tolist()[-n:], state.dq.tolist()[-n:], strict=True
    ):
        if not (low <= q <= high and -fastest <= dq <= fastest):
            flags = _STATE_LIMIT
            break
    for (_, _, fastest), dq in zip(limits, dq_after.tolist()[-n:], strict=True):
        if not -fastest <= dq <= fastest:
            return flags | _VELOCITY_LIMIT
    return flags
