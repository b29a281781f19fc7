# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Unknowns of a wall and of an arm's joints: a box of ranges, and one case inside it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from impact_predictor.contact_force.laws import HuntCrossley
from impact_predictor.exceptions import PredictionError
from impact_predictor.joint_load.load import LoadContact, NormalLaw
from impact_predictor.joint_load.load_case import (
    SOFTEST,
    STIFFEST,
    normal_law,
    scale_ends,
)
from impact_robots.description.joint_ranges import JointRanges
from impact_robots.robot import Robot
from impact_robots.surface import Surface

WALL = ("stiffness", "restitution", "friction", "exponent", "normal")
UNKNOWNS = ("joints", *WALL)
USUAL = ("joints", "stiffness", "restitution", "friction", "exponent")
STIFFNESS, FRICTION = 0, 2  # places among the figures
FIGURES = 6  # of a wall: log of stiffness, restitution, friction, exponent, two angles [rad]
DEPTH = 1e-4  # where laws of the same stiffness and other exponents have the same force [m]
_PLACES = {"stiffness": [0], "restitution": [1], "friction": [2], "exponent": [3], "normal": [4, 5]}


class WallCase(NamedTuple):
    """One wall and arm inside the box."""

    stiffness: float  # secant at a depth of .1 mm [N/m]
    restitution: float  # [-]
    friction: float  # [-]
    exponent: float  # of the normal law [-]
    rotation: np.ndarray  # contact axes to base axes, shape (3, 3)
    scale: np.ndarray  # of stiffness, damping, motor inertia of the joints, shape (3, n) [-]

    def law(self, speed: float, mobility: float) -> NormalLaw:
        """Return the law with this restitution at an approach speed [m/s].

        Without energy lost, f = k d (d/.1 mm)^(exponent - 1); restitution depends on damping over
        stiffness alone, whatever the exponent (Hunt, Crossley 1975).

        Args:
            speed: of approach, above 0 [m/s].
            mobility: of the point along the normal; beyond a stiffness a wall is rigid [1/kg].
        """
        law = normal_law(self.stiffness, self.restitution, speed, mobility)
        if self.exponent == 1.0 or not isinstance(law, HuntCrossley):
            return law
        factor = DEPTH ** (1.0 - self.exponent)
        return HuntCrossley(factor * law.stiffness, factor * law.damping, self.exponent)

    def contact(self, M_inverse: np.ndarray, J: np.ndarray, velocity: np.ndarray) -> LoadContact:
        """Return the contact of a point of an arm.

        Args:
            M_inverse: of the links, shape (n, n) [1/(kg.m^2)].
            J: of the point, linear, base axes, shape (3, n).
            velocity: of the point, base axes, shape (3,) [m/s].
        """
        at, v = self.rotation.T @ J, self.rotation.T @ velocity
        mobility = float(at[2] @ M_inverse @ at[2])
        return LoadContact(at, v, self.law(max(-v[2], 1e-6), mobility), self.friction)


