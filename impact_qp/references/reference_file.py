# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""User-defined references, by knots in a YAML file: read and written."""

from __future__ import annotations

from math import inf
from pathlib import Path

import numpy as np
import pinocchio as pin
from numpy.typing import ArrayLike

from impact_qp.references.quintics import Knot, Quintics
from impact_qp.references.spread import SpreadReference, VelocityMap, couple
from impact_robots.entries import Entries
from impact_robots.exceptions import ImpactError, RobotError
from impact_robots.state.quaternions import quaternion_wxyz
from impact_robots.yaml_file import read_mapping

_ENTRIES = ("nominal_time", "orientation", "ante", "post")
_KNOT = ("time", "position", "velocity", "acceleration", "joint")
DIGITS = 9  # after the decimal point of what is written


def read_references(
    path: str | Path, velocity_map: VelocityMap | None = None, *, axes: np.ndarray | None = None
) -> SpreadReference:
    """Read references.

    The file holds ``nominal_time`` [s], ``orientation`` (the quaternion w, x, y, z of the contact
    frame in base axes) and two lists of knots, ``ante`` and ``post``. A knot has a ``time`` [s],
    the ``position``, ``velocity`` and ``acceleration`` of the contact point in base axes, and
    ``joint``: position, velocity and acceleration of the first joint. A missing
    velocity or acceleration is zero.

    Args:
        path: of the file.
        velocity_map: impact map of the velocity of [p; xi], shape (4,); ``post`` then
            has knots after the impact alone. None: its first knot is at the nominal time.
        axes: of the base in those of the references that are returned, shape (3, 3); None: equal.

    Raises:
        RobotError: unknown file, or a wrong entry; names file and key.
    """
    path = Path(path)
    entries = Entries(path, read_mapping(path), _ENTRIES)
    time = entries.number("nominal_time")
    axes = np.eye(3) if axes is None else axes
    rotation = axes @ _rotation(entries)
    ante, post = (
        [_knot(each, axes) for each in entries.listed(key, _KNOT)] for key in ("ante", "post")
    )
    if velocity_map is None and (not post or post[0].time != time):
        raise entries.error("post", f"a first knot at the nominal time {time:g}", _times(post))
    try:
        if velocity_map is not None:
            return couple(ante, time, velocity_map, post, rotation=rotation)
        return SpreadReference(Quintics(ante), Quintics(post), time, rotation)
    except ImpactError as error:
        raise RobotError(f"{path}: {error}") from None


def references_text(reference: SpreadReference, comment: str = "") -> str:
    """Return the file of references, which :func:`read_references` reads without a map.

    Args:
        reference: of [p; xi]; its post-impact reference begins at the nominal time.
        comment: one line that says where they are from.
    """
    head = [f"# {comment}"] if comment else []
    orientation = quaternion_wxyz(reference.rotation)
    lines = [
        *head,
        f"nominal_time: {_rounded(reference.nominal_time)!r}  # [s]",
        f"orientation: {_listed(orientation)}  # quaternion w, x, y, z, base axes",
    ]
    for name, motion in (("ante", reference.ante), ("post", reference.post)):
        lines += [f"{name}:", *map(_line, motion.knots_before(inf))]
    return "\n".join(lines) + "\n"


def _line(knot: Knot) -> str:
    """Return a knot of [p; xi] as an entry of a list."""
    states = [np.asarray(each) for each in knot[1:]]
    named = zip(_KNOT[1:4], states, strict=True)
    own = ", ".join(f"{name}: {_listed(state[:3])}" for name, state in named)
    joint = _listed([state[3] for state in states])
    return f"  - {{time: {_rounded(knot.time)!r}, {own}, joint: {joint}}}"


def _listed(values: ArrayLike) -> str:
    return str([_rounded(each) for each in np.asarray(values, dtype=float)])


def _rounded(value: float) -> float:
    return round(float(value), DIGITS) + 0.0  # no -0.0


def _rotation(entries: Entries) -> np.ndarray:
    """Return R_d of a quaternion of any non-zero length, shape (3, 3)."""
    w, x, y, z = entries.vector("orientation", 4).tolist()
    quaternion = pin.Quaternion(w, x, y, z)
    if quaternion.norm() < 1e-6:
        raise entries.error("orientation", "a quaternion w, x, y, z above 0", [w, x, y, z])
    return quaternion.normalized().toRotationMatrix()


def _knot(own: Entries, axes: np.ndarray) -> Knot:
    """Return a knot of [p; xi]; ``axes`` of the base, shape (3, 3)."""
    zero, joint = np.zeros(3), own.vector("joint", 3)
    return Knot(
        own.number("time"),
        np.append(axes @ own.vector("position", 3), joint[0]),
        np.append(axes @ own.vector("velocity", 3, zero), joint[1]),
        np.append(axes @ own.vector("acceleration", 3, zero), joint[2]),
    )


def _times(knots: list[Knot]) -> list[float]:
    return [knot.time for knot in knots]
