# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""A rigid convex body by its corners, as a YAML declares it, and what is to be identified."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from impact_robots.entries import Entries, is_number
from impact_robots.yaml_file import read_mapping

CUBE = Path(__file__).with_name("cube.yaml")
UNKNOWNS = ("centre_of_mass", "inertia", "rounding")
_ENTRIES = (
    *("name", "mass", "inertia", "corners", "centre_of_mass", "rounding", "friction"),
    *("restitution", "identify", "length_scale", "gravity", "rate"),
    "normal_per_gravity",
)
_FLAT = 1e-6  # distance over the body's size below which points lie in one face
_FEWEST = 4  # corners
_LARGEST = 3.0  # of a corner's coordinates [m]


@dataclass(frozen=True)
class ConvexBody:
    """What is declared of a body; K corners in the axes and from the origin that were tracked."""

    name: str
    mass: float  # [kg]
    inertia: np.ndarray  # about the centre of mass, diagonal in the body's axes, (3,) [kg.m^2]
    corners: np.ndarray  # shape (K, 3) [m]
    insets: np.ndarray  # how a rounded corner's centre moves inwards with its radius, (K, 3) [-]
    faces: np.ndarray  # outward normals, shape (F, 3)
    centre_of_mass: np.ndarray  # shape (3,) [m]
    rounding: float  # radius of the corners [m]
    friction: float  # [-]
    restitution: float  # [-]
    identify: tuple[str, ...]  # of UNKNOWNS
    length_scale: float  # lengths in the recordings over true ones [-]
    gravity: float  # in the recordings [m/s^2]
    rate: float  # of the recordings' frames [1/s]
    # The plane's normal over gravity, horizontal parts as complex numbers (real, imaginary)
    # [s^2/m]: camera and plane both lean, by angles that turn together; none: neither does.
    normal_per_gravity: np.ndarray | None

    @property
    def width(self) -> float:
        """Largest extent of the corners along one of the body's axes [m]."""
        return float(np.ptp(self.corners, axis=0).max())


def read_body(path: Path = CUBE) -> ConvexBody:
    """Return the body in a YAML.

    Raises:
        RobotError: no such file, an entry that is missing, unknown or out of its range, or corners
            that are not those of a convex body.
    """
    entries = Entries(path, read_mapping(path), _ENTRIES)
    corners = _corners(entries)
    faces, insets = _faces(entries, corners)
    identify = entries.texts("identify", UNKNOWNS)
    if unknown := [each for each in identify if each not in UNKNOWNS]:
        raise entries.error("identify", f"some of {', '.join(UNKNOWNS)}", unknown[0])
    restitution = entries.number("restitution")
    if restitution > 1.0:
        raise entries.error("restitution", "a number from 0 to 1", restitution)
    return ConvexBody(
        name=entries.text("name", path.stem),
        mass=_above_zero(entries, "mass"),
        inertia=entries.positive("inertia", 3),
        corners=corners,
        insets=insets,
        faces=faces,
        centre_of_mass=entries.place("centre_of_mass", np.zeros(3)),
        rounding=entries.number("rounding") if "rounding" in entries else 0.0,
        friction=entries.number("friction"),
        restitution=restitution,
        identify=identify,
        length_scale=entries.scale("length_scale", 1.0),
        gravity=entries.scale("gravity", 9.81),
        rate=_above_zero(entries, "rate"),
        normal_per_gravity=entries.vector("normal_per_gravity", 2)
        if "normal_per_gravity" in entries
        else None,
    )


def _above_zero(entries: Entries, key: str) -> float:
    """Return a number above 0, which must be there."""
    entries.value(key)
    return entries.scale(key, 1.0)


def _corners(entries: Entries) -> np.ndarray:
    """Return the corners, shape (K, 3)."""
    given = entries.value("corners")
    rows = isinstance(given, list) and len(given) >= _FEWEST
    if not rows or not all(
        isinstance(row, list) and len(row) == 3 and all(map(is_number, row)) for row in given
    ):
        raise entries.error("corners", f"at least {_FEWEST} lists of three numbers", given)
    corners = np.array(given, dtype=float)
    if (far := float(np.abs(corners).max())) > _LARGEST:
        raise entries.error("corners", f"at most {_LARGEST:g} m, not millimetres", far)
    return corners


def _faces(entries: Entries, corners: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the faces' normals n (F, 3), and how a rounded corner's centre moves per radius.

    That is k with n k = -1 for all faces of the corner, shape (K, 3).
    """
    from scipy.spatial import ConvexHull, QhullError  # loads slowly

    try:
        hull = ConvexHull(corners)
    except QhullError:
        raise entries.error("corners", "those of a body, not all in one plane", len(corners)) from (
            None
        )
    if inner := set(range(len(corners))) - set(hull.vertices.tolist()):
        raise entries.error("corners", "a convex body's", corners[min(inner)].tolist())
    near = _FLAT * float(np.ptp(corners, axis=0).max())
    insets = []
    for corner in corners:
        normals = hull.equations[np.abs(hull.equations @ np.append(corner, 1.0)) < near, :3]
        insets.append(np.linalg.lstsq(normals, -np.ones(len(normals)), rcond=1e-9)[0])
    return np.unique(np.round(hull.equations[:, :3], 6), axis=0), np.array(insets)
