# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
r"""How deep hits went into a wall, and how fast a hit may be whose wall may be harder below.

A hit tells a wall's stiffness as deep as it went. A skin over a core looks like a soft wall until a
hit goes through it. What a faster hit would meet below is then anything that was announced: the
speed that is left there is :math:`v_c = \sqrt{v^2 - v_d^2}` with the speed v_d that a hit loses on
its way to the depth d that was seen, as the energy that the skin takes does not depend on v.
"""

from __future__ import annotations

from collections.abc import Callable
from math import inf

import numpy as np

from impact_predictor.joint_load.elastic_arm import ElasticArm
from impact_predictor.joint_load.load import joint_load
from impact_predictor.learning.learning_box import LearningBox

OVER = 1.2  # of a limit, that a wall which is as hard as announced below what was seen may use
EXPONENT = 3  # place among the figures
TINY = 1e-3  # speed at which loads are rated that are proportional to it [m/s]


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
    """Return figures (k, 6 + 3 n) of walls as hard as announced, all else as it is."""
    found = np.array(figures)
    found[:, 0], found[:, EXPONENT] = box.announced[1, 0], 1.0
    return found


def unseen_speed(
    used: Callable[[np.ndarray, float], np.ndarray],
    soft: np.ndarray,
    hard: np.ndarray,
    through: float,
) -> float:
    """Return the speed of a hit that may meet the hardest wall below the depth that was seen [m/s].

    What the skin and what lies below it load a joint with adds up, and uses at most 1.2 of a limit.

    Args:
        used: what a hit of a wall (6 + 3 n,) at a speed [m/s] uses of each limit [-].
        soft: figures of the wall as it is known, shape (k, 6 + 3 n).
        hard: the same with the hardest wall, shape (k, 6 + 3 n).
        through: speed at which a hit goes just as deep as what was seen [m/s].
    """
    if not through > 0.0:
        through = TINY
    below = np.array([used(each, through) for each in hard]).max(axis=0) / through
    before = np.array([used(each, through) for each in soft]).max(axis=0)
    with np.errstate(divide="ignore", invalid="ignore"):
        left = np.where(below > 0.0, (OVER - before) / below, inf)
    alone = float((1.0 / below[below > 0.0]).min()) if (below > 0.0).any() else inf
    return max(alone, float(np.hypot(through, max(0.0, left.min()))))
