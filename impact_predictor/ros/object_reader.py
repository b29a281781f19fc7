# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Reads requests about arms that hit an object. Needs no ROS."""

from __future__ import annotations

from typing import Any

import numpy as np

from impact_predictor.multicontact.bodies import FreeBody, box
from impact_predictor.multicontact.contacts import face_points
from impact_predictor.multicontact.object_impact import OBJECT_MAPS, Footing
from impact_predictor.prediction.object_question import ObjectArm, ObjectQuestion
from impact_predictor.ros.error_codes import RequestError
from impact_predictor.ros.request_limits import LARGEST, at_most, impossible, in_bounds
from impact_robots import Robot
from impact_robots.exceptions import OutOfRangeError
from impact_robots.validation import friction_coefficient
from impact_ros.exceptions import MessageError
from impact_ros.messages import JointReader, rotation_of, vector

MOST_ARMS = 4
_HALF = 0.05  # of a plate's edge where the request has 0 [m]


class ObjectReader:
    """Turns requests into questions about arms of one robot."""

    def __init__(self, robot: Robot) -> None:
        """Keep the ``robot``."""
        self._names = robot.joint_names
        self._most_models = len(robot.motor_inertias)
        self._joint_reader = JointReader(robot.joint_names)

    def question(self, request: Any) -> ObjectQuestion:
        """Read a request of impact_msgs/PredictImpact with arms.

        Raises:
            RequestError: there are contacts too, or a state is unusable.
            OutOfRangeError: a number is out of its range, or a name is given twice.
        """
        if request.contacts:
            expected = "contacts: expected none beside arms"
            raise RequestError("CODE_NO_CONTACT", f"{expected}, got {len(request.contacts)}")
        at_most("arms", request.arms, MOST_ARMS)
        at_most("models", request.models, self._most_models)
        at_most("object_maps", request.object_maps, len(OBJECT_MAPS))
        names = [arm.name for arm in request.arms]
        if len(set(names)) != len(names):
            raise OutOfRangeError("arms", "every name once", names)
        arms = {arm.name: self._arm(arm) for arm in request.arms}
        body, footing = _object(request.object)
        return ObjectQuestion(arms, body, footing, tuple(request.object_maps) or OBJECT_MAPS)

    def _arm(self, arm: Any) -> ObjectArm:
        """Return one arm."""
        try:
            arrays = self._joint_reader.read(arm.state)
        except MessageError as error:
            raise RequestError("CODE_BAD_STATE", f"arm {arm.name!r}: state: {error}") from None
        if bad := impossible(self._names, position=arrays.position, velocity=arrays.velocity):
            text = f"arm {arm.name!r}: state: missing or not finite: {', '.join(bad)}"
            raise RequestError("CODE_BAD_STATE", text)
        in_bounds(friction=arm.friction)
        position, rotation = _pose(arm.base, f"base of {arm.name!r}")
        half = [arm.half_extent_x or _HALF, arm.half_extent_y or _HALF]
        friction = friction_coefficient(arm.friction)
        return ObjectArm(arrays.position, arrays.velocity, position, rotation, half, friction)


def _object(given: Any) -> tuple[FreeBody, Footing | None]:
    """Return the object and its support."""
    in_bounds(mass=given.mass)
    position, rotation = _pose(given.pose, "pose of the object")
    size = _bounded(given.size, "size")
    body = box(
        given.mass,
        size,
        position,
        rotation=rotation,
        linear_velocity=_bounded(given.twist.linear, "twist"),
        angular_velocity=_bounded(given.twist.angular, "twist"),
    )
    if not given.stands:
        return body, None
    in_bounds(friction=given.support_friction)
    bottom = position - rotation @ [0.0, 0.0, size[2] / 2]
    feet = face_points(bottom, rotation, size[:2] / 2)
    return body, Footing(feet, friction=friction_coefficient(given.support_friction))


def _pose(pose: Any, name: str) -> tuple[np.ndarray, np.ndarray]:
    """Return position (3,) [m] and rotation (3, 3) of a pose."""
    try:
        return _bounded(pose.position, name), rotation_of(pose.orientation)
    except MessageError as error:
        raise RequestError("CODE_OUT_OF_RANGE", f"{name}: {error}") from None


def _bounded(message: Any, name: str) -> np.ndarray:
    """Return a Point or Vector3 as an array, shape (3,).

    Raises:
        OutOfRangeError: a number is not finite, or too large.
    """
    array = vector(message)
    if not (np.abs(array) < LARGEST).all():
        raise OutOfRangeError(name, f"three finite numbers below {LARGEST:g}", array)
    return array
