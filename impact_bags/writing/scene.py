# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""What Foxglove and RViz need to show a run: the robot, the poses of its links, wall and impulses.

Written under the topics that the nodes have for them, when the run is over: none of it is measured.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pinocchio as pin

from impact_bags.writing.message_maker import MessageMaker
from impact_bags.writing.writer import BagWriter
from impact_predictor.exceptions import PredictionError
from impact_predictor.prediction.near_contact import Forecast, NearContact
from impact_predictor.ros.marker_shapes import Kind, Scales, Shape, shapes
from impact_robots.robot import Robot
from impact_robots.state.contact_frame import contact_rotation
from impact_robots.surface import Surface
from impact_ros.message_fields import pose_fields

FRAMES, MARKERS = "/tf", "/impact_predictor/markers"
DESCRIPTION = "/robot_description"
TRANSFORMS = "tf2_msgs/msg/TFMessage"
MARKER, ARRAY = "visualization_msgs/msg/Marker", "visualization_msgs/msg/MarkerArray"
TEXT = "std_msgs/msg/String"
PERIOD = 20_000_000  # between two pictures [ns]
NEAR = 0.15  # gap below which impulses are shown [m]
WALL = (0.5, 0.5, 0.005)  # that is drawn: nobody says how large it is [m]
GREY = (0.6, 0.6, 0.6, 0.5)
_TYPES = {Kind.ARROW: "ARROW", Kind.LINES: "LINE_LIST", Kind.DOTS: "SPHERE_LIST"}


class Scene:
    """Collects one state in 20 ms, and writes all that is to be seen of them."""

    def __init__(self, robot: Robot, surface: Surface) -> None:
        """Begin.

        Args:
            robot: the arm.
            surface: that it hits.
        """
        self._robot, self._surface = robot, surface
        self._states: list[tuple[int, np.ndarray, np.ndarray]] = []

    def is_due(self, time: int) -> bool:
        """Whether a state of that time [ns] is shown."""
        return not self._states or time - self._states[-1][0] >= PERIOD

    def add(self, time: int, q: np.ndarray, dq: np.ndarray) -> None:
        """Take a state; what is not due is left out.

        Args:
            time: of the measurement [ns].
            q: joint positions, shape (n,) [rad].
            dq: joint velocities, shape (n,) [rad/s].
        """
        if self.is_due(time):
            self._states.append((time, q, dq))

    def write(self, writer: BagWriter) -> None:
        """Write what is to be seen of the states so far.

        Raises:
            WriteError: the disk refused.
        """
        if not self._states:
            return
        make = SceneMessages(writer.typestore, self._robot)
        near = NearContact(
            self._robot,
            self._surface,
            inertia=next(iter(self._robot.motor_inertias)),
            distance=NEAR,
            rate=1e9 / PERIOD,
        )
        first = self._states[0][0]
        if DESCRIPTION not in writer.topics:  # or its node has said it
            writer.add_topic(DESCRIPTION, TEXT, latched=True)
            writer.write(DESCRIPTION, TEXT, make.text(self._robot.urdf), first)
        writer.write(MARKERS, ARRAY, make.markers(first, self._surface), first)
        for time, q, dq in self._states:
            writer.write(FRAMES, TRANSFORMS, make.frames(time, q), time)
            try:
                forecast = near.look(time, q, dq)
            except PredictionError:
                continue
            if forecast is not None:
                made = make.markers(time, self._surface, forecast)
                writer.write(MARKERS, ARRAY, made, time)


