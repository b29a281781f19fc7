# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Stiffness, damping and motor inertia of an arm's joints from hits that were recorded."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from impact_predictor.identification.joint_estimate import JointIdentification
from impact_predictor.identification.joint_fit import JointFit, JointHit, NominalJoint, fit_joint
from impact_predictor.joint_load.elastic_arm import drive_of, elastic_arm
from impact_predictor.recorded_hit import RecordedHit
from impact_robots.dynamics import ArmDynamics
from impact_robots.robot import Robot

BEFORE, AFTER = 0.01, 0.05  # fitted window around contact [s]
QUIET = -0.002  # end of the noise window before contact [s]
SLOWEST = 1.1e-3  # between samples [s]
JITTER = 0.1  # of a sample's distance to its neighbours [-]
EXCITED = 3.0  # smallest torque over noise with which a hit counts for a joint
FEWEST = 2  # hits of a joint
MOST = 24  # hits, the first ones: others would narrow intervals that errors of the model make
EXPLAINED, SIGMAS = 1.1, 3.0  # misfit up to which the model holds, but for that chance
QUANTILE = 1.96  # half of a 95 % interval, in standard deviations
LEAST_NOISE = 1e-7, 1e-3  # of positions [rad] and torques [N.m]: exact ones must divide, too


def identify_joints(robot: Robot, hits: Sequence[RecordedHit]) -> JointIdentification:
    """Identify an arm's joints from hits, each joint by itself.

    The link's position and the joint's torque are required, at 900 Hz or more, from 10 ms
    before to 50 ms after contact; the contact force is not. The arm coasts: its torque loop gets
    the torque of gravity compensation, or one that hardly changes. Hits that do not reach that far
    or are not evenly sampled are left out.

    Args:
        robot: whose YAML gives the nominal values, which the torque loop uses.
        hits: for each joint at most the first 24 with a significant torque are used.

    Raises:
        PredictionError: the robot's YAML does not give stiffness, damping and motor inertia.
    """
    joints, n = _nominal(robot), robot.dof
    windows = [window for hit in hits if (window := _window(robot, hit)) is not None]
    scale, low, high = (np.full((3, n), np.nan) for _ in range(3))
    count, misfit, most = np.zeros(n, dtype=int), np.full(n, np.nan), np.full(n, np.nan)
    if windows:
        position_noise, torque_noise = _noise(hits)
        for j, joint in enumerate(joints):
            own = [each[j] for each in windows if _excites(each[j], torque_noise[j])][:MOST]
            count[j] = len(own)
            if len(own) < FEWEST:
                continue
            found = fit_joint(joint, own, position_noise[j], torque_noise[j])
            misfit[j] = found.misfit
            most[j] = EXPLAINED + SIGMAS * np.sqrt(2.0 / found.degrees)
            scale[:, j], low[:, j], high[:, j] = _interval(found)
    return JointIdentification(scale, low, high, count, misfit, most, robot.joint_ranges)


def _interval(found: JointFit) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    half = QUANTILE * np.sqrt(np.diag(found.covariance))
    middle = found.logarithms
    return np.exp(middle), np.exp(middle - half), np.exp(middle + half)


def _nominal(robot: Robot) -> list[NominalJoint]:
    """Return the joints' parameters in the YAML, with the loop that makes B_theta of B_rho."""
    zero = np.zeros(robot.dof)
    state, drive = ArmDynamics(robot).state(zero, zero), drive_of(robot, "torque")
    arm = elastic_arm(robot, state, drive, covered=True)
    columns = arm.stiffness, arm.damping, arm.motor_inertia, arm.ratio, arm.damping_time
    return [NominalJoint(*map(float, row)) for row in zip(*columns, strict=True)]


def _window(robot: Robot, hit: RecordedHit) -> list[JointHit] | None:
    """Return the samples around contact joint by joint, or None if some are missing."""
    inside = (hit.time >= -BEFORE) & (hit.time <= AFTER)
    t, q, tau = hit.time[inside], hit.position[inside], hit.torque[inside]
    if len(t) < 4 or not (np.isfinite(q).all() and np.isfinite(tau).all()):
        return None
    period = float((t[-1] - t[0]) / (len(t) - 1))
    even = np.abs(np.diff(t) - period).max() <= JITTER * period
    if period > SLOWEST or not even or t[-1] - t[0] < AFTER + BEFORE - 2.0 * period:
        return None
    dynamics, still = ArmDynamics(robot), np.zeros(robot.dof)
    gravity = np.array([dynamics(row, still).g for row in q])
    period = round(period, 7)  # clocks differ by less
    return [
        JointHit(period, q[:, j], tau[:, j] - tau[0, j], gravity[:, j] - gravity[0, j])
        for j in range(robot.dof)
    ]


def _noise(hits: Sequence[RecordedHit]) -> tuple[np.ndarray, np.ndarray]:
    """Return the deviation of positions and torques before contacts, each (n,)."""
    found = []
    for name, least in zip(("position", "torque"), LEAST_NOISE, strict=True):
        quiet = [getattr(hit, name)[hit.time < QUIET] for hit in hits]
        bends = np.concatenate([np.diff(each, n=2, axis=0) for each in quiet if len(each) > 2])
        found.append(np.maximum(np.sqrt((bends**2).mean(axis=0) / 6.0), least))
    return found[0], found[1]


def _excites(hit: JointHit, noise: float) -> bool:
    """Return whether a hit's torque stands out of its noise."""
    return float(hit.torque.std()) > EXCITED * noise
