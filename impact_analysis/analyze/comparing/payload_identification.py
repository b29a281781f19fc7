# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
r"""What an arm carries, from the joint torques of its free motion: mass and centre, with intervals.

Torques behind the motors are linear in what a link and a payload at it weigh
(Atkeson, An, Hollerbach, IJRR 1986):

.. math:: \tau - Y \phi = Y_p (m, m d) + b + f \tanh(\dot q / w) + v \dot q + Y \epsilon + g Y \phi

m is the payload's mass, d its centre from the contact point. What else may explain the same torques
has a share in the interval, each with its own spread: biases b and gains g of the torque sensors,
Coulomb and viscous friction f, v behind them, masses of the links. In one posture a bias and a
payload differ only by the joints on which they act; several postures, and motions in both
directions, tell them apart. Windows of one posture err in the same way and count as one.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pinocchio as pin

from impact_predictor.prediction.model_error import MODEL_ERROR, QUANTILE
from impact_robots import Robot
from impact_robots.surface import middle

BIAS, FRICTION = 0.01, 0.015  # of a joint's torque limit, deviations; chosen
GAIN = 0.03  # of a torque sensor, relative, deviation; chosen
NOISE, NOISE_SHARE = 0.1, 0.003  # of a posture's torques [N.m], and of the limit; chosen
REACH = 0.1  # of the payload's centre from the contact point along each axis, deviation; chosen [m]
LEAST = 0.3  # payload for which that is counted, at least [kg]
SLOW = 0.02  # joint speed at which friction has its direction [rad/s]
SAME = 0.3  # distance of joint positions within which a posture is the same [rad]
UNFIT = 4.0  # mean square of all errors over their deviations, above which no payload is reported
_ANY = 20.0  # payload, deviation [kg]
_PASSES = 3  # of the reach, which grows with the payload


@dataclass(frozen=True)
class CarriedPayload:
    """What an arm carries beside what its model has; contact frame, origin at the contact point."""

    mass: float  # [kg]
    low: float  # of the 95 % interval [kg]
    high: float  # [kg]
    centre: np.ndarray  # shape (3,) [m]
    centre_half: np.ndarray  # half of its 95 % intervals, shape (3,) [m]
    postures: int  # that it rests on
    declared: tuple[float, float]  # that the robot's YAML or the user says, low, high [kg]

    @property
    def is_another(self) -> bool:
        """Whether it is not what was declared."""
        low, high = self.declared
        return self.low > high or 0.0 < self.high < low


def identify_payload(robot: Robot, windows: np.ndarray) -> CarriedPayload | None:
    """Return the payload, none where torques are missing or fit no payload.

    Args:
        robot: whose model has the middle of the payload that was declared.
        windows: of free motion; means of joint positions [rad], velocities [rad/s], accelerations
            [rad/s^2] and torques, gravity included [N.m], shape (k, 4, n).
    """
    if not len(windows) or robot.model.nv != robot.dof or not np.isfinite(windows).all():
        return None
    design, left = _design(robot, windows)
    of_posture = _postures(windows[:, 0])
    limit = np.where(np.isfinite(robot.limits.torque), robot.limits.torque, 0.0)
    weight = 1.0 / (NOISE + NOISE_SHARE * limit)
    share = np.sqrt(np.bincount(of_posture)[of_posture])
    scale = weight / share[:, None]
    rows = (design * scale[..., None]).reshape(-1, design.shape[-1])
    values = (left * scale).ravel()
    found = np.zeros(design.shape[-1])
    for _ in range(_PASSES):
        spread = _spread(limit, max(LEAST, abs(float(found[0]))))
        covariance = np.linalg.inv(rows.T @ rows + np.diag(spread**-2))
        found = covariance @ rows.T @ values
    postures = int(of_posture.max()) + 1
    surprise = np.square(values - rows @ found).sum() + np.square(found / spread)[1:].sum()
    if surprise > UNFIT * postures * robot.dof:
        return None
    return _payload(found, covariance, robot.payload, postures)


def _design(robot: Robot, windows: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return what each unknown does to torques, (k, n, u), and what the model leaves, (k, n)."""
    model, n = robot.model, robot.dof
    data, frame = model.createData(), model.frames[model.getFrameId(robot.contact_frame)]
    R, place = frame.placement.rotation, frame.placement.translation
    own = 10 * (frame.parentJoint - 1)
    numbers = np.concatenate([link.toDynamicParameters() for link in list(model.inertias)[1:]])
    rows, left = [], []
    for q, dq, ddq, tau in windows:
        Y = pin.computeJointTorqueRegressor(model, data, q, dq, ddq)
        links = (Y * numbers).reshape(n, -1, 10).sum(axis=2)
        whole = links.sum(axis=1)
        mass = Y[:, own] + Y[:, own + 1 : own + 4] @ place
        lever = Y[:, own + 1 : own + 4] @ R
        diagonals = map(np.diag, (np.ones(n), np.tanh(dq / SLOW), dq, whole))
        rows.append(np.column_stack([mass, lever, links, *diagonals]))
        left.append(tau - whole)
    return np.array(rows), np.array(left)


def _spread(limit: np.ndarray, mass: float) -> np.ndarray:
    """Return the deviation of each unknown, shape (u,)."""
    n = len(limit)
    floor = np.maximum(limit, 1.0)  # of joints whose limit nobody knows [N.m]
    links = np.full(n, MODEL_ERROR.inertia / QUANTILE)
    payload = [_ANY, *[REACH * mass] * 3]
    return np.concatenate(
        [payload, links, BIAS * floor, FRICTION * floor, FRICTION * floor, np.full(n, GAIN)]
    )


def _postures(q: np.ndarray) -> np.ndarray:
    """Return the number of the posture of each window, from joint positions (k, n), shape (k,)."""
    first: list[np.ndarray] = []
    numbers = []
    for row in q:
        near = [k for k, one in enumerate(first) if np.linalg.norm(row - one) < SAME]
        if not near:
            first.append(row)
        numbers.append(near[0] if near else len(first) - 1)
    return np.array(numbers)


def _payload(
    found: np.ndarray, covariance: np.ndarray, declared: tuple[float, float], postures: int
) -> CarriedPayload:
    """Return the payload of the unknowns (u,), with their covariance (u, u), beside the model's."""
    mass, half = found[0] + middle(declared), QUANTILE * float(np.sqrt(covariance[0, 0]))
    carried = max(LEAST, abs(float(mass)))
    by_unknowns = np.column_stack([-found[1:4] / carried, np.eye(3)]) / carried
    of_centre = by_unknowns @ covariance[:4, :4] @ by_unknowns.T
    return CarriedPayload(
        float(mass),
        float(mass - half),
        float(mass + half),
        found[1:4] / carried,
        QUANTILE * np.sqrt(np.diag(of_centre)),
        postures,
        declared,
    )
