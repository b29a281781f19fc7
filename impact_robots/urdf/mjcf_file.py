# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""What a MuJoCo model says of the joints of an arm: inertia of the motors, and friction."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from impact_robots.exceptions import RobotError
from impact_robots.yaml_file import read_text

# Attribute of a joint in MJCF: key of the robot's YAML.
_KEYS = {
    "armature": "apparent_motor_inertia",
    "damping": "viscous_friction",
    "frictionloss": "coulomb_friction",
}


def joint_entries(path: Path, joints: Sequence[str]) -> dict[str, list[float]]:
    """Return the entries of a robot's YAML that a MuJoCo model (MJCF) gives, by key.

    The armature is read as B_theta: with it MuJoCo computes M + armature under the torque that the
    actuator is commanded, as an arm under its torque loop behaves. Meshes are not opened.

    Args:
        path: of the MJCF file.
        joints: of the arm, in the order of its URDF. A joint of the model has the same name, or
            one of the two names ends with the other, as in ``panda_joint1`` and ``joint1``.

    Returns:
        ``apparent_motor_inertia`` [kg.m^2], ``viscous_friction`` [N.m.s/rad] and
        ``coulomb_friction`` [N.m], each with one number per joint; one that is zero for all joints
        is left out.

    Raises:
        RobotError: no such file, not MJCF, a joint is missing or several could be meant, or a
            number is negative or not finite.
    """
    import mujoco  # loads slowly

    read_text(path, "MuJoCo model")
    try:
        model = mujoco.MjSpec.from_file(str(path))
    except ValueError as error:
        raise RobotError(f"{path}: not a MuJoCo model: {' '.join(str(error).split())}") from None
    there = {joint.name: joint for joint in model.joints if joint.name}
    found = [there[_name(path, joint, list(there))] for joint in joints]
    entries = {key: [_number(joint, kind) for joint in found] for kind, key in _KEYS.items()}
    for key, values in entries.items():
        if not all(np.isfinite(values)) or min(values) < 0.0:
            raise RobotError(f"{path}: {key}: expected finite numbers >= 0, got {values}")
    return {key: values for key, values in entries.items() if any(values)}


def _number(joint: Any, kind: str) -> float:
    """Return an attribute; newer versions of MuJoCo have damping as a polynomial."""
    return float(np.atleast_1d(getattr(joint, kind))[0])


def _name(path: Path, joint: str, names: list[str]) -> str:
    """Return the joint of the model that is meant.

    Raises:
        RobotError: there is none, or more than one.
    """
    if joint in names:
        return joint
    near = [name for name in names if name.endswith(joint) or joint.endswith(name)]
    if len(near) != 1:
        listed = ", ".join(near or names) or "none with a name"
        raise RobotError(f"{path}: expected one joint {joint}, got {listed}")
    return near[0]
