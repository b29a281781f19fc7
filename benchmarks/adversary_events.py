# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Faults between an arm and its controller: wrong states, one function per fault."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from impact_robots import Robot

Pair = tuple[np.ndarray, np.ndarray]


@dataclass
class Liar:
    """What is wrong with the states of one event, drawn when it begins."""

    robot: Robot
    random: np.random.Generator
    joint: int = field(init=False)
    frozen: np.ndarray | None = None  # velocities when the event began
    other: np.ndarray = field(init=False)  # where a second arm stands

    def __post_init__(self) -> None:
        """Draw a joint, and a second arm."""
        limits = self.robot.limits
        self.joint = int(self.random.integers(self.robot.dof))
        self.other = self.random.uniform(limits.position_lower, limits.position_upper)


def degrees(liar: Liar, q: np.ndarray, dq: np.ndarray) -> Pair:
    """All in degrees."""
    return np.degrees(q), np.degrees(dq)


def zeros(liar: Liar, q: np.ndarray, dq: np.ndarray) -> Pair:
    """All zeros, as drivers send before they are ready."""
    return np.zeros_like(q), np.zeros_like(dq)


def full_turn(liar: Liar, q: np.ndarray, dq: np.ndarray) -> Pair:
    """One joint is counted from another turn."""
    return q + 2.0 * np.pi * np.eye(len(q))[liar.joint], dq


def beyond_limits(liar: Liar, q: np.ndarray, dq: np.ndarray) -> Pair:
    """One joint is where it cannot be."""
    wrong = q.copy()
    wrong[liar.joint] = liar.robot.limits.position_upper[liar.joint] + 0.3
    return wrong, dq


def not_finite(liar: Liar, q: np.ndarray, dq: np.ndarray) -> Pair:
    """One number is none."""
    wrong = np.array([q, dq])
    wrong[liar.random.integers(2), liar.joint] = liar.random.choice([np.nan, np.inf, -np.inf])
    return wrong[0], wrong[1]


def second_arm(liar: Liar, q: np.ndarray, dq: np.ndarray) -> Pair:
    """Another arm publishes on the same topic."""
    return (liar.other, np.zeros_like(dq)) if liar.random.random() < 0.5 else (q, dq)


def frozen_velocity(liar: Liar, q: np.ndarray, dq: np.ndarray) -> Pair:
    """The velocities no longer change."""
    liar.frozen = dq if liar.frozen is None else liar.frozen
    return q, liar.frozen


def flipped_velocity(liar: Liar, q: np.ndarray, dq: np.ndarray) -> Pair:
    """The sign of one velocity is wrong."""
    return q, dq * (1.0 - 2.0 * np.eye(len(q))[liar.joint])


def flipped_position(liar: Liar, q: np.ndarray, dq: np.ndarray) -> Pair:
    """The signs of all positions are wrong."""
    return -q, dq


def invented_velocity(liar: Liar, q: np.ndarray, dq: np.ndarray) -> Pair:
    """A joint reports a speed that its positions do not have."""
    return q, dq + 1.5 * np.eye(len(q))[liar.joint]


def noise_burst(liar: Liar, q: np.ndarray, dq: np.ndarray) -> Pair:
    """Noise of a thousand times the usual."""
    draw = liar.random.standard_normal((2, len(q)))
    return q + 1e-2 * draw[0], dq + 0.5 * draw[1]


def huge(liar: Liar, q: np.ndarray, dq: np.ndarray) -> Pair:
    """Finite numbers that no arm has."""
    size = 10.0 ** liar.random.uniform(1.0, 300.0)
    return (q, dq + size) if liar.random.random() < 0.5 else (q - size, dq)


LIES: dict[str, Callable[[Liar, np.ndarray, np.ndarray], Pair]] = {
    each.__name__.replace("_", " "): each
    for each in (
        degrees,
        zeros,
        full_turn,
        beyond_limits,
        not_finite,
        second_arm,
        frozen_velocity,
        flipped_velocity,
        flipped_position,
        invented_velocity,
        noise_burst,
        huge,
    )
}
