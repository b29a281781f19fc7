# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
r"""Depth of hits in a wall, and the safe speed if the wall may be harder below that depth.

A hit identifies a wall's stiffness down to its own depth. A skin over a core looks like a soft wall
until a hit goes through it. Below the reached depth d, a faster hit may meet any announced
stiffness, at the speed :math:`v_c = \sqrt{v^2 - v_d^2}`. Here v_d is the speed that a hit loses on
its path to d; the energy absorbed by the skin does not depend on v.
"""

from __future__ import annotations

from collections.abc import Callable
from math import inf

import numpy as np

from impact_predictor.joint_load.elastic_arm import ElasticArm
from impact_predictor.joint_load.load import joint_load
from impact_predictor.learning.learning_box import LearningBox

OVER = 1.2  # allowed fraction of a limit for the hardest announced wall below the reached depth
EXPONENT = 3  # place among the figures
TINY = 1e-3  # speed for loads that are proportional to it [m/s]


def pressed(
    box: LearningBox, arm: ElasticArm, J: np.ndarray, figures: np.ndarray, velocity: np.ndarray
) -> tuple[float, float]:
    """Return how deep a hit goes into a known wall [m], and its highest normal force [N].

    Args:
        box: that holds the figures.
        arm: nominal, at contact.
        J: of the point, linear, base axes, shape (3, n).
        figures: of wall and joints, shape (6 + 3 n,).
        velocity: of the point, base axes, shape (3,) [m/s].
    """
    case = box.case(figures)
    scaled = arm.scaled(case.scale)
    contact = case.contact(scaled.M_inverse, J, velocity)
    history = joint_load(scaled, [contact], with_history=True).history
    assert history is not None  # asked for
    return max(0.0, float(history.depth.max())), float(history.force.max())


def speed_to(depth: float, reached: float, speed: float, exponent: float) -> float:
    """Return the speed of a hit that just goes as deep as ``depth`` [m/s].

    Args:
        depth: to be reached [m].
        reached: depth of a hit that is known [m].
        speed: of that hit [m/s].
        exponent: of the wall's law [-].
    """
    return speed * (depth / reached) ** (0.5 * (exponent + 1.0)) if reached > 0.0 else inf


def hardest(box: LearningBox, figures: np.ndarray) -> np.ndarray:
    """Return figures (k, 6 + 3 n) of walls as hard as announced, other parameters unchanged."""
    found = np.array(figures)
    found[:, 0], found[:, EXPONENT] = box.announced[1, 0], 1.0
    return found


def unseen_speed(
    used: Callable[[np.ndarray, float], np.ndarray],
    soft: np.ndarray,
    hard: np.ndarray,
    through: float,
) -> float:
    """Return the safe speed if the hardest wall may be below the reached depth [m/s].

    Loads by the skin and by the wall below it are added, and use at most 1.2 of a limit.

    Args:
        used: fractions of the limits used by a hit of a wall (6 + 3 n,) at a speed [m/s].
        soft: parameters of the estimated wall, shape (k, 6 + 3 n).
        hard: the same with the hardest wall, shape (k, 6 + 3 n).
        through: speed at which a hit just reaches the known depth [m/s].
    """
    if not through > 0.0:
        through = TINY
    below = np.array([used(each, through) for each in hard]).max(axis=0) / through
    before = np.array([used(each, through) for each in soft]).max(axis=0)
    with np.errstate(divide="ignore", invalid="ignore"):
        left = np.where(below > 0.0, (OVER - before) / below, inf)
    alone = float((1.0 / below[below > 0.0]).min()) if (below > 0.0).any() else inf
    return max(alone, float(np.hypot(through, max(0.0, left.min()))))
