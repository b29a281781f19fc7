# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Estimate of a wall, as ranges of its parameters by name."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from impact_predictor.joint_load.drive import drive_of
from impact_predictor.joint_load.elastic_arm import elastic_arm
from impact_predictor.joint_load.load_case import STIFFEST
from impact_predictor.learning.knowledge import SIGMAS, Knowledge
from impact_predictor.learning.learned_file import FIGURES_OF_WALL
from impact_predictor.learning.learning_box import DEPTH, LearningBox
from impact_predictor.learning.unseen_depth import EXPONENT, pressed
from impact_robots.state.state import PointState
from impact_robots.surface import Surface

DRAWS = 48  # drawn walls and arms whose stiffnesses are used
SHALLOWEST = 1e-6  # depth of a hit, at least [m]
SHOWN = FIGURES_OF_WALL[:4]  # learned parameters of a wall with known normal


def wall_ranges(box: LearningBox) -> dict[str, tuple[float, float]]:
    """Return the range of each figure of the wall in a box; stiffness in N/m."""
    return _named(box.low, box.high)


def interval(known: Knowledge) -> dict[str, tuple[float, float]]:
    """Return the interval of each figure of the wall: three standard deviations, in its range."""
    half, box = known.half_width, known.box
    low, high = (box.figures(np.clip(known.mean + side, -1.0, 1.0)) for side in (-half, half))
    return _named(np.where(box.free, low, box.low), np.where(box.free, high, box.high))


def announced(known: Knowledge, point: PointState, speed: float) -> Surface:
    """Return the surface that a limit of linear walls may count on for the next hit.

    A wall of another law counts with the stiffness of the linear one that takes the same energy,
    and with its tangent, whichever is harder or softer, at the depth of that hit. Each range is
    three standard deviations, inside the announced one; with an alarm all ranges are as announced.

    Args:
        known: from the hits before.
        point: that will hit, at that configuration.
        speed: of the hit, along the normal [m/s].

    Raises:
        PredictionError: the robot's YAML does not define the fields for loads.
    """
    surface = known.box.surface
    if known.alarm or not known.windows:
        return surface
    ranges = interval(known)
    low, high = _linear(known, point, speed)
    stiffness = max(low, surface.stiffness[0]), min(high, surface.stiffness[1])
    if known.box.high[0] >= np.log(STIFFEST) - 1e-9 and high >= STIFFEST:
        stiffness = stiffness[0], surface.stiffness[1]  # stiffer walls are indistinguishable
    return replace(
        surface,
        friction=ranges["friction"],
        restitution=ranges["restitution"],
        stiffness=(min(stiffness), max(stiffness)),
    )


def _linear(known: Knowledge, point: PointState, speed: float) -> tuple[float, float]:
    """Return the range of stiffness of linear walls equivalent to the estimated one [N/m]."""
    arm = elastic_arm(known.box.robot, point.robot_state, drive_of(known.box.robot, "torque"))
    J, velocity = np.array(point.J[:3]), -speed * known.box.surface.normal
    ends = []
    for figures in known.draws(DRAWS, 1.0):
        depth, _ = pressed(known.box, arm, J, figures, velocity)
        exponent, depth = float(figures[EXPONENT]), max(depth, SHALLOWEST)
        secant = figures[0] + (exponent - 1.0) * np.log(depth / DEPTH)
        ends.append((secant + np.log(2.0 / (exponent + 1.0)), secant + np.log(exponent)))
    middle, spread = np.mean(ends, axis=0), SIGMAS * np.std(ends, axis=0)
    return float(np.exp(middle[0] - spread[0])), float(np.exp(middle[1] + spread[1]))


def _named(low: np.ndarray, high: np.ndarray) -> dict[str, tuple[float, float]]:
    ends = np.array([low, high])[:, : len(SHOWN)]
    ends[:, 0] = np.exp(ends[:, 0])
    return {name: (float(ends[0, i]), float(ends[1, i])) for i, name in enumerate(SHOWN)}
