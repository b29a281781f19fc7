# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Frames of a model, each with a name of its own."""

from __future__ import annotations

import pinocchio as pin

from impact_robots.exceptions import RobotError


def name_frames_apart(model: pin.Model) -> None:
    """Rename joints' frames that are called like a link, which a URDF allows, to ``NAME_joint``."""
    bodies = {frame.name for frame in model.frames if frame.type == pin.FrameType.BODY}
    for frame in model.frames:
        if frame.type != pin.FrameType.BODY and frame.name in bodies:
            frame.name = f"{frame.name}_joint"


def frame_index(model: pin.Model, name: str) -> int:
    """Return the index of a frame of the robot.

    Raises:
        RobotError: there is none of that name (lists them).
    """
    index = int(model.getFrameId(name))
    if not 0 < index < model.nframes:  # of pinocchio's own, the universe; none of that name
        names = ", ".join([frame.name for frame in model.frames[1:]])
        raise RobotError(f"contact frame: expected one of {names}, got {name!r}")
    return index
