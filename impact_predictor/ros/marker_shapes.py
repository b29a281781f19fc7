# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Shapes of a predicted impact: arrows, lines and a text in the contact frame. Needs no ROS.

All points are in contact axes p, with the contact point as origin: whoever draws them gives each
shape the pose of the contact frame.
"""

from __future__ import annotations

from enum import Enum
from typing import NamedTuple

import numpy as np

from impact_predictor.prediction.prediction import Prediction
from impact_predictor.sets.hull_edges import hull_edges
from impact_predictor.sets.polytope import Polytope

_AXIS = 0.1  # length of the contact frame's axes [m]
_THICK, _THIN = 0.008, 0.003  # of arrows and lines [m]
_LETTER = 0.03  # height of the text [m]
_NOTHING = 1e-6  # an arrow shorter than this has no direction [m]
_RGB = ((0.9, 0.1, 0.1, 1.0), (0.1, 0.8, 0.1, 1.0), (0.1, 0.3, 1.0, 1.0))  # x, y, z
_BEFORE, _AFTER = (1.0, 0.6, 0.0, 1.0), (0.7, 0.2, 0.9, 1.0)
_SET, _LETTERING = (0.0, 0.8, 0.8, 0.9), (1.0, 1.0, 1.0, 1.0)

Colour = tuple[float, float, float, float]  # red, green, blue, opacity


class Kind(Enum):
    """How a shape is drawn."""

    ARROW = "arrow"  # from the first point to the second
    LINES = "lines"  # each pair of points
    DOTS = "dots"  # each point
    TEXT = "text"  # at the only point


class Shape(NamedTuple):
    """One shape; without points, or with a NaN, it erases the shape that it replaces."""

    group: str  # with ``number`` the identity of a replaced shape
    number: int
    kind: Kind
    points: np.ndarray  # in p, shape (k, 3) [m]
    colour: Colour
    size: float  # thickness of arrow, line or dot, height of letters [m]
    text: str = ""

    @property
    def visible(self) -> bool:
        """Whether there is anything to draw."""
        return len(self.points) > 0 and bool(np.isfinite(self.points).all())


class Scales(NamedTuple):
    """How long things are drawn."""

    impulse: float = 0.1  # [m per N.s]
    velocity: float = 0.5  # [m per m/s]


def shapes(
    prediction: Prediction, impulses: Polytope | None, scales: Scales, number: int = 0
) -> tuple[Shape, ...]:
    """Return the shapes of one contact: always the same groups and numbers, in the same order.

    The arrow of the velocity before ends at the contact point, that of the velocity after begins
    there.

    Args:
        prediction: to draw.
        impulses: the set of possible impulses in p [N.s]; None: not drawn.
        scales: of drawn velocities and impulses.
        number: of the contact, from 0.
    """
    before = -scales.velocity * prediction.velocity_before
    after = scales.velocity * prediction.velocity_after
    return (
        *(_axis(i, number) for i in range(3)),
        _impulse_shape(impulses, scales.impulse, number),
        _arrow("velocity_before", number, (before, np.zeros(3)), _BEFORE),
        _arrow("velocity_after", number, (np.zeros(3), after), _AFTER),
        _text(prediction, number),
    )


def _axis(i: int, number: int) -> Shape:
    """Return one axis of the contact frame."""
    return _arrow("contact_frame", 3 * number + i, (np.zeros(3), _AXIS * np.eye(3)[i]), _RGB[i])


def _arrow(group: str, number: int, ends: tuple[np.ndarray, np.ndarray], colour: Colour) -> Shape:
    """Return an arrow, without points if it has no length."""
    points = np.array(ends)
    if np.linalg.norm(points[1] - points[0]) < _NOTHING:
        points = np.empty((0, 3))
    return Shape(group, number, Kind.ARROW, points, colour, _THICK)


def _impulse_shape(impulses: Polytope | None, scale: float, number: int) -> Shape:
    """Return the edges of the set of impulses; a dot if it is a single impulse."""
    vertices = np.empty((0, 3)) if impulses is None else scale * impulses.vertices
    edges = hull_edges(vertices) if len(vertices) else vertices
    if len(vertices) and not len(edges):
        return Shape("impulse_set", number, Kind.DOTS, vertices[:1], _SET, 2 * _THICK)
    return Shape("impulse_set", number, Kind.LINES, edges.reshape(-1, 3), _SET, _THIN)


def _text(prediction: Prediction, number: int) -> Shape:
    """Return effective mass and normal impulse in words."""
    text = (
        f"{prediction.effective_mass:.3g} kg ({prediction.inverse_inertia}), "
        f"{prediction.impulse[2]:.3g} N.s ({prediction.inertia})"
    )
    place = np.array([[0.0, 0.0, 1.5 * _AXIS]])
    return Shape("text", number, Kind.TEXT, place, _LETTERING, _LETTER, text)
