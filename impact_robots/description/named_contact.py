# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""The tool, its soft cover and the named contacts of a robot's YAML: frames fixed to a link."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf
from typing import NamedTuple

import numpy as np
import pinocchio as pin

from impact_robots.entries import ABOVE_0, AT_LEAST_0, LONGEST, Entries
from impact_robots.entry import Entry
from impact_robots.exceptions import OutOfRangeError, RobotError
from impact_robots.state.composite import COMPOSITES
from impact_robots.validation import positive, real

_ENTRIES_TOOL = ("parent", "mass", "radius", "com", "contact_point", "cover")
_ENTRIES_COVER = ("stiffness", "damping", "thickness")
_THICK = Entry(above=0.0, high=0.5, unit="m")  # of a cover
_LARGEST = (("mass", 1000.0), ("radius", LONGEST))  # of a tool of a plausible size [kg, m]


@dataclass(frozen=True)
class Cover:
    r"""A soft cover on a tool, such as a rubber pad, in series with the surface that is hit.

    A linear spring and damper without mass.

    A compression :math:`s` carries :math:`k s + d \dot s`; at :math:`s = t` it bottoms out, and
    what hits is the bare tool. It pushes only, and recovers by itself after the contact.

    Raises:
        OutOfRangeError: stiffness or thickness is not positive, or the damping negative.
    """

    stiffness: float  # k [N/m]
    damping: float  # d [N.s/m]
    thickness: float  # t, by which it can be compressed [m]

    def __post_init__(self) -> None:
        """Check the figures."""
        positive(self.stiffness, "cover.stiffness")
        positive(self.thickness, "cover.thickness")
        if not 0.0 <= real(self.damping) < inf:
            raise OutOfRangeError("cover.damping", "a finite number, at least 0", self.damping)


class MountedTool(NamedTuple):
    """The tool of a robot's YAML."""

    flange: str  # frame that it is fixed to
    inertia: pin.Inertia  # of the joint that moves it, in that joint's axes
    contact_frame: str  # at the point that hits
    cover: Cover | None  # over that point


def attach_tool(entries: Entries, model: pin.Model, prefix: str) -> tuple[str, MountedTool | None]:
    """Add the tool's inertia and its contact frame to the model; return the frame's name, the tool.

    Without a tool the contact point is the origin of the last link of the tree.

    Args:
        entries: of the YAML.
        model: to change.
        prefix: of joint and link names.

    Raises:
        RobotError: a wrong entry, or no such parent.
    """
    if "tool" not in entries:
        return str([frame.name for frame in model.frames if frame.type == pin.BODY][-1]), None
    tool = entries.section("tool", _ENTRIES_TOOL)
    parent = prefix + tool.text("parent")
    check_frame(tool, "parent", parent, model)
    frame = model.frames[model.getFrameId(parent)]
    mass, radius = (tool.number(key, None, Entry(low=0.0, high=most)) for key, most in _LARGEST)
    sphere = pin.Inertia.FromSphere(mass, radius)
    at_com = frame.placement * pin.SE3(np.eye(3), tool.place("com"))
    model.appendBodyToJoint(frame.parentJoint, sphere, at_com)
    at_contact = frame.placement * pin.SE3(np.eye(3), tool.place("contact_point"))
    name = prefix + "tool_contact"
    if model.existFrame(name):
        raise tool.error("contact_point", f"no frame {name} in the URDF", name)
    model.addFrame(
        pin.Frame(name, frame.parentJoint, model.getFrameId(parent), at_contact, pin.OP_FRAME)
    )
    return name, MountedTool(parent, at_com.act(sphere), name, _cover(tool))


def _cover(tool: Entries) -> Cover | None:
    """Return the cover of a tool, if it has one.

    Raises:
        RobotError: a wrong entry.
    """
    if "cover" not in tool:
        return None
    given = tool.section("cover", _ENTRIES_COVER)
    return Cover(
        given.number("stiffness", allowed=ABOVE_0),
        given.number("damping", allowed=AT_LEAST_0),
        given.number("thickness", allowed=_THICK),
    )


def check_frame(entries: Entries, key: str, frame: str, model: pin.Model) -> None:
    """Refuse a frame name that is not in the model.

    Raises:
        RobotError: names file and key.
    """
    if not model.existFrame(frame):
        raise RobotError(f"{entries.where(key)}: no frame {frame!r} in the URDF")


_ENTRIES = ("frame", "offset", "rpy", "half_extents", "composite")
_CORNERS = ((1.0, 1.0), (-1.0, 1.0), (-1.0, -1.0), (1.0, -1.0))


class NamedContact(NamedTuple):
    """A contact of a robot; its name is that of a frame.

    The frame has the axes of the link, turned by ``rpy`` of the YAML (fixed axes, as in a URDF).
    """

    name: str
    link: str  # that it moves with
    half_extents: tuple[float, float] | None = None  # along x and y [m]; none: a point
    composite: str = "moving"  # links of the composite body, see :data:`COMPOSITES`

    @property
    def points(self) -> np.ndarray:
        """Contact points in its own frame: a point, or a face's corners, (1 or 4, 3) [m]."""
        half = np.zeros(2) if self.half_extents is None else np.array(self.half_extents)
        corners = np.zeros((1 if self.half_extents is None else 4, 3))
        corners[:, :2] = half * np.array(_CORNERS)[: len(corners)]
        return corners


def attach_contacts(entries: Entries, model: pin.Model, prefix: str) -> tuple[NamedContact, ...]:
    """Add a frame for each contact of the YAML to the model.

    Args:
        entries: of the YAML.
        model: to change.
        prefix: of link names.

    Raises:
        RobotError: a wrong entry, no such link or composite, or a name that is taken.
    """
    if "contacts" not in entries:
        return ()
    return tuple(
        _attached(name, section, model, prefix)
        for name, section in entries.sections("contacts", _ENTRIES)
    )


def _attached(name: str, entries: Entries, model: pin.Model, prefix: str) -> NamedContact:
    """Return one contact after adding its frame."""
    link = prefix + entries.text("frame")
    check_frame(entries, "frame", link, model)
    composite = entries.text("composite", "moving", COMPOSITES)
    half = None
    if "half_extents" in entries:
        half = tuple(entries.vector("half_extents", 2, allowed=ABOVE_0).tolist())
    if model.existFrame(name):
        raise RobotError(f"{entries.where('frame')}: expected a name no frame has, got {name!r}")
    index = model.getFrameId(link)
    turn = pin.rpy.rpyToMatrix(entries.vector("rpy", 3, np.zeros(3)))
    at = model.frames[index].placement * pin.SE3(turn, entries.place("offset", np.zeros(3)))
    model.addFrame(pin.Frame(name, model.frames[index].parentJoint, index, at, pin.OP_FRAME))
    return NamedContact(name, link, half, composite)
