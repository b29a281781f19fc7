# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""The position of the surface that a recorded arm hits: bags hold its normal, but no point."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from impact_robots.dynamics import ArmDynamics
from impact_robots.robot import Robot
from impact_view.run.record import ViewRecord


@dataclass(frozen=True)
class Wall:
    """A plane that is drawn; base axes."""

    point: np.ndarray  # shape (3,) [m]
    normal: np.ndarray  # out of the surface, unit length, shape (3,)
    source: str  # source of its position


def find_wall(record: ViewRecord, robot: Robot) -> Wall | None:
    """Return the announced surface; None if none was announced or its position is unknown.

    It lies at the gap that the controller reported, else at the point where a force began.
    """
    said = (each.surface for each in record.announced if each is not None)
    surface = next((each for each in said if each is not None), None)
    if surface is None:
        return None
    normal, position = np.array(surface.normal), ArmDynamics(robot).position
    known = np.flatnonzero(np.isfinite(record.gap) & ~record.in_contact)
    if len(known):
        k = known[np.argmin(np.abs(record.gap[known]))]
        point = position(record.q[k]) - record.gap[k] * normal
        return Wall(point, normal, "at the gap that the controller reported")
    if len(record.contact_starts):
        return Wall(position(record.q[record.contact_starts[0]]), normal, "where a force began")
    return None
