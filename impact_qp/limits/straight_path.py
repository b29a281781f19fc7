# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""The state of an arm after a straight motion to a surface, without rotation."""

from __future__ import annotations

from collections.abc import Generator

import numpy as np

from impact_qp.limits.impact_limits.contact import Contact
from impact_robots.dynamics import ArmDynamics
from impact_robots.state.state import PointState

NEWTON, DAMPING = 3, 1e-6  # iterations to a state ahead; of the inverse Jacobian near a singularity


def states_ahead(
    dynamics: ArmDynamics, contact: Contact, point: PointState, way: float, frame: str | None = None
) -> Generator[None, None, PointState]:
    """Return the state after a motion along the normal, at most to the surface, piece by piece.

    Args:
        dynamics: of the arm.
        contact: with surface and normal.
        point: that moves, now.
        way: distance against the normal [m].
        frame: at the point; none: the robot's contact frame.
    """
    normal, q = contact.normal, point.q
    end = contact.gap(point.position) - way
    for _ in range(NEWTON if way > 0.0 else 0):
        left = contact.gap(point.position) - max(end, 0.0)
        twist = np.append(-left * normal, np.zeros(3))
        J = point.J
        q = q + J.T @ np.linalg.solve(J @ J.T + DAMPING * np.eye(6), twist)
        yield
        point = dynamics.state(q, point.dq).at(frame)
    return point


def contact_state(dynamics: ArmDynamics, contact: Contact, point: PointState) -> PointState:
    """Return the state in which a point contacts the surface; the same if it is behind it."""
    found = []

    def piece_by_piece() -> Generator[None, None, None]:
        gap = contact.gap(point.position)
        found.append((yield from states_ahead(dynamics, contact, point, gap)))

    for _ in piece_by_piece():
        pass
    return found[0]
