# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Arms with flat plates that hit one object: by the plates' corners, or as one mechanism.

Four frictional points let a plate turn away from the face that it hits (van Steen et al., III, by
their simulator keep it there). The locked map joins them: after the impact plates and object move
as one and do not turn, and an object on a support stays on it. For one arm along the direction d,

    v^+ = m_l v^- / (m_l + m_o),    1/m_l = d^T Lambda^-1 d under the rows that are held.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import ArrayLike

from impact_predictor.exceptions import UnknownNameError
from impact_predictor.multicontact.bodies import ArmBody, Body, FreeBody
from impact_predictor.multicontact.contacts import BodyContact, Loop, face_points
from impact_predictor.multicontact.impact_system import impact_system
from impact_predictor.multicontact.simultaneous_result import SimultaneousImpact
from impact_robots.exceptions import OutOfRangeError
from impact_robots.validation import finite_array

OBJECT = "object"  # its name among the bodies
OBJECT_MAPS = ("locked", "points")


def _up() -> np.ndarray:
    return np.array([0.0, 0.0, 1.0])


@dataclass(frozen=True)
class Plate:
    """A flat end-effector about its arm's contact point, whose axis z points at the object."""

    arm: ArmBody
    half_extents: ArrayLike = (0.05, 0.05)  # along the contact frame's x and y, shape (2,) [m]
    friction: float = 0.8  # on the object [-]

    @property
    def axes(self) -> np.ndarray:
        """Return the contact frame's axes in the world, shape (3, 3)."""
        return finite_array(self.arm.base_rotation, (3, 3), "base_rotation") @ (
            self.arm.state.rotation
        )

    @property
    def center(self) -> np.ndarray:
        """Return the contact point in the world, shape (3,) [m]."""
        turn = finite_array(self.arm.base_rotation, (3, 3), "base_rotation")
        origin = finite_array(self.arm.base_position, (3,), "base_position")
        return origin + turn @ self.arm.state.position


@dataclass(frozen=True)
class Footing:
    """Support of the object that it slides on, such as a table."""

    points: ArrayLike  # where it stands, in the world, shape (k, 3) [m]
    normal: ArrayLike = field(default_factory=_up)  # out of the support, any length, shape (3,)
    friction: float = 0.3  # [-]


@dataclass(frozen=True)
class ObjectVelocities:
    """Velocities after the impact; twists are [linear; angular] in world axes, shape (6,)."""

    plates: dict[str, np.ndarray]  # twist of each plate, at its contact point [m/s; rad/s]
    body: np.ndarray  # twist of the object, at its centre of mass [m/s; rad/s]
    joints: dict[str, np.ndarray]  # joint velocities of each arm, shape (n,) [rad/s]


@dataclass(frozen=True)
class ObjectImpact(ObjectVelocities):
    """The same, with the impulses of the impact and their law."""

    impact: SimultaneousImpact


def object_impact(
    plates: Mapping[str, Plate],
    body: FreeBody,
    support: Footing | None = None,
    *,
    kind: str = "locked",
) -> ObjectImpact:
    """Return the result of a simultaneous hit of an object by arms with flat plates.

    Args:
        plates: of the arms, by name.
        body: the object.
        support: that it stands on; None: it is free, or lifted.
        kind: of :data:`OBJECT_MAPS`: "locked", or "points" with friction at the plates' corners.

    Raises:
        OutOfRangeError: no arm, one that is called "object", or an array of the wrong shape.
        RobotError: a normal is zero.
        UnknownNameError: no such map.
        UnsolvedImpactError: no impulses were found that satisfy Coulomb's law.
    """
    if kind not in OBJECT_MAPS:
        raise UnknownNameError("object map", kind, OBJECT_MAPS)
    check_names(plates)
    bodies: dict[str, Body] = {name: plate.arm for name, plate in plates.items()}
    bodies[OBJECT] = body
    if kind == "locked":
        system = impact_system(bodies, [], _joints(plates, body, support))
    else:
        system = impact_system(bodies, object_contacts(plates, support))
    solved = system.solve()
    return ObjectImpact(
        plates=plate_twists(plates, solved.velocities),
        body=solved.velocities[OBJECT],
        joints={name: solved.velocities[name] for name in plates},
        impact=solved.impact,
    )


def check_names(plates: Mapping[str, Plate]) -> None:
    """Refuse no arm, or one that is called as the object.

    Raises:
        OutOfRangeError: it is so.
    """
    if not plates or OBJECT in plates:
        raise OutOfRangeError("plates", f"at least one, none called {OBJECT!r}", list(plates))


def plate_twists(
    plates: Mapping[str, Plate], joints: Mapping[str, np.ndarray]
) -> dict[str, np.ndarray]:
    """Return the twist of each plate at its centre, world axes, shape (6,) [m/s; rad/s].

    Args:
        plates: of the arms, by name.
        joints: velocities of each arm's joints, shape (n,) [rad/s].
    """
    return {name: plate.arm.jacobian(plate.center) @ joints[name] for name, plate in plates.items()}


def object_contacts(plates: Mapping[str, Plate], support: Footing | None) -> list[BodyContact]:
    """Return the corners of each plate in turn, then the points of the support.

    Args:
        plates: of the arms, by name; each contact is one of the arm on the object.
        support: that the object stands on; None: it is free, or lifted.
    """
    contacts = [
        BodyContact(corner, -plate.axes[:, 2], name, OBJECT, friction=plate.friction)
        for name, plate in plates.items()
        for corner in face_points(plate.center, plate.axes, plate.half_extents)
    ]
    if support is None:
        return contacts
    return contacts + [
        BodyContact(point, support.normal, OBJECT, friction=support.friction)
        for point in np.atleast_2d(np.asarray(support.points, dtype=float))
    ]


def _joints(plates: Mapping[str, Plate], body: FreeBody, support: Footing | None) -> list[Loop]:
    """Return the constraints closed by the impact: plates on the object, no rotation."""
    welds = [Loop(plate.center, name, OBJECT, closes=True) for name, plate in plates.items()]
    if support is None:
        return [*welds, Loop(body.position, OBJECT, joint="translation", closes=True)]
    stays = Loop(body.position, OBJECT, joint="table", axis=support.normal, closes=True)
    return [*welds, stays]
