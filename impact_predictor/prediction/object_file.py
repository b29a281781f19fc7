# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Arms and the object that they hit, in a YAML file."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pinocchio as pin

from impact_predictor.multicontact.bodies import FreeBody, box
from impact_predictor.multicontact.contacts import face_points
from impact_predictor.multicontact.object_impact import Footing
from impact_predictor.prediction.object_question import ObjectArm, ObjectQuestion
from impact_robots.entries import ABOVE_0, TURN, Entries
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
    arms = {name: _arm(given, dof) for name, given in entries.sections("arms", _ARM)}
    if not arms:
        raise entries.error("arms", "at least one arm by name", {})
    given = entries.section("object", _OBJECT)
    size = given.vector("size", 3, allowed=ABOVE_0)
    body = _body(given, size)
    if "stands_on" not in entries:
        return ObjectQuestion(arms, body)
    friction = entries.section("stands_on", ("friction",)).number("friction")
    turn = np.asarray(body.rotation)
    bottom = np.asarray(body.position) - turn @ [0.0, 0.0, size[2] / 2]
    return ObjectQuestion(
        arms, body, Footing(face_points(bottom, turn, size[:2] / 2), friction=friction)
    )


def _arm(own: Entries, dof: int) -> ObjectArm:
    """Return one arm."""
    return ObjectArm(
        own.vector("q", dof),
        own.vector("dq", dof),
        own.vector("base", 3, np.zeros(3)),
        _turn(own),
        own.vector("half_extents", 2, np.array(_DEFAULT_ARM.half_extents), ABOVE_0),
        own.number("friction", _DEFAULT_ARM.friction),
    )


def _body(given: Entries, size: np.ndarray) -> FreeBody:
    """Return the object."""
    zero = np.zeros(3)
    return box(
        given.number("mass", allowed=ABOVE_0),
        size,
        given.vector("position", 3),
        rotation=_turn(given),
        linear_velocity=given.vector("velocity", 3, zero),
        angular_velocity=given.vector("angular_velocity", 3, zero),
    )


def _turn(given: Entries) -> np.ndarray:
    """Return the rotation by the entry's yaw, shape (3, 3)."""
    return pin.rpy.rpyToMatrix(0.0, 0.0, given.number("yaw", 0.0, TURN))
