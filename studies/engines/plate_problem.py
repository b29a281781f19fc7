# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""A drawn impact as one of plates and box alone: what every engine is compared by.

An arm acts on what its plate touches by its inertia at the plate alone, 6 x 6, so an impact of the
joints is one of the plates: the same impulses, the same velocities.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from pinocchio import skew
from scipy.linalg import block_diag

from impact_predictor.multicontact.contacts import WORLD
from impact_predictor.multicontact.object_impact import OBJECT, object_contacts
from studies.engines.drawn_impact import DrawnImpact


@dataclass(frozen=True)
class PlateProblem:
    """Plates, about their centres, then the box, about its own: six velocities each.

    Twists are [linear; angular] in world axes. Contacts are the corners of each plate in turn, on
    the box, then the points on which the box stands.
    """

    inertia: np.ndarray  # blkdiag(Lambda of each arm, of the box), shape (6b, 6b)
    J: np.ndarray  # of the contacts in their axes (x, y, normal), shape (3k, 6b)
    v: np.ndarray  # before, shape (6b,) [m/s; rad/s]
    friction: np.ndarray  # of each contact, shape (k,) [-]
    points: np.ndarray  # of the contacts, in the world, shape (k, 3) [m]
    rotations: np.ndarray  # from contact axes to world axes, shape (k, 3, 3)

    @property
    def closing_speed(self) -> float:
        """Return the highest speed at which a contact closes [m/s]."""
        return float(-(self.J @ self.v)[2::3].min())

    @property
    def delassus(self) -> np.ndarray:
        """Return J M^-1 J^T, shape (3k, 3k) [1/kg]."""
        return self.J @ np.linalg.solve(self.inertia, self.J.T)


def plate_problem(drawn: DrawnImpact) -> PlateProblem:
    """Return a drawn impact as one of its plates and its box."""
    blocks, v = [], []
    for plate in drawn.plates.values():
        J = plate.arm.jacobian(plate.center)
        blocks.append(np.linalg.inv(J @ np.linalg.solve(plate.arm.inertia(), J.T)))
        v.append(J @ plate.arm.velocity())
    blocks.append(drawn.body.inertia())
    v.append(drawn.body.velocity())
    inertia = block_diag(*blocks)
    places = {name: slice(6 * k, 6 * k + 6) for k, name in enumerate([*drawn.plates, OBJECT])}
    contacts = object_contacts(drawn.plates, drawn.support)
    rows = []
    for contact in contacts:
        row, point = np.zeros((3, len(inertia))), np.asarray(contact.point)
        for name, sign in ((contact.a, 1.0), (contact.b, -1.0)):
            if name != WORLD:
                center = drawn.body.position if name == OBJECT else drawn.plates[name].center
                row[:, places[name]] = sign * np.hstack([np.eye(3), -skew(point - center)])
        rows.append(contact.rotation().T @ row)
    return PlateProblem(
        inertia,
        np.vstack(rows),
        np.concatenate(v),
        np.array([contact.friction for contact in contacts]),
        np.array([contact.point for contact in contacts]),
        np.array([contact.rotation() for contact in contacts]),
    )
