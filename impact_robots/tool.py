# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""The tool of a robot's YAML: an inertia and a contact point, fixed to a link."""

from __future__ import annotations

import numpy as np
import pinocchio as pin

from impact_robots.entries import LONGEST, Entries
from impact_robots.exceptions import RobotError

_ENTRIES = ("parent", "mass", "radius", "com", "contact_point")


def attach_tool(entries: Entries, model: pin.Model, prefix: str) -> str:
    """Add the tool's inertia and its contact frame to the model; return the frame's name.

    Without a tool the contact point is the origin of the last link of the tree.

    Args:
        entries: of the YAML.
        model: to change.
        prefix: of joint and link names.

    Raises:
        RobotError: a wrong entry, or no such parent.
    """
    if "tool" not in entries:
        return str([frame.name for frame in model.frames if frame.type == pin.BODY][-1])
    tool = entries.section("tool", _ENTRIES)
    parent = prefix + tool.text("parent")
    check_frame(tool, "parent", parent, model)
    frame = model.frames[model.getFrameId(parent)]
    sphere = pin.Inertia.FromSphere(_below(tool, "mass", 1000.0), _below(tool, "radius", LONGEST))
    at_com = frame.placement * pin.SE3(np.eye(3), tool.place("com"))
    model.appendBodyToJoint(frame.parentJoint, sphere, at_com)
    at_contact = frame.placement * pin.SE3(np.eye(3), tool.place("contact_point"))
    name = prefix + "tool_contact"
    if model.existFrame(name):
        raise tool.error("contact_point", f"no frame {name} in the URDF", name)
    model.addFrame(
        pin.Frame(name, frame.parentJoint, model.getFrameId(parent), at_contact, pin.OP_FRAME)
    )
    return name


def _below(tool: Entries, key: str, most: float) -> float:
    """Return a number up to ``most``: what a tool of a plausible size can have."""
    if (value := tool.number(key)) > most:
        raise tool.error(key, f"a number up to {most:g}", value)
    return value


def check_frame(entries: Entries, key: str, frame: str, model: pin.Model) -> None:
    """Refuse the name of a frame that the model has not.

    Raises:
        RobotError: names file and key.
    """
    if not model.existFrame(frame):
        raise RobotError(f"{entries.where(key)}: no frame {frame!r} in the URDF")
