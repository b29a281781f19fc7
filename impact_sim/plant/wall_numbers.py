# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""A wall in the plain numbers that the compiled steps take."""

from __future__ import annotations

import numpy as np

from impact_predictor.contact_force.laws import (
    ContactLaw,
    ExtendedHuntCrossley,
    HuntCrossley,
    Viscoelastic,
)
from impact_predictor.joint_load.load import YieldingLaw
from impact_robots.description.named_contact import Cover
from impact_sim.exceptions import SimulationError
from impact_sim.layered_law import LayeredLaw
from impact_sim.plant.compliant_wall import SLIP_SPEED, CompliantWall
from impact_sim.plant.step_records import (
    EXTENDED,
    HUNT_CROSSLEY,
    LAYERED,
    NOTHING,
    YIELDING,
    Plane,
)

_KINDS = {HuntCrossley: HUNT_CROSSLEY, Viscoelastic: HUNT_CROSSLEY, ExtendedHuntCrossley: EXTENDED}
_NO_LAW = (0.0, 0.0, 1.0, NOTHING, 0.0, 0.0)
_NO_COVER = (0.0, 0.0, 0.0)
_UNDER_COVER = HUNT_CROSSLEY, EXTENDED, LAYERED
_NOWHERE = (0.0, 0.0, 0.0)


def body_of(wall: CompliantWall | None) -> np.ndarray:
    """Return ``Plane.body`` of a wall that was not pushed yet, shape (5,)."""
    return np.array([0.0, 0.0, 0.0 if wall is None else 1.0 / wall.mass, 0.0, 0.0])


def plane_of(
    wall: CompliantWall | None, body: np.ndarray | None = None, cover: Cover | None = None
) -> Plane | None:
    """Return a wall in plain numbers; none: its law is not one of those that are compiled.

    Without a wall it is one that never pushes.

    Args:
        wall: in front of the arm.
        body: that its face moves with, see ``Plane``; none: not pushed yet.
        cover: of the tool that hits.

    Raises:
        SimulationError: there is a cover, and the wall's law is not one that takes it.
    """
    body = body_of(wall) if body is None else body
    if wall is None:
        return Plane(_NOWHERE, _NOWHERE, 0.0, SLIP_SPEED, _NO_LAW, body, _NO_COVER)
    surface, numbers = wall.surface, _numbers(wall.law)
    known = numbers is not None and surface.point is not None
    if cover is not None and not (known and numbers and numbers[3] in _UNDER_COVER):
        raise SimulationError(
            "wall: expected one at a point, with a law of the suite that does not yield, under the"
            f" cover of the tool, got {type(wall.law).__name__}"
        )
    if numbers is None or surface.point is None:
        return None
    normal, point = tuple(surface.normal.tolist()), tuple(surface.point.tolist())
    over = _NO_COVER
    if cover is not None:
        over = float(cover.stiffness), float(cover.damping), float(cover.thickness)
    return Plane(normal, point, float(wall.friction), SLIP_SPEED, numbers, body, over)


def _numbers(law: ContactLaw) -> tuple[float, float, float, float, float, float] | None:
    """Return a law in plain numbers; none: it is not one of those that are compiled."""
    if type(law) is LayeredLaw:
        skin = float(law.skin)
        return skin, skin * law.loss, 1.0, LAYERED, float(law.thickness), float(law.core)
    if type(law) is YieldingLaw:
        return law.stiffness, 0.0, 1.0, YIELDING, law.resistance, law.hardening
    kind = _KINDS.get(type(law))
    if kind is None or not isinstance(law, HuntCrossley):
        return None
    return float(law.stiffness), float(law.damping), float(law.exponent), kind, 0.0, 0.0
