# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""What an impact may do to every joint over its ranges: loads, times of jumps; and what it did."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product
from typing import NamedTuple

import numpy as np

from impact_predictor.joint_load.elastic_arm import elastic_arm
from impact_predictor.joint_load.load import DURATION, joint_load, load_contact
from impact_predictor.joint_load.load_case import (
    HARD,
    SOFT,
    LoadCase,
    common_scale,
    normal_law,
    scale_ends,
    surface_corners,
)
from impact_robots.robot import Robot
from impact_robots.state.state import PointState
from impact_robots.surface import Surface

DRAWS = 100  # cases from the inside of the ranges
MODEL_SHARE = 0.1  # of a load, by which the plant is away from the frozen model (spec: 3 to 10 %)
QUIET = (-0.01, -0.001)  # window of the torque before contact [s]
FEW = 3  # number of samples there, or after contact, that is too small
SIGMAS = 4.0  # of its noise there, that a measured change may be off


class LoadInterval(NamedTuple):
    """Largest change of each joint's torque in an impact, either way; shape (n,) each [N.m]."""

    low: np.ndarray
    high: np.ndarray


class JumpInterval(NamedTuple):
    """Time since contact at which a joint has half of its jump in velocity, (n,) each [s]."""

    low: np.ndarray
    high: np.ndarray


class JointIntervals(NamedTuple):
    """What an impact may do to the joints."""

    load: LoadInterval
    jump: JumpInterval


@dataclass(frozen=True)
class TorqueComparison:
    """Largest changes of the joints' torques in an impact, either way; shape (n,) each [N.m]."""

    measured: np.ndarray
    tolerance: np.ndarray  # of it, by noise
    predicted: LoadInterval

    @property
    def below(self) -> np.ndarray:
        """Joints whose torque changed less than predicted, shape (n,)."""
        return np.asarray(self.measured + self.tolerance < self.predicted.low)

    @property
    def above(self) -> np.ndarray:
        """Joints whose torque changed more than predicted, shape (n,)."""
        return np.asarray(self.measured - self.tolerance > self.predicted.high)

    @property
    def outside(self) -> np.ndarray:
        """Joints whose torque changed otherwise than predicted, shape (n,)."""
        return np.asarray(self.above | self.below)


@dataclass(frozen=True)
class JumpComparison:
    """Times since contact at which joints have half of their jumps in velocity, (n,) each [s]."""

    measured: np.ndarray  # NaN: the jump is not clear of the noise
    tolerance: float  # of it, by sampling and the time of contact
    predicted: JumpInterval

    @property
    def outside(self) -> np.ndarray:
        """Joints that jumped sooner or later than predicted, shape (n,)."""
        early = self.measured + self.tolerance < self.predicted.low
        return np.asarray(early | (self.measured - self.tolerance > self.predicted.high))


def joint_intervals(
    robot: Robot, point: PointState, surface: Surface, drive: str
) -> JointIntervals:
    """Return loads and times of jumps of an impact over the ranges of surface and joints.

    Ends of the ranges together, and draws from their inside, each with the error that the model
    itself has.

    Args:
        robot: whose joints and ranges count.
        point: that hits, with its velocity before the impact.
        surface: whose ranges count.
        drive: of the motors, see :func:`~impact_predictor.joint_load.elastic_arm.elastic_arm`.

    Raises:
        PredictionError: the robot's YAML does not define the required fields.
    """
    arm = elastic_arm(robot, point.robot_state, drive)
    speed = surface.approach_speed(point.velocity)
    loads, times = [], []
    for case in _cases(robot, surface, np.random.default_rng(0)):
        law = normal_law(case.stiffness, case.restitution, speed)
        contact = load_contact(point, surface.rotation, law, case.friction)
        found = joint_load(arm.scaled(case.scale), [contact], with_history=True)
        assert found.history is not None  # asked for
        loads.append(found.change)
        times.append(half_times(found.history.time, found.history.velocity))
    return JointIntervals(LoadInterval(*_hull(loads)), JumpInterval(*_hull(times)))


