# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""An arm's joint states around a hit, without the motion that it would have had anyway."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from impact_predictor.exceptions import NotApproachingError, PredictionError
from impact_predictor.joint_load.drive import drive_of
from impact_predictor.joint_load.elastic_arm import ElasticArm, elastic_arm
from impact_predictor.joint_load.integration import TICK
from impact_predictor.joint_load.load_limits import load_limits
from impact_robots.dynamics import ArmDynamics
from impact_robots.robot import Robot
from impact_robots.state import PointState
from impact_robots.surface import Surface

BEFORE, AFTER = 0.0025, 0.015  # the touch, between which signals are explained [s]
FREE, FEWEST = 50, 12  # samples of the free motion, at most and at least
GAP = 0.0025  # before the touch, later samples may be of the hit, as a touch is known roughly [s]
MODEL_SHARE = 0.02  # of a signal's peak by which the model is off
LEAST_NOISE = 1e-3, 1e-7, 1e-5  # of torques [N.m], positions [rad], velocities [rad/s]
DEGREES = {"torque": 1, "position": 3, "velocity": 2}  # of the polynomials without a hit
SLOWEST = 2.1e-3  # between samples [s]


@dataclass(frozen=True)
class LearningHit:
    """Joint states around a hit; N samples of n joints at any distances, on one clock."""

    time: np.ndarray  # since the touch as it was detected, 1 ms off at most, shape (N,) [s]
    position: np.ndarray  # of the links, shape (N, n) [rad]
    velocity: np.ndarray  # of the links, shape (N, n) [rad/s]
    torque: np.ndarray  # of the springs, measured, shape (N, n) [N.m]
    command: np.ndarray | None = None  # to the torque loop, shape (N, n) [N.m]; none: constant


class HitWindow(NamedTuple):
    """What a hit changed, m samples, and the arm that it hit."""

    time: np.ndarray  # since the touch as it was detected, shape (m,) [s]
    change: np.ndarray  # of torque, position, velocity, shape (m, 3, n)
    sigma: np.ndarray  # of noise, of the free motion and of the model, shape (m, 3, n)
    command: np.ndarray  # change of the command, one row each 250 us, shape (ticks, n) [N.m]
    arm: ElasticArm  # nominal, at the touch
    point: PointState  # that hit, before the impact
    speed: float  # of approach along the announced normal [m/s]
    used: float  # largest share of a torque limit that was measured, change or range [-]


def hit_window(robot: Robot, surface: Surface, hit: LearningHit) -> HitWindow:
    """Return what a hit changed beside the free motion of the samples before it.

    A polynomial through these goes on as the motion without a hit: what the arm accelerates on its
    way, and what its controller changes slowly, is no part of the hit.

    Args:
        robot: whose contact frame hits; torque-controlled.
        surface: whose normal says what approaches.
        hit: 12 samples or more up to 2.5 ms before the touch, and all until 15 ms after it.

    Raises:
        PredictionError: samples are missing, not finite or of other shapes, or the robot's YAML
            does not give what loads need.
        NotApproachingError: the arm moves away from the surface.
    """
    _check(robot, hit)
    quiet = np.flatnonzero(hit.time < -GAP)[-FREE:]
    inside = (hit.time >= -BEFORE) & (hit.time <= AFTER)
    changes = [_change(hit.time, getattr(hit, name), quiet, d) for name, d in DEGREES.items()]
    point = ArmDynamics(robot)(changes[1].at_touch, changes[2].at_touch)
    if (speed := surface.approach_speed(point.velocity)) <= 0.0:
        raise NotApproachingError(-speed)
    felt = np.stack([each.change[inside] for each in changes], axis=1)
    return HitWindow(
        hit.time[inside],
        felt,
        _sigma(changes, inside, felt),
        _command(hit, quiet, robot.dof),
        elastic_arm(robot, point.robot_state, drive_of(robot, "torque")),
        point,
        speed,
        _used(robot, point.g, felt[:, 0]),
    )


class _Change(NamedTuple):
    """One signal less the polynomial through its quiet samples, N samples of n joints."""

    change: np.ndarray  # shape (N, n)
    at_touch: np.ndarray  # the polynomial at time zero, shape (n,)
    noise: np.ndarray  # standard deviation of a sample, shape (n,)
    width: np.ndarray  # deviation of the change over that of a sample, shape (N,) [-]


def _change(time: np.ndarray, signal: np.ndarray, quiet: np.ndarray, degree: int) -> _Change:
    """Return what a signal does beside the free motion that its quiet samples show."""
    powers = np.vander(time, degree + 1)
    share = powers @ np.linalg.pinv(powers[quiet])
    change = signal - share @ signal[quiet]
    noise = np.sqrt((change[quiet] ** 2).sum(axis=0) / (len(quiet) - degree - 1))
    at_touch = np.polyfit(time[quiet], signal[quiet], degree)[-1]
    return _Change(change, at_touch, noise, np.sqrt(1.0 + (share**2).sum(axis=1)))


def _sigma(changes: list[_Change], inside: np.ndarray, felt: np.ndarray) -> np.ndarray:
    """Return standard deviations of noise, free motion and model together, (m, 3, n)."""
    noise = [
        each.width[inside, None] * np.maximum(each.noise, least)
        for each, least in zip(changes, LEAST_NOISE, strict=True)
    ]
    return np.hypot(np.stack(noise, axis=1), MODEL_SHARE * np.abs(felt).max(axis=0))


def _check(robot: Robot, hit: LearningHit) -> None:
    """Refuse a hit that is not sampled as needed."""
    shape = (len(hit.time), robot.dof)
    for name in ("torque", "position", "velocity", "command"):
        value = getattr(hit, name)
        if value is not None and not (np.shape(value) == shape and np.isfinite(value).all()):
            raise PredictionError(
                f"hit: expected finite {name} of shape {shape}, got shape {np.shape(value)}"
            )
    time = hit.time
    if int((time < -GAP).sum()) < FEWEST:
        raise PredictionError(
            f"hit: expected {FEWEST} samples before {-GAP} s, got {int((time < -GAP).sum())}"
        )
    steps = np.diff(time[time >= -BEFORE - SLOWEST])
    if time[-1] < AFTER or (steps > SLOWEST).any() or (np.diff(time) <= 0.0).any():
        raise PredictionError(
            f"hit: expected rising times at most {SLOWEST} s apart until {AFTER} s after the touch"
        )


def _command(hit: LearningHit, quiet: np.ndarray, n: int) -> np.ndarray:
    """Return the change of the command beside its free course, each sample held, (ticks, n)."""
    ticks = TICK * np.arange(round(AFTER / TICK) + 8)
    if hit.command is None:
        return np.zeros((1, n))
    at = np.clip(np.searchsorted(hit.time, ticks, side="right") - 1, 0, None)
    return _change(hit.time, hit.command, quiet, DEGREES["torque"]).change[at]


def _used(robot: Robot, gravity: np.ndarray, torque: np.ndarray) -> float:
    """Return the share of a torque limit that a measured change used [-]."""
    limits = load_limits(robot, gravity)
    with np.errstate(invalid="ignore"):
        change = np.abs(torque).max(axis=0) / limits.change
        up, down = torque.max(axis=0) / limits.up, -torque.min(axis=0) / limits.down
    return float(np.nan_to_num(np.stack([change, up, down])).max())
