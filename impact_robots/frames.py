# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Frames of a model, each with a name of its own."""

from __future__ import annotations

import pinocchio as pin


def name_frames_apart(model: pin.Model) -> None:
    """Rename joints' frames that are called like a link, which a URDF allows, to ``NAME_joint``."""
    bodies = {frame.name for frame in model.frames if frame.type == pin.FrameType.BODY}
    for frame in model.frames:
        if frame.type != pin.FrameType.BODY and frame.name in bodies:
            frame.name = f"{frame.name}_joint"
