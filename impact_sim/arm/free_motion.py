# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Fast free motion: moves from rest to rest between drawn configurations."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from impact_robots.robot import JointLimits, Robot
from impact_sim.arm.payload import Payload
from impact_sim.arm.variation import STREAM
from impact_sim.scenarios import Scenario

PEAK_VELOCITY, PEAK_ACCELERATION, PEAK_JERK = 1.875, 10.0 / 3.0**0.5, 60.0  # of a quintic
MARGIN = 0.1  # to the position limits [rad]
TAKE_UP = 0.5  # duration of picking a payload up [s]
SETTLED = 0.2  # at rest before and after that [s]
RADIUS = 0.05  # of the payload [m]
OFFSET = 0.03  # of its centre, at most, along each axis of the tool [m]


@dataclass(frozen=True)
class Move:
    """One move from rest to rest, a quintic in time, and the pause after it."""

    start: float  # [s]
    duration: float  # [s]
    origin: np.ndarray  # joint positions, shape (n,) [rad]
    target: np.ndarray  # shape (n,) [rad]

    def __call__(self, time: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return positions, velocities and accelerations, each (n,) [rad, rad/s, rad/s^2]."""
        T, way = self.duration, self.target - self.origin
        x = min(max((time - self.start) / T, 0.0), 1.0)
        position = x**3 * (10.0 + x * (6.0 * x - 15.0))
        velocity = 30.0 * x**2 * (1.0 - x) ** 2 / T
        acceleration = 60.0 * x * (1.0 - x) * (1.0 - 2.0 * x) / T**2
        return self.origin + position * way, velocity * way, acceleration * way


@dataclass(frozen=True)
class FreeMotion:
    """All moves of one trial, and the payload that is picked up between two of them."""

    moves: tuple[Move, ...]
    payload: Payload
    duration: float  # [s]

    def reference(self) -> ReferenceMotion:
        """Return the reference from the beginning."""
        return ReferenceMotion(self.moves)


class ReferenceMotion:
    """The motion at times that do not decrease."""

    def __init__(self, moves: tuple[Move, ...]) -> None:
        """Begin with the first move."""
        self._moves = list(moves)

    def __call__(self, time: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return positions, velocities and accelerations, each of shape (n,), at a time [s]."""
        while len(self._moves) > 1 and time >= self._moves[1].start:
            self._moves.pop(0)
        return self._moves[0](time)


def draw_free_motion(scenario: Scenario, robot: Robot, seed: int) -> FreeMotion:
    """Draw the moves and the payload of a trial; the same seed gives the same numbers.

    The keys of ``scenario.motion``: ``duration`` [s], ``spread`` about ``q_impact`` [rad],
    ``share`` of the velocity and acceleration limits (low, high), ``pause`` (low, high) [s], and
    the largest ``payload`` [kg].
    """
    motion = scenario.motion
    random = np.random.default_rng([seed, STREAM])
    taken = random.uniform(0.25, 0.75) * motion["duration"]
    moves, time, payload_time = [], SETTLED, float("nan")
    q = np.array(scenario.q_impact)
    while time < motion["duration"]:
        target = _target(scenario, robot, random)
        share = random.uniform(*motion["share"])
        moves.append(Move(time, move_duration(target - q, robot.limits, share), q, target))
        q, time = target, moves[-1].start + moves[-1].duration + random.uniform(*motion["pause"])
        if np.isnan(payload_time) and time >= taken:
            payload_time = time + SETTLED
            time = payload_time + TAKE_UP + SETTLED
    payload = _payload(motion["payload"], payload_time, random)
    return FreeMotion(tuple(moves), payload, motion["duration"])


def move_duration(way: np.ndarray, limits: JointLimits, share: float) -> float:
    """Return the duration of a move at a fraction of the limits; way: displacement (n,) [rad]."""
    way = np.abs(way)
    by_velocity = PEAK_VELOCITY * way / (share * limits.velocity)
    by_acceleration = np.sqrt(PEAK_ACCELERATION * way / (share * limits.acceleration))
    by_jerk = np.cbrt(PEAK_JERK * way / limits.jerk)
    return float(np.max([by_velocity, by_acceleration, by_jerk]))


def _target(scenario: Scenario, robot: Robot, random: np.random.Generator) -> np.ndarray:
    """Draw a configuration about the scenario's, within the limits, shape (n,) [rad]."""
    limits, spread = robot.limits, scenario.motion["spread"]
    q = np.array(scenario.q_impact) + spread * random.uniform(-1.0, 1.0, robot.dof)
    return np.clip(q, limits.position_lower + MARGIN, limits.position_upper - MARGIN)


def _payload(largest: float, time: float, random: np.random.Generator) -> Payload:
    """Draw a payload of at most ``largest`` [kg], picked up from ``time`` [s] on."""
    position = OFFSET * random.uniform(-1.0, 1.0, 3)
    return Payload(largest * random.uniform(), position, RADIUS, time, TAKE_UP)
