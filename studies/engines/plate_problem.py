# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""A drawn impact as one of plates and box alone: what every engine is compared by.

An arm acts on what its plate touches by its inertia at the plate alone, 6 x 6, so an impact of the
joints is one of the plates: the same impulses, the same velocities.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from impact_predictor.multicontact.contacts import face_points
from impact_robots import contact_rotation
from studies.engines.drawn_impact import DrawnImpact

UP = (0.0, 0.0, 1.0)


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
    inertia = np.zeros((6 * len(blocks), 6 * len(blocks)))
    for index, block in enumerate(blocks):
        inertia[6 * index : 6 * index + 6, 6 * index : 6 * index + 6] = block
    rows, friction, points, rotations = [], [], [], []
    for index, plate in enumerate(drawn.plates.values()):
        for corner in face_points(plate.center, plate.axes, plate.half_extents):
            row = np.zeros((3, len(inertia)))
            row[:, 6 * index : 6 * index + 6] = _point_rows(corner - plate.center)
            row[:, -6:] = -drawn.body.jacobian(corner)[:3]
            rows.append(row)
            points.append(corner)
            rotations.append(contact_rotation(-plate.axes[:, 2]))
            friction.append(plate.friction)
    if drawn.support is not None:
        for foot in drawn.feet:
            row = np.zeros((3, len(inertia)))
            row[:, -6:] = drawn.body.jacobian(foot)[:3]
            rows.append(row)
            points.append(foot)
            rotations.append(contact_rotation(UP))
            friction.append(drawn.support.friction)
    turned = [turn.T @ row for turn, row in zip(rotations, rows, strict=True)]
    return PlateProblem(
        inertia,
        np.vstack(turned),
        np.concatenate(v),
        np.array(friction),
        np.array(points),
        np.array(rotations),
    )


def _point_rows(r: np.ndarray) -> np.ndarray:
    """Return [1, -hat(r)], the velocity of a point at ``r`` from a twist's, shape (3, 6)."""
    x, y, z = r
    return np.hstack([np.eye(3), [[0.0, z, -y], [-z, 0.0, x], [y, -x, 0.0]]])
