# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
r"""What impulses at several contacts do to a robot that is bounded.

Rows :math:`\sum_a D_a\,\iota_a \le d`: joint torques, joint velocities after the impact and, where
asked for, velocity of the centre of mass and angular momentum after it (Wang 2023, 29 to 32, with
both signs).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from impact_predictor.inertia.impulse_maps import (
    angular_momentum_map,
    com_velocity_map,
    mean_force_factor,
)
from impact_predictor.inertia.jacobian import contact_jacobian
from impact_qp.limits.effects import row_names
from impact_qp.whole_body.arrival import ArrivingImpulses
from impact_robots import Robot, RobotState


@dataclass(frozen=True)
class CentroidalBounds:
    """Bounds on the whole robot's motion after the impact, world axes."""

    directions: np.ndarray  # G_c, of the com's velocity, shape (k, 3)
    com_velocity: np.ndarray  # h_c: G_c cdot+ <= h_c, shape (k,) [m/s]
    angular_momentum: np.ndarray | None = None  # of each axis, both signs, (3,) [N.m.s]; none: any

    @property
    def names(self) -> tuple[str, ...]:
        """Of the rows."""
        com = tuple(f"com velocity after {i + 1}" for i in range(len(self.com_velocity)))
        if self.angular_momentum is None:
            return com
        return com + tuple(
            f"angular momentum after {sign}{axis}" for sign in "+-" for axis in "xyz"
        )


@dataclass(frozen=True)
class ImpactRows:
    """Rows of several contacts' impulses."""

    D: tuple[np.ndarray, ...]  # of each contact, impulse in its axes to rows, shape (m, 3)
    most: np.ndarray  # d, what the sum may be, shape (m,)
    names: tuple[str, ...]  # of the m rows


def several_impact_rows(
    robot: Robot,
    state: RobotState,
    impulses: Sequence[ArrivingImpulses],
    centroidal: CentroidalBounds | None = None,
) -> ImpactRows:
    """Return the rows of joint torques and velocities after, and those of ``centroidal``.

    The jump of velocities is ``(M + B)^-1 J_v^T iota`` with what the robot's motors add, B_theta
    under a torque loop, else B_rho; those of the base are not bounded.

    Args:
        robot: with ``impulsive_torque``.
        state: before the impact.
        impulses: of all contacts, in this state.
        centroidal: further bounds; none: no such rows.

    Raises:
        RobotError: the robot's YAML does not give the impulsive torques.
    """
    robot.require("impact limits", "impulsive_torque")
    jacobians = [contact_jacobian(each.point, each.arrival.contact.rotation) for each in impulses]
    joints, n = slice(robot.nv - robot.dof, None), robot.dof
    jumps = np.linalg.solve(state.inertia(_motors(robot)), np.vstack(jacobians).T)
    D = []
    for i, (each, J) in enumerate(zip(impulses, jacobians, strict=True)):
        contact, jump = each.arrival.contact, jumps[joints, 3 * i : 3 * i + 3]
        torque = mean_force_factor(contact.peak_factor, contact.impact_duration) * J[:, joints].T
        D.append(np.vstack([torque, -torque, jump, -jump]))
    limits, dq = robot.limits, state.dq[joints]
    torque = limits.impulsive_torque
    most = np.concatenate([torque, torque, limits.velocity - dq, limits.velocity + dq])
    names = row_names(robot)[: 4 * n]
    if centroidal is None:
        return ImpactRows(tuple(D), most, names)
    more = [_centroidal_map(state, each, centroidal) for each in impulses]
    D = [np.vstack(pair) for pair in zip(D, more, strict=True)]
    most = np.append(most, _centroidal_most(state, centroidal))
    return ImpactRows(tuple(D), most, names + centroidal.names)


def _motors(robot: Robot) -> np.ndarray:
    """Return the diagonal of B, shape (nv,) [kg.m^2]."""
    motors = robot.motor_inertias
    return motors.get("M+B_theta", motors.get("M+B_rho", motors["M"]))


def _centroidal_map(
    state: RobotState, impulses: ArrivingImpulses, bounds: CentroidalBounds
) -> np.ndarray:
    """Return the rows of one contact's impulse, shape (k, 3)."""
    mass, com = state.whole()
    rotation = impulses.arrival.contact.rotation
    rows = bounds.directions @ com_velocity_map(mass, rotation)
    if bounds.angular_momentum is None:
        return rows
    turn = angular_momentum_map(impulses.point.position, com, rotation)
    return np.vstack([rows, turn, -turn])


def _centroidal_most(state: RobotState, bounds: CentroidalBounds) -> np.ndarray:
    """Return what the impulses may add, shape (k,)."""
    mass, _ = state.whole()
    A_G, _ = state.momentum()
    now = A_G @ state.dq
    most = bounds.com_velocity - bounds.directions @ (now[:3] / mass)
    if bounds.angular_momentum is None:
        return most
    return np.concatenate(
        [most, bounds.angular_momentum - now[3:], bounds.angular_momentum + now[3:]]
    )
