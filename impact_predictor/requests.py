# SPDX-License-Identifier: Apache-2.0
"""Reads requests of the predictor's services: state, surface and contact point. Needs no ROS."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from impact_predictor.codes import RequestError
from impact_predictor.exceptions import UnknownNameError
from impact_robots import ArmDynamics, ArmState, Robot, RobotError, contact_rotation
from impact_ros.exceptions import MessageError
from impact_ros.messages import joint_state_arrays, non_finite, reorder, vector


class RequestReader:
    """Turns requests into states of one robot, at any contact point of it."""

    def __init__(self, robot: Robot) -> None:
        """Keep the ``robot``."""
        self.robot = robot
        self._contacts = {robot.contact_frame: (robot, ArmDynamics(robot))}

    def read(self, request: Any, last_state: Any) -> tuple[Robot, ArmState, np.ndarray, Any]:
        """Return robot, state and R_Op of a request, and the joint state that it is about.

        Args:
            request: of either service.
            last_state: sensor_msgs/JointState that stands in for an empty one, or none.

        Raises:
            RequestError: the state or the normal is unusable, or there is no state.
            UnknownNameError: there is no such contact frame.
        """
        message = request.state if request.state.name else last_state
        if message is None:
            raise RequestError("CODE_NO_STATE", "state: empty, and none has been received")
        q, dq = self._joints(message)
        rotation = _rotation(vector(request.normal))
        robot, dynamics = self._contact(request.contact_frame)
        return robot, dynamics(q, dq), rotation, message

    def _joints(self, message: Any) -> tuple[np.ndarray, np.ndarray]:
        """Return positions and velocities in the robot's joint order, finite."""
        names = self.robot.joint_names
        try:
            reorder(message.name, names)
        except MessageError as error:
            raise RequestError("CODE_UNKNOWN_JOINT", f"state: {error}") from None
        try:
            arrays = joint_state_arrays(message, names)
        except MessageError as error:
            raise RequestError("CODE_BAD_STATE", f"state: {error}") from None
        bad = non_finite(names, position=arrays.position, velocity=arrays.velocity)
        if bad:
            text = f"state: expected finite numbers, missing or not finite: {', '.join(bad)}"
            raise RequestError("CODE_BAD_STATE", text)
        return arrays.position, arrays.velocity

    def _contact(self, name: str) -> tuple[Robot, ArmDynamics]:
        """Return the robot with its contact point at frame ``name``; empty: its own."""
        name = name or self.robot.contact_frame
        if name not in self._contacts:
            frames = [frame.name for frame in self.robot.model.frames]
            if name not in frames:
                raise UnknownNameError("contact frame", name, frames)
            robot = replace(self.robot, contact_frame=name)
            self._contacts[name] = (robot, ArmDynamics(robot))
        return self._contacts[name]


def _rotation(normal: np.ndarray) -> np.ndarray:
    """Return R_Op of a surface."""
    try:
        return contact_rotation(normal)
    except RobotError as error:
        raise RequestError("CODE_BAD_NORMAL", str(error)) from None
