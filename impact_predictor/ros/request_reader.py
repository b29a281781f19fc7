# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Reads requests of the predictor's services: state, surface and contact points. Needs no ROS."""

from __future__ import annotations

from typing import Any

import numpy as np

from impact_predictor.exceptions import UnknownNameError
from impact_predictor.prediction.impact_question import ImpactQuestion
from impact_predictor.prediction.robot_contacts import RobotContact
from impact_predictor.ros.error_codes import RequestError, code_name
from impact_predictor.ros.request_limits import (
    LARGEST,
    MOST_CONTACTS,
    at_most,
    impossible,
    in_bounds,
)
from impact_predictor.sets.robot_sets import SETS
from impact_robots import (
    ArmDynamics,
    ImpactError,
    PointState,
    Robot,
    RobotError,
    RobotState,
    Surface,
)
from impact_robots.exceptions import OutOfRangeError
from impact_ros.exceptions import MessageError
from impact_ros.messages import JointReader, reorder, to_nanoseconds
from impact_ros.surface_message import read_offset, read_surface, surface_of


class RequestReader:
    """Turns requests into states of one robot, at any contact point of it."""

    def __init__(self, robot: Robot) -> None:
        """Keep the ``robot``."""
        self.robot = robot
        self._joint_reader = JointReader(robot.joint_names)
        self._frames = [frame.name for frame in robot.model.frames[1:]]
        self._dynamics: dict[str, ArmDynamics] = {}  # by composite body

    def prediction(self, request: Any, last_state: Any) -> tuple[ImpactQuestion, Any]:
        """Read a request for a prediction; return it with its joint state.

        Args:
            request: of impact_msgs/PredictImpact.
            last_state: sensor_msgs/JointState used if the request has none, or None.

        Raises:
            RequestError: the state is unusable or missing, or a contact is invalid.
            OutOfRangeError: the uncertainty is out of range.
        """
        message = _state(request, last_state)
        q, dq = self._motion(message, request.base_velocity)
        if not request.contacts:
            raise RequestError("CODE_NO_CONTACT", "contacts: expected at least one, got none")
        at_most("contacts", request.contacts, MOST_CONTACTS)
        at_most("models", request.models, len(self.robot.motor_inertias))
        first = request.contacts[0].frame or self.robot.contact_frame
        state = self._dynamics_of(first).state(q, dq)
        contacts = [self._read_contact(i, each, state) for i, each in enumerate(request.contacts)]
        question = ImpactQuestion(
            contacts=tuple(contacts),
            law=request.friction_law or "coulomb",
            inverse_inertia=request.inverse_inertia or "crb",
            inertia_margin=_margin(request.inertia_uncertainty),
            joint_ranges=request.joint_ranges,
        )
        return question, message

    def impact(self, request: Any, last_state: Any) -> tuple[PointState, Surface, Any]:
        """Return state and surface of a request, and the joint state that it is about.

        Args:
            request: of impact_msgs/ComputeFeasibleSets.
            last_state: sensor_msgs/JointState used if the request has none, or None.

        Raises:
            RequestError: the state or the normal is unusable, or there is no state.
            OutOfRangeError: friction, restitution, stiffness or duration is out of its range.
            UnknownNameError: there is no such contact frame.
        """
        message = _state(request, last_state)
        q, dq = self._motion(message, request.base_velocity)
        at_most("sets", request.sets, len(SETS))
        in_bounds(friction=request.surface.friction_high, peak_factor=request.peak_factor)
        if 0.0 < request.impact_duration < 1.0 / LARGEST:
            expected = f"at least {1.0 / LARGEST:g} s"
            raise OutOfRangeError("impact_duration", expected, request.impact_duration)
        try:
            surface = surface_of(request.normal, request.surface)
        except RobotError as error:
            raise RequestError("CODE_BAD_NORMAL", str(error)) from None
        frame = self._frame(request.contact_frame)
        return self._dynamics_of(frame).state(q, dq).at(frame), surface, message

    def _motion(self, message: Any, twist: Any) -> tuple[np.ndarray, np.ndarray]:
        """Return positions and velocities of the robot, base first, in its joint order, finite."""
        q, dq = self._joints(message)
        base = [getattr(part, axis) for part in (twist.linear, twist.angular) for axis in "xyz"]
        if not all(abs(each) < LARGEST for each in base):
            text = f"base_velocity: expected finite numbers, got {base}"
            raise RequestError("CODE_BAD_STATE", text)
        if any(base) and self.robot.base == "fixed":
            raise OutOfRangeError("base_velocity", "0 of a fixed base", base)
        return self.robot.whole(q, dq, base)

    def _joints(self, message: Any) -> tuple[np.ndarray, np.ndarray]:
        """Return positions and velocities of the joints, in the robot's order, finite."""
        names = self.robot.joint_names
        try:
            to_nanoseconds(message.header.stamp)  # it is part of the response
            arrays = self._joint_reader.read(message)
        except MessageError as error:
            raise RequestError(_state_code(message, names), f"state: {error}") from None
        q, dq = arrays.position, arrays.velocity
        if sum(map(abs, q.tolist())) + sum(map(abs, dq.tolist())) < LARGEST:  # the usual case
            return q, dq
        bad = impossible(names, position=q, velocity=dq)
        if bad:
            text = f"state: expected finite numbers, missing or not finite: {', '.join(bad)}"
            raise RequestError("CODE_BAD_STATE", text)
        return q, dq

    def _dynamics_of(self, frame: str) -> ArmDynamics:
        """Return the dynamics with the composite body of a frame."""
        composite = self.robot.composite_of(frame)
        if composite not in self._dynamics:
            self._dynamics[composite] = ArmDynamics(self.robot, composite, compiled=True)
        return self._dynamics[composite]

    def _read_contact(self, place: int, contact: Any, state: RobotState) -> RobotContact:
        """Return one contact of a request."""
        try:
            frame = self._frame(contact.frame)
            offset = read_offset(contact.offset)
            point = state.at(frame, offset if any(offset) else None)
            surface = read_surface(contact)
            in_bounds(friction=surface.friction[1])
        except RobotError as error:
            raise RequestError("CODE_BAD_NORMAL", f"contacts[{place}]: {error}") from None
        except ImpactError as error:
            raise RequestError(code_name(error), f"contacts[{place}]: {error}") from None
        return RobotContact(point, surface, frame)

    def _frame(self, name: str) -> str:
        """Return the name of a frame; empty: the robot's contact frame."""
        name = name or self.robot.contact_frame
        if name not in self._frames:
            raise UnknownNameError("contact frame", name, self._frames)
        return name


def _state(request: Any, last_state: Any) -> Any:
    """Return the joint state that a request is about."""
    state = request.state
    given = len(state.name) or len(state.position) or len(state.velocity)
    message = state if given else last_state
    if message is None:
        raise RequestError("CODE_NO_STATE", "state: empty, and none has been received")
    return message


def _state_code(message: Any, names: tuple[str, ...]) -> str:
    """Return the code of a state that could not be read."""
    try:
        reorder(message.name, names)
    except MessageError:
        return "CODE_UNKNOWN_JOINT"
    return "CODE_BAD_STATE"


def _margin(uncertainty: float) -> float:
    """Return the relative uncertainty of inertias [-]."""
    if not 0.0 <= uncertainty < 1.0:
        expected = "a number from 0 to below 1"
        raise OutOfRangeError("inertia_uncertainty", expected, uncertainty)
    return uncertainty
