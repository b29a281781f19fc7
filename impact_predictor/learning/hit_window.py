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
from impact_robots.surface import Surface

BEFORE, AFTER = 0.0025, 0.015  # the touch, between which signals are explained [s]
FREE, FEWEST = 50, 12  # samples of the free motion, at most and at least
GAP = 0.0025  # before the touch, later samples may be of the hit, as a touch is known roughly [s]
MODEL_SHARE = 0.02  # of a signal's peak by which the model is off
LEAST_NOISE = 1e-3, 1e-7, 1e-5  # of torques [N.m], positions [rad], velocities [rad/s]
DEGREES = 1, 2, 1  # of the polynomials that torques, positions, velocities follow without a hit
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
    J: np.ndarray  # of the contact point, linear, base axes, shape (3, n)
    velocity: np.ndarray  # of the point before the impact, base axes, shape (3,) [m/s]
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
    signals = _checked(robot, hit)
    quiet = np.flatnonzero(hit.time < -GAP)[-FREE:]
    inside = (hit.time >= -BEFORE) & (hit.time <= AFTER)
    fits = [_fit(hit.time[quiet], each[quiet], d) for each, d in zip(signals, DEGREES, strict=True)]
    free = [np.vander(hit.time, len(each)) @ each for each in fits]
    change = np.stack([one - other for one, other in zip(signals, free, strict=True)], axis=1)
    noise = np.stack([_noise(change[quiet, i], DEGREES[i], LEAST_NOISE[i]) for i in range(3)])
    q, dq = fits[1][-1], fits[2][-1]
    point = ArmDynamics(robot)(q, dq)
    speed = surface.approach_speed(point.velocity)
    if speed <= 0.0:
        raise NotApproachingError(-speed)
    felt = change[inside]
    widths = np.stack([_width(hit.time[inside], hit.time[quiet], d) for d in DEGREES], axis=1)
    sigma = np.hypot(widths[:, :, None] * noise, MODEL_SHARE * np.abs(felt).max(axis=0))
    return HitWindow(
        hit.time[inside],
        felt,
        sigma,
        _command(hit, quiet, robot.dof),
        elastic_arm(robot, point.robot_state, drive_of(robot, "torque")),
        np.array(point.J[:3]),
        np.array(point.velocity),
        speed,
        _used(robot, point.g, felt[:, 0]),
    )


def _checked(robot: Robot, hit: LearningHit) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return torques, positions and velocities, each (N, n)."""
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
    return hit.torque, hit.position, hit.velocity


def _fit(time: np.ndarray, signal: np.ndarray, degree: int) -> np.ndarray:
    """Return the coefficients of polynomials, highest power first, shape (degree + 1, n)."""
    return np.asarray(np.polyfit(time, signal, degree))


def _noise(left: np.ndarray, degree: int, least: float) -> np.ndarray:
    """Return the standard deviation about the polynomials, shape (n,)."""
    degrees = len(left) - degree - 1
    return np.maximum(np.sqrt((left**2).sum(axis=0) / degrees), least)


def _width(time: np.ndarray, quiet: np.ndarray, degree: int) -> np.ndarray:
    """Return the deviation of what is left of polynomials that go on, over the noise, (m,) [-]."""
    share = np.vander(time, degree + 1) @ np.linalg.pinv(np.vander(quiet, degree + 1))
    return np.asarray(np.sqrt(1.0 + (share**2).sum(axis=1)))


def _command(hit: LearningHit, quiet: np.ndarray, n: int) -> np.ndarray:
    """Return the change of the command beside its free course, each sample held, (ticks, n)."""
    ticks = TICK * np.arange(round(AFTER / TICK) + 8)
    if hit.command is None:
        return np.zeros((1, n))
    at = np.clip(np.searchsorted(hit.time, ticks, side="right") - 1, 0, None)
    free = np.vander(hit.time, DEGREES[0] + 1) @ _fit(
        hit.time[quiet], hit.command[quiet], DEGREES[0]
    )
    return np.asarray((hit.command - free)[at])


def _used(robot: Robot, gravity: np.ndarray, torque: np.ndarray) -> float:
    """Return the share of a torque limit that a measured change used [-]."""
    limits = load_limits(robot, gravity)
    with np.errstate(invalid="ignore"):
        change = np.abs(torque).max(axis=0) / limits.change
        up, down = torque.max(axis=0) / limits.up, -torque.min(axis=0) / limits.down
    return float(np.nan_to_num(np.stack([change, up, down])).max())
