# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
r"""Torques with which the motors give way to a contact, so that the joints bear less of it.

The handle's force F(t) pushes the links back. Motors that do not feel it load the joints with
:math:`B_\theta a`, the torque that turns them. With :math:`u = \Gamma B_\theta a(t)` in the
command, :math:`a = -(M + (1-\Gamma)B_\theta)^{-1} J^T b F`, that is
:math:`(1-\Gamma) B_\theta a`. (b: axis of the strike; M: links, adapter and what the head weighs
across the axis; Gamma: diagonal, gamma for joints that give way, else 0.) F is that of the plan's
model, for an arm with motors of :math:`(1-\Gamma)B_\theta`.

Friction at the head, of unknown direction, may turn a joint's load round, most of all in the wrist.
Such joints do not give way, and the others by what they bear at least. With :math:`\gamma = 1` and
without friction the light links of the wrist would fly, at twice their velocity limits; so gamma is
the largest with which no joint is predicted to get near its limit, or, if the contact alone makes
it that fast, much faster than that.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from impact_predictor.joint_load.motion_records import TICK
from impact_predictor.strike.strike_case import StrikeCase
from impact_predictor.strike.strike_loads import StrikeLoads
from impact_predictor.strike.striker import Striker

Pulse = np.ndarray  # torques beyond gravity, one row a period, shape (k, n) [N.m]
SHARES = 0.9, 0.8, 0.7, 0.6, 0.5, 0.4, 0.3, 0.2, 0.1  # gamma, best first [-]
FASTEST = 0.9  # of the velocity limits, after the contact
FASTER = 1.2  # velocity after the contact, over that without a pulse


def give_way(
    striker: Striker,
    case: StrikeCase,
    speed: float,
    dq: np.ndarray,
    *,
    period: float = 1e-3,
    shares: Sequence[float] = SHARES,
) -> Pulse:
    """Return the torques of a strike from its contact on, within the limits of torque and rate.

    They begin and end at zero, and last as long as the handle is pressed for the first time; no
    rows if a joint is too fast for any.

    Args:
        striker: arm and tool; its handle gives.
        case: tool and surface as they are expected; the highest friction.
        speed: of the head along the axis [m/s].
        dq: joint velocities at the contact, shape (n,) [rad/s].
        period: of control [s].
        shares: gamma, best first, below 1 [-].
    """
    highest = FASTEST * striker.robot.limits.velocity
    every = max(1, round(period / TICK))
    for share in (0.0, *shares):
        giving, motors = _giving(striker, case, share)
        force = _force(striker, case, speed, giving)
        pushed = _accelerations(striker, case, giving)[0]
        after = np.abs(dq + pushed * (force.sum() * TICK))
        if share == 0.0:
            highest = np.maximum(highest, FASTER * after)
        elif np.all(after <= highest):
            return _limited(striker, case, np.outer(force[::every], motors), period)
    return np.zeros((0, striker.robot.dof))


def _giving(striker: Striker, case: StrikeCase, share: float) -> tuple[np.ndarray, np.ndarray]:
    """Return gamma of each joint [-], and its torque per force of the handle [N.m/N], (n,) each."""
    giving, inertia = np.full(striker.robot.dof, share), striker.robot.apparent_motor_inertia
    while True:
        torques = giving * inertia * _accelerations(striker, case, giving)
        low, high = torques.min(axis=0), torques.max(axis=0)
        unsure = (giving > 0.0) & (low * high <= 0.0)
        if not unsure.any():
            return giving, np.where(low > 0.0, low, np.minimum(high, 0.0))
        giving = np.where(unsure, 0.0, giving)


def _force(striker: Striker, case: StrikeCase, speed: float, giving: np.ndarray) -> np.ndarray:
    """Return the handle's force, once a tick, while it is pressed [N]."""
    lighter = np.ones((3, len(giving)))
    lighter[2] = 1.0 - giving
    expected = case._replace(scale=lighter, friction=0.0)
    force = StrikeLoads(striker).history(expected, speed, striker.window)[:, -1]
    over = np.flatnonzero(force[1:] <= 0.0)
    return force[: 1 + over[0]] if len(over) else force


def _accelerations(striker: Striker, case: StrikeCase, giving: np.ndarray) -> np.ndarray:
    """Return the joints' accelerations under 1 N of the handle, without and with friction, (k, n).

    In four directions across the axis [rad/s^2].
    """
    bare, axes = striker.point(0.0), striker.point(case.tool.mass).rotation.T
    J, along = bare.J[:3], striker.direction
    M = bare.M + case.tool.mass * J.T @ (np.eye(3) - np.outer(along, along)) @ J
    motors = (1.0 - giving) * striker.robot.apparent_motor_inertia
    rubbing = [sign * case.friction * axis for axis in axes[:2] for sign in (1.0, -1.0)]
    forces = along + np.array([np.zeros(3), *rubbing])
    return -np.linalg.solve(M + np.diag(motors), (forces @ J).T).T


def _limited(striker: Striker, case: StrikeCase, wanted: np.ndarray, period: float) -> Pulse:
    """Return torques that follow the wanted ones, and end at zero, within the robot's limits."""
    limits, gravity = striker.robot.limits, striker.point(case.tool.mass).g
    step = limits.torque_rate * period
    wanted = np.clip(wanted, -limits.torque - gravity, limits.torque - gravity)
    rows, last = list[np.ndarray](), np.zeros(striker.robot.dof)
    for row in wanted:
        last = np.clip(row, last - step, last + step)
        rows.append(last)
    while np.abs(last).max() > 0.0:
        last = np.clip(0.0, last - step, last + step)
        rows.append(last)
    return np.array(rows)
