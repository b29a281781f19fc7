# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""The shapes of the links in a URDF; capsules between joints where it has none."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pinocchio as pin
import trimesh

from impact_robots.robot import Robot

RADIUS, TOOL_RADIUS = 0.04, 0.02  # of a capsule that stands for a link, or for the tool [m]
SHORTEST = 0.01  # shorter pieces need no capsule [m]
PRIMITIVE, MESH, CAPSULE = "primitive", "mesh", "capsule"
_FACES = 32


@dataclass(frozen=True)
class LinkShape:
    """A triangle mesh that moves with a frame of the robot's model."""

    frame: int  # index in ``robot.model.frames``
    vertices: np.ndarray  # in that frame's axes, shape (k, 3) [m]
    faces: np.ndarray  # indices of vertices, shape (m, 3)
    kind: str  # PRIMITIVE or MESH of the robot's URDF, or a CAPSULE of ours


def link_shapes(robot: Robot) -> list[LinkShape]:
    """Return the visible shapes of a robot: those of its URDF, and capsules from joint to joint.

    Meshes are looked for as the URDF names them, ``package://`` in the ROS prefixes that are
    sourced; a link that has one needs no capsule.
    """
    shapes = _from_urdf(robot)
    frames = robot.model.frames
    whole = {frames[shape.frame].parentJoint for shape in shapes if shape.kind == MESH}
    return [*shapes, *(capsule for joint, capsule in _capsules(robot) if joint not in whole)]


def _from_urdf(robot: Robot) -> list[LinkShape]:
    """Return the shapes of all links of which a frame is in the model.

    The visual shapes, or the collision shapes where no visual shape can be read.
    """
    shapes = []
    model = robot.model
    for link in ElementTree.fromstring(robot.urdf).iter("link"):
        name = link.get("name", "")
        if not model.existFrame(name, pin.BODY):
            continue
        frame = model.getFrameId(name, pin.BODY)
        shapes += _of_link(link, "visual", frame) or _of_link(link, "collision", frame)
    return shapes


def _of_link(link: ElementTree.Element, tag: str, frame: int) -> list[LinkShape]:
    """Return the readable elements of a link with one tag."""
    shapes = []
    for element in link.findall(tag):
        geometry = element.find("geometry")
        if geometry is not None and (mesh := _mesh(geometry)) is not None:
            mesh.apply_transform(_origin(element.find("origin")))
            kind = PRIMITIVE if geometry.find("mesh") is None else MESH
            shapes.append(_shape(frame, mesh, kind))
    return shapes


def _shape(frame: int, mesh: trimesh.Trimesh, kind: str) -> LinkShape:
    return LinkShape(frame, np.asarray(mesh.vertices), np.asarray(mesh.faces), kind)


def _mesh(geometry: ElementTree.Element) -> trimesh.Trimesh | None:
    """Return a geometry of the URDF; None where its mesh is not found, or cannot be read."""
    if not len(geometry):
        return None
    shape = geometry[0]
    if shape.tag == "box":
        return trimesh.creation.box(_numbers(shape.get("size", "")))
    if shape.tag == "sphere":
        return trimesh.creation.icosphere(radius=float(shape.get("radius", 0)))
    if shape.tag == "cylinder":
        radius, length = float(shape.get("radius", 0)), float(shape.get("length", 0))
        return trimesh.creation.cylinder(radius, length, sections=_FACES)
    path = mesh_file(shape.get("filename", ""))
    if shape.tag != "mesh" or path is None:
        return None
    try:
        mesh = trimesh.load(path, force="mesh")
    except Exception:  # a format that needs what is not installed, or a damaged file
        return None
    mesh.apply_scale(_numbers(shape.get("scale", "1 1 1")))
    return None if mesh.is_empty else mesh


def mesh_file(name: str) -> Path | None:
    """Return the file named in a URDF, None if not found."""
    if name.startswith("package://"):
        prefixes = os.environ.get("AMENT_PREFIX_PATH", "").split(os.pathsep)
        shares = [Path(prefix) / "share" for prefix in prefixes if prefix]
        places = [share / name.removeprefix("package://") for share in shares]
    else:
        places = [Path(name.removeprefix("file://"))]
    return next((place for place in places if place.is_file()), None)


def _origin(element: ElementTree.Element | None) -> np.ndarray:
    """Return the pose of a shape in its link, shape (4, 4)."""
    if element is None:
        return np.eye(4)
    angles, place = (_numbers(element.get(key, "0 0 0")) for key in ("rpy", "xyz"))
    return pin.SE3(pin.rpy.rpyToMatrix(*angles), place).homogeneous


def _numbers(text: str) -> np.ndarray:
    return np.array([float(part) for part in text.split()])


def _capsules(robot: Robot) -> list[tuple[int, LinkShape]]:
    """Return a capsule for every piece between joints, with the joint that moves it.

    Where two of them meet only one has a ball: two of one size in one place flicker.
    """
    model = robot.model
    contact = model.frames[model.getFrameId(robot.contact_frame)]
    pieces: list[tuple[int, int | None, np.ndarray, float]] = [
        (model.parents[child], child, model.jointPlacements[child].translation, RADIUS)
        for child in range(1, model.njoints)
    ]
    pieces.append((contact.parentJoint, None, contact.placement.translation, TOOL_RADIUS))
    found, balls = [], set[int | None]()  # joints that a ball is at
    for joint, child, end, radius in pieces:
        if np.linalg.norm(end) > SHORTEST:
            mesh = _capsule(end, radius, first=joint not in balls)
            found.append((joint, _shape(_joint_frame(model, joint), mesh, CAPSULE)))
            balls |= {joint, child}
        elif joint in balls:
            balls.add(child)
    return found


def _capsule(end: np.ndarray, radius: float, *, first: bool) -> trimesh.Trimesh:
    """Return a cylinder from the origin to ``end`` (3,) [m], with a ball at one end or both."""
    segment = np.stack([np.zeros(3), end])
    parts = [trimesh.creation.cylinder(radius, segment=segment, sections=_FACES)]
    for place in segment if first else segment[1:]:
        ball = trimesh.creation.icosphere(radius=radius)
        ball.apply_translation(place)
        parts.append(ball)
    return trimesh.util.concatenate(parts)


def _joint_frame(model: pin.Model, joint: int) -> int:
    """Return the frame of a joint itself; of the universe the first one."""
    if joint == 0:
        return 0
    kinds = (pin.JOINT, pin.FIXED_JOINT)
    return next(
        index
        for index, frame in enumerate(model.frames)
        if frame.parentJoint == joint and frame.type in kinds and frame.placement.isIdentity()
    )