@dataclass(frozen=True, eq=False)
class LearningBox:
    """Lowest and highest of each parameter: six of the wall, then 3 n fractions of the joints'.

    Use :func:`learning_box`.
    """

    robot: Robot  # with the nominal joints that fractions refer to
    surface: Surface  # as announced
    low: np.ndarray  # shape (6 + 3 n,)
    high: np.ndarray  # shape (6 + 3 n,)
    chosen: np.ndarray  # which figures are to be learned, shape (6 + 3 n,)
    announced: np.ndarray  # ends before anything was learned, shape (2, 6 + 3 n)
    torque_gain: float = 1.0  # smallest possible gain of the torque sensors [-]

    def __post_init__(self) -> None:
        """Store read-only copies."""
        for name in ("low", "high", "chosen", "announced"):
            array = np.array(getattr(self, name))
            array.setflags(write=False)
            object.__setattr__(self, name, array)

    @property
    def free(self) -> np.ndarray:
        """Which figures are learned, p of them: chosen, and not known; shape (6 + 3 n,)."""
        return np.asarray(self.chosen & (self.high > self.low))

    @property
    def size(self) -> int:
        """Number p of the unknowns."""
        return int(self.free.sum())

    @property
    def linear(self) -> bool:
        """Whether loads are proportional to speed everywhere in the box."""
        return bool(self.low[3] == self.high[3] == 1.0)

    def figures(self, x: np.ndarray) -> np.ndarray:
        """Return the figures at unknowns x, shape (p,), -1 to 1 [-]; others in their middle."""
        figures = 0.5 * (self.low + self.high)
        figures[self.free] += 0.5 * x * (self.high - self.low)[self.free]
        return figures

    def case(self, figures: np.ndarray) -> WallCase:
        """Return the wall and arm of figures, shape (6 + 3 n,)."""
        k, e, mu, exponent, *angles = figures[:FIGURES]
        rotation = self.surface.rotation @ _tilt(*angles)
        scale = figures[FIGURES:].reshape(3, -1)
        return WallCase(float(np.exp(k)), float(e), float(mu), float(exponent), rotation, scale)

    def narrowed(self, low: np.ndarray, high: np.ndarray) -> LearningBox:
        """Return the box between other figures, each of shape (6 + 3 n,)."""
        return replace(self, low=low, high=high)

    def of_another_wall(self) -> LearningBox:
        """Return the box for another wall: its figures as announced, the joints as they are."""
        low, high = self.low.copy(), self.high.copy()
        low[:FIGURES], high[:FIGURES] = self.announced[:, :FIGURES]
        return self.narrowed(low, high)

    @property
    def arm(self) -> Robot:
        """The robot with ranges of its joints as in the box."""
        ends = np.stack([self.low[FIGURES:], self.high[FIGURES:]]).reshape(2, 3, -1)
        return replace(self.robot, joint_ranges=JointRanges(*np.swapaxes(ends, 0, 1)))

    @property
    def wall(self) -> Surface:
        """The surface with ranges and normal as in the box, for models of a linear wall.

        A learned stiffness of 1e8 N/m may be anything above, too. Where the exponent is not 1 the
        stiffness is the announced one: that of a linear law was not learned.
        """
        low, high = self.low, self.high
        stiffness = self.surface.stiffness
        if self.linear:
            top = stiffness[1] if high[0] >= np.log(STIFFEST) - 1e-9 else float(np.exp(high[0]))
            stiffness = (float(np.exp(low[0])), max(top, float(np.exp(low[0]))))
        turned = self.case(0.5 * (low + high)).rotation[:, 2]
        friction, restitution = ((float(low[i]), float(high[i])) for i in (2, 1))
        return Surface(self.surface.point, turned, friction, restitution, stiffness)


def learning_box(
    robot: Robot,
    surface: Surface,
    unknowns: Sequence[str] = USUAL,
    *,
    exponent: tuple[float, float] = (1.0, 1.5),
    tilt: float = 0.0,
    torque_gain: float = 1.0,
) -> LearningBox:
    """Return the box of the ranges in a robot's YAML and of a surface.

    Ranges that are not among the unknowns are not learned: a fit uses their middle, a safe speed
    the whole range.

    Args:
        robot: whose joint ranges count.
        surface: whose ranges of stiffness (indistinguishable above 1e8 N/m), restitution
            and friction count.
        unknowns: of "joints", "stiffness", "restitution", "friction", "exponent", "normal".
        exponent: lowest and highest of the normal law, from 1, linear, to 1.5, Hertz [-].
        tilt: by how much the normal may be off about either tangent [rad].
        torque_gain: smallest possible gain of the torque sensors [-].

    Raises:
        PredictionError: no such unknown, no range of an exponent, a tilt out of 0 to .3 rad, or
            a gain out of .5 to 1.
    """
    if wrong := [name for name in unknowns if name not in UNKNOWNS]:
        raise PredictionError(f"unknowns: expected some of {', '.join(UNKNOWNS)}, got {wrong[0]!r}")
    if not 1.0 <= exponent[0] <= exponent[1] <= 2.0:
        raise PredictionError(f"exponent: expected 1 <= low <= high <= 2, got {exponent}")
    if not 0.0 <= tilt <= 0.3:
        raise PredictionError(f"tilt: expected 0 to 0.3 rad, got {tilt}")
    if not 0.5 <= torque_gain <= 1.0:
        raise PredictionError(f"torque_gain: expected 0.5 to 1, got {torque_gain}")
    wall = [np.log(np.clip(surface.stiffness, SOFTEST, STIFFEST)), surface.restitution]
    wall += [surface.friction, exponent, (-tilt, tilt), (-tilt, tilt)]
    joints = scale_ends(robot.joint_ranges, robot.dof).reshape(2, -1)
    low, high = np.concatenate([np.array(wall, dtype=float).T, joints], axis=1)
    chosen = np.repeat([False, "joints" in unknowns], [FIGURES, joints.shape[1]])
    for name in set(unknowns) - {"joints"}:
        chosen[_PLACES[name]] = True
    return LearningBox(robot, surface, low, high, chosen, np.stack([low, high]), torque_gain)


def _tilt(first: float, second: float) -> np.ndarray:
    """Return the rotation about the two tangents by angles [rad], shape (3, 3)."""
    a, b, c, d = np.cos(first), np.sin(first), np.cos(second), np.sin(second)
    about_first = np.array([[1.0, 0.0, 0.0], [0.0, a, -b], [0.0, b, a]])
    return about_first @ np.array([[c, 0.0, d], [0.0, 1.0, 0.0], [-d, 0.0, c]])