class SceneMessages(MessageMaker):
    """Makes the messages of a scene, in base axes."""

    def __init__(self, typestore: Any, robot: Robot) -> None:
        """Make messages of one robot."""
        super().__init__(typestore, robot.base_frame)
        self._model, self._data = robot.model, robot.model.createData()
        self._base = robot.model.getFrameId(robot.base_frame)
        body = pin.FrameType.BODY
        frames = [(i, each) for i, each in enumerate(robot.model.frames) if each.type == body]
        self._links = {each.name: i for i, each in frames if each.name != robot.base_frame}

    def text(self, text: str) -> Any:
        """Return a text."""
        return self.types[TEXT](text)

    def frames(self, time: int, q: np.ndarray) -> Any:
        """Return the pose of every link in the base frame, at positions (n,) [rad]."""
        pin.forwardKinematics(self._model, self._data, q)
        pin.updateFramePlacements(self._model, self._data)
        base = self._data.oMf[self._base].inverse()
        header, types = self._header(time, self._frame), self.types
        placed = {name: base * self._data.oMf[i] for name, i in self._links.items()}
        return types[TRANSFORMS](
            [
                types["geometry_msgs/msg/TransformStamped"](
                    header,
                    name,
                    types["geometry_msgs/msg/Transform"](
                        self._vector(pose.translation), self._quaternion(pose.rotation)
                    ),
                )
                for name, pose in placed.items()
            ]
        )

    def markers(self, time: int, surface: Surface, forecast: Forecast | None = None) -> Any:
        """Return the wall, and what is to come: contact frame, impulse set and velocities.

        The wall is in every message: who begins to play within a recording sees the last one.

        Args:
            time: of the state [ns].
            surface: of which a piece around its point is drawn.
            forecast: of the impact; none: there is none near.
        """
        behind = np.asarray(surface.point) - 0.5 * WALL[2] * np.asarray(surface.normal)
        pose = self._placed(behind, contact_rotation(surface.normal))
        markers = [self._marker(time, "wall", 0, "CUBE", pose, WALL, GREY)]
        both = (
            ()
            if forecast is None
            else zip(forecast.answer.predictions, forecast.impulses, strict=True)
        )
        for number, (prediction, possible) in enumerate(both):
            pose = self._placed(prediction.contact_position, prediction.contact_rotation)
            found = shapes(prediction, possible, Scales(), number)
            markers += [self._shape(time, each, pose) for each in found if each.kind in _TYPES]
        return self.types[ARRAY](markers)

    def _shape(self, time: int, shape: Shape, pose: Any) -> Any:
        """Return one shape; it deletes the former one if there is nothing to draw."""
        size = shape.size
        scale = (size, 2 * size, 0.0) if shape.kind is Kind.ARROW else (size, size, size)
        made = self._marker(
            time, shape.group, shape.number, _TYPES[shape.kind], pose, scale, shape.colour
        )
        if shape.visible:
            point = self.types["geometry_msgs/msg/Point"]
            made.points = [point(*row) for row in shape.points.tolist()]
        else:
            made.action = made.DELETE
        return made

    def _marker(
        self,
        time: int,
        group: str,
        number: int,
        kind: str,
        pose: Any,
        scale: tuple[float, ...],
        colour: tuple[float, ...],
    ) -> Any:
        types: Any = self.types
        marker = types[MARKER]
        stays = types["builtin_interfaces/msg/Duration"](0, 0)
        image = types["sensor_msgs/msg/CompressedImage"](
            self._header(0, ""), "", np.zeros(0, dtype=np.uint8)
        )
        return marker(
            header=self._header(time, self._frame),
            ns=group,
            id=number,
            type=getattr(marker, kind),
            action=marker.ADD,
            pose=pose,
            scale=self._vector(scale),
            color=types["std_msgs/msg/ColorRGBA"](*colour),
            lifetime=stays,
            frame_locked=False,
            points=[],
            colors=[],
            texture_resource="",
            texture=image,
            uv_coordinates=[],
            text="",
            mesh_resource="",
            mesh_file=types["visualization_msgs/msg/MeshFile"]("", np.zeros(0, dtype=np.uint8)),
            mesh_use_embedded_materials=False,
        )

    def _placed(self, position: np.ndarray, rotation: np.ndarray) -> Any:
        fields = pose_fields(position, pin.Quaternion(rotation).coeffs())
        return self._made("geometry_msgs/msg/Pose", fields)

    def _quaternion(self, rotation: np.ndarray) -> Any:
        return self.types["geometry_msgs/msg/Quaternion"](*pin.Quaternion(rotation).coeffs())