def _hull(values: list[np.ndarray]) -> tuple[np.ndarray, np.ndarray]:
    """Return the lowest and the highest, with the error of the model."""
    low, high = np.min(values, axis=0), np.max(values, axis=0)
    return (1.0 - MODEL_SHARE) * low, (1.0 + MODEL_SHARE) * high


def half_times(time: np.ndarray, change: np.ndarray) -> np.ndarray:
    """Return when each change first is half of its largest, either way, shape (n,) [s].

    Args:
        time: since contact, shape (t,) [s].
        change: since contact, shape (t, n).
    """
    largest = change[np.abs(change).argmax(axis=0), np.arange(change.shape[1])]
    found = np.full(change.shape[1], np.nan)
    for joint in np.flatnonzero(largest):
        own = np.append(0.0, change[:, joint] / largest[joint])
        k = int((own >= 0.5).argmax())
        found[joint] = np.interp(0.5, own[k - 1 : k + 1], np.append(0.0, time)[k - 1 : k + 1])
    return found


def _cases(robot: Robot, surface: Surface, random: np.random.Generator) -> Iterator[LoadCase]:
    ends, corners = scale_ends(robot.joint_ranges, robot.dof), surface_corners(surface)
    for corner, which in product(corners, (HARD, SOFT)):
        yield LoadCase(*corner, common_scale(ends, which))
    top = np.log(min(surface.stiffness[1], max(k for k, *_ in corners if np.isfinite(k))))
    for _ in range(DRAWS):
        stiffness = float(np.exp(random.uniform(np.log(surface.stiffness[0]), top)))
        yield LoadCase(
            stiffness,
            random.uniform(*surface.restitution),
            random.uniform(*surface.friction),
            random.uniform(*ends),
        )


def compare_torques(
    time: np.ndarray, torque: np.ndarray, predicted: LoadInterval, least_noise: float = 0.0
) -> TorqueComparison | None:
    """Return the change of measured torques within 30 ms of contact; None: not measured.

    Args:
        time: since contact, shape (N,) [s].
        torque: shape (N, n) [N.m].
        predicted: changes.
        least_noise: standard deviation that a torque has at least [N.m].
    """
    before = torque[(time >= QUIET[0]) & (time <= QUIET[1])]
    after = torque[(time > 0.0) & (time <= DURATION)]
    enough = len(before) >= FEW and len(after) >= FEW and time.max() >= DURATION
    if not (enough and np.isfinite(before).all() and np.isfinite(after).all()):
        return None
    noise = np.maximum(before.std(axis=0, ddof=1), least_noise)
    change = np.abs(after - before.mean(axis=0)).max(axis=0)
    return TorqueComparison(change, SIGMAS * noise, predicted)


def compare_jumps(
    time: np.ndarray,
    velocity: np.ndarray,
    predicted: JumpInterval,
    noise: float,
    time_std: float = 0.0,
) -> JumpComparison | None:
    """Return when joints jumped within 30 ms of contact; None: not measured.

    Args:
        time: since contact, shape (N,) [s].
        velocity: of the joints, shape (N, n) [rad/s].
        predicted: times.
        noise: standard deviation that a velocity has at least [rad/s].
        time_std: of the time of contact, NaN where it is unknown [s].
    """
    before = velocity[(time >= QUIET[0]) & (time <= QUIET[1])]
    own = (time > 0.0) & (time <= DURATION)
    after = velocity[own]
    enough = len(before) >= FEW and len(after) >= FEW and time.max() >= DURATION
    if not (enough and np.isfinite(before).all() and np.isfinite(after).all()):
        return None
    change = after - before.mean(axis=0)
    clear = np.abs(change).max(axis=0) > 2.0 * SIGMAS * np.maximum(
        before.std(axis=0, ddof=1), noise
    )
    times = np.where(clear, half_times(time[own], change), np.nan)
    sample = float(np.median(np.diff(time[own])))
    return JumpComparison(times, sample + 2.0 * float(np.nan_to_num(time_std)), predicted)
