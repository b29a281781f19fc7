# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""The scene in the browser: arm, wall, contact force, impulse set, measured impulse."""

from __future__ import annotations

from typing import Any

import numpy as np
import pinocchio as pin
import trimesh

from impact_robots.robot import Robot
from impact_robots.state.contact_frame import contact_rotation
from impact_view.run.record import BoxTrack
from impact_view.scene.instant import Instant, Timeline
from impact_view.scene.surfaces import Wall
from impact_view.scene.urdf_shapes import link_shapes

ARM, WALL = (170, 178, 196), (150, 160, 170)
BOX = (196, 154, 108)
FORCE, SET, IMPULSE = (214, 39, 40), (31, 119, 180), (255, 127, 14)
SEE_THROUGH = 0.65  # opacity of the arm: parts inside stay visible [-]
WALL_SIZE, WALL_DEPTH = 0.5, 0.01  # [m]
SHAFT, SHORTEST = 0.01, 0.01  # of an arrow: radius of its shaft, length that is drawn [m]


class Stage:
    """One arm in a scene of viser; several may stand side by side."""

    def __init__(self, scene: Any, robot: Robot, name: str = "") -> None:
        """Build the arm.

        Args:
            scene: of a viser server.
            robot: the arm.
            name: of the node that all of it hangs on; "": the root.
        """
        self._scene, self._name = scene, name
        self._root = scene.add_frame(name, show_axes=False) if name else scene.world_axes
        self._links: dict[int, Any] = {}
        shapes = link_shapes(robot)
        for frame in dict.fromkeys(shape.frame for shape in shapes):
            own = [trimesh.Trimesh(s.vertices, s.faces) for s in shapes if s.frame == frame]
            body = trimesh.util.concatenate(own)  # one of each link
            self._links[frame] = scene.add_mesh_simple(
                f"{name}/arm/{frame}",
                vertices=np.asarray(body.vertices),
                faces=np.asarray(body.faces),
                color=ARM,
                opacity=SEE_THROUGH,
                flat_shading=False,
            )
        self._point = scene.add_icosphere(f"{name}/contact", radius=0.012, color=(40, 40, 40))
        self._boxes: list[Any] = []
        self._solid: Any = None
        self._shown: Any = None  # the solid now drawn

    def reveal(self, visible: bool) -> None:
        """Show or hide everything."""
        self._root.visible = visible

    def set_wall(self, wall: Wall | None) -> None:
        """Draw the surface that is hit, if known; its front is at the contact point."""
        if wall is None:
            self._scene.remove_by_name(f"{self._name}/wall")
            return
        rotation = contact_rotation(wall.normal)
        self._scene.add_box(
            f"{self._name}/wall",
            dimensions=(WALL_SIZE, WALL_SIZE, WALL_DEPTH),
            color=WALL,
            opacity=0.6,
            position=wall.point - 0.5 * WALL_DEPTH * rotation[:, 2],
            wxyz=_wxyz(rotation),
        )

    def set_boxes(self, boxes: tuple[BoxTrack, ...]) -> None:
        """Draw boxes of their sizes, replacing the previous ones."""
        for node in self._boxes:
            node.remove()
        self._boxes = [
            self._scene.add_box(
                f"{self._name}/boxes/{number}",
                dimensions=tuple(box.size.tolist()),
                color=BOX,
                opacity=0.45,
            )
            for number, box in enumerate(boxes)
        ]

    def show(self, instant: Instant, timeline: Timeline) -> None:
        """Move everything to an instant of a timeline."""
        for box, pose in zip(self._boxes, instant.boxes, strict=True):
            box.position, box.wxyz = pose[:3], pose[[6, 3, 4, 5]]
        for number, (place, push) in enumerate(instant.palms):
            self._arrow(f"palm{number}", place - push, push, FORCE)
        for frame, node in self._links.items():
            placement = instant.frames[frame]
            node.position, node.wxyz = placement[:3, 3], _wxyz(placement[:3, :3])
        self._point.position = instant.contact
        self._show_solid(instant, timeline.impulse_scale)
        force = instant.force
        start = instant.contact if force is None else instant.contact - force  # its tip
        self._arrow("force", start, force, FORCE)
        measured = instant.impulse
        scaled = None if measured is None else measured * timeline.impulse_scale
        self._arrow("impulse", instant.solid_at, scaled, IMPULSE)

    def _show_solid(self, instant: Instant, scale: float) -> None:
        """Draw the impulse set with its apex, the zero impulse, at the contact point."""
        solid, name = instant.solid, f"{self._name}/impulses"
        if solid is None:
            if self._solid is not None:
                self._solid.remove()
            self._solid = self._shown = None
            return
        if solid is not self._shown:
            self._solid = self._scene.add_mesh_simple(
                name,
                vertices=solid.vertices * scale,
                faces=solid.faces,
                color=SET,
                opacity=0.35,
                side="double",
                flat_shading=True,
                position=instant.solid_at,  # from its first frame on
            )
            self._shown = solid
        self._solid.position = instant.solid_at

    def _arrow(
        self, kind: str, start: np.ndarray, vector: np.ndarray | None, color: tuple[int, int, int]
    ) -> None:
        name = f"{self._name}/{kind}"
        length = 0.0 if vector is None else float(np.linalg.norm(vector))
        if vector is None or length < SHORTEST:
            if self._scene.get_handle_by_name(name) is not None:
                self._scene.remove_by_name(name)
            return
        self._scene.add_arrows(
            name,
            points=np.array([[start, start + vector]]),
            colors=color,
            shaft_radius=SHAFT,
            head_radius=2.2 * SHAFT,
            head_length=min(4.0 * SHAFT, 0.6 * length),
        )


def _wxyz(rotation: np.ndarray) -> np.ndarray:
    """Return a rotation, shape (3, 3), as a unit quaternion, shape (4,)."""
    x, y, z, w = pin.Quaternion(rotation).coeffs()
    return np.array([w, x, y, z])
