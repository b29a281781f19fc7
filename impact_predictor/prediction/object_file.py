# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Arms and the object that they hit, in a YAML file."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pinocchio as pin

from impact_predictor.multicontact.bodies import FreeBody, box
from impact_predictor.multicontact.contacts import face_points
from impact_predictor.multicontact.object_impact import Footing
from impact_predictor.prediction.object_question import ObjectArm, ObjectQuestion
from impact_robots.entries import Entries
from impact_robots.yaml_file import read_mapping

_ENTRIES = ("arms", "object", "stands_on")
_ARM = ("q", "dq", "base", "yaw", "half_extents", "friction")
_OBJECT = ("mass", "size", "position", "yaw", "velocity", "angular_velocity")
_DEFAULT_ARM = ObjectArm((), ())


def read_object_question(path: str | Path, dof: int) -> ObjectQuestion:
    """Read arms and an object.

    The file holds ``arms``, by name: ``q`` and ``dq``, and, if other than zero, the ``base`` in the
    world and its ``yaw``; the plate's ``half_extents`` and ``friction``. Then the ``object``, a
    homogeneous box: ``mass``, ``size``, ``position`` of its centre in the world, ``yaw``, and its
    ``velocity`` and ``angular_velocity`` if it moves. With ``stands_on``, whose ``friction`` it
    gives, the box stays on a horizontal support; without, it is free, or lifted. SI units.

    Args:
        path: of the file.
        dof: number of joints of each arm.

    Raises:
        RobotError: there is no such file, or an entry is wrong; names file and key.
        OutOfRangeError: a mass or an edge is not positive.
    """
    path = Path(path)
    entries = Entries(path, read_mapping(path), _ENTRIES)
    named: Any = entries.value("arms")
    if not isinstance(named, dict) or not named:
        raise entries.error("arms", "at least one arm by name", named)
    arms = {str(name): _arm(entries, str(name), given, dof) for name, given in named.items()}
    given = entries.section("object", _OBJECT)
    size = given.positive("size", 3)
    body = _body(given, size)
    if "stands_on" not in entries:
        return ObjectQuestion(arms, body)
    friction = entries.section("stands_on", ("friction",)).number("friction")
    turn = np.asarray(body.rotation)
    bottom = np.asarray(body.position) - turn @ [0.0, 0.0, size[2] / 2]
    return ObjectQuestion(
        arms, body, Footing(face_points(bottom, turn, size[:2] / 2), friction=friction)
    )


def _arm(entries: Entries, name: str, given: Any, dof: int) -> ObjectArm:
    """Return one arm."""
    if not isinstance(given, dict):
        raise entries.error(f"arms.{name}", f"entries {', '.join(_ARM)}", given)
    own = Entries(entries.path, given, _ARM, f"arms.{name}.")
    friction = own.number("friction") if "friction" in own else _DEFAULT_ARM.friction
    return ObjectArm(
        own.vector("q", dof),
        own.vector("dq", dof),
        own.vector("base", 3, np.zeros(3)),
        _turn(own),
        own.positive("half_extents", 2, np.array(_DEFAULT_ARM.half_extents)),
        friction,
    )


def _body(given: Entries, size: np.ndarray) -> FreeBody:
    """Return the object."""
    zero, mass = np.zeros(3), given.number("mass")
    if mass <= 0.0:
        raise given.error("mass", "a number above 0", mass)
    return box(
        mass,
        size,
        given.vector("position", 3),
        rotation=_turn(given),
        linear_velocity=given.vector("velocity", 3, zero),
        angular_velocity=given.vector("angular_velocity", 3, zero),
    )


def _turn(given: Entries) -> np.ndarray:
    """Return the rotation by the entry's yaw, shape (3, 3)."""
    if "yaw" not in given:
        return np.eye(3)
    yaw = given.value("yaw")
    if isinstance(yaw, bool) or not isinstance(yaw, (int, float)) or not abs(yaw) <= 2 * np.pi:
        raise given.error("yaw", "an angle from -2 pi to 2 pi", yaw)
    return pin.rpy.rpyToMatrix(0.0, 0.0, float(yaw))
