# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""A robot from a URDF alone: sufficient to predict impacts, not to control it."""

from __future__ import annotations

from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pinocchio as pin
from numpy.typing import ArrayLike

from impact_robots.description.physical import check_links, check_mass_matrix
from impact_robots.entries import LARGEST
from impact_robots.exceptions import RobotError
from impact_robots.robot import JointLimits, Robot
from impact_robots.state.frames import name_frames_apart
from impact_robots.urdf.urdf_file import full_model, read_urdf, refuse_mimic

_NOT_IN_A_URDF = (
    "acceleration",
    "jerk",
    "torque_rate",
    "reflected_motor_inertia",
    "apparent_motor_inertia",
    "joint_stiffness",
    "joint_damping",
)


def robot_from_urdf(
    path: str | Path,
    *,
    contact_frame: str = "",
    apparent_motor_inertia: ArrayLike = 0.0,
    reflected_motor_inertia: ArrayLike = 0.0,
) -> Robot:
    """Return the fixed-base robot of a URDF, every joint of it, in the order of the file's tree.

    Values missing in a URDF are infinite (limits, stiffness) or zero (motor inertias, damping), and
    listed in ``assumed``. Impulsive torques are limited by the joints' effort.

    Args:
        path: of the URDF.
        contact_frame: link or frame that hits; empty: the last link of the tree.
        apparent_motor_inertia: B_theta, shape (n,) or one for all joints [kg.m^2].
        reflected_motor_inertia: B_rho, shape (n,) or one for all joints [kg.m^2].

    Raises:
        RobotError: no such file or frame, not a URDF, a joint with ``<mimic>`` before the contact
            frame, links or a mass matrix that no arm can have, or motor inertias that do not fit.
    """
    path = Path(path)
    _, root = read_urdf(path)
    text = _without_continuous(root, path)
    model = _model(path, text, root)
    n = model.nv
    names = [frame.name for frame in model.frames if frame.type == pin.BODY]
    contact_frame = contact_frame or names[-1]
    if not model.existFrame(contact_frame):
        raise RobotError(f"contact frame: expected one of {', '.join(names)}, got {contact_frame}")
    moving = model.supports[model.frames[model.getFrameId(contact_frame)].parentJoint]
    refuse_mimic(path, root, [model.names[joint] for joint in moving])
    unknown = np.full(n, np.inf)
    effort = np.where(model.upperEffortLimit > 0.0, model.upperEffortLimit, np.inf)
    lower, upper = model.lowerPositionLimit, model.upperPositionLimit
    check_links(path, model)
    check_mass_matrix(path, model, lower, upper)
    limits = JointLimits(
        position_lower=lower,
        position_upper=upper,
        velocity=np.where(model.upperVelocityLimit > 0.0, model.upperVelocityLimit, np.inf),
        acceleration=unknown,
        jerk=unknown,
        torque=effort,
        torque_rate=unknown,
        impulsive_torque=effort,
        torque_range=np.full(n, np.nan),
    )
    return Robot(
        name=model.name,
        joint_names=tuple(model.names)[1:],
        model=model,
        urdf=text,
        base_frame=names[0],
        contact_frame=contact_frame,
        limits=limits,
        reflected_motor_inertia=_inertia(reflected_motor_inertia, n, "reflected"),
        apparent_motor_inertia=_inertia(apparent_motor_inertia, n, "apparent"),
        joint_stiffness=unknown,
        joint_damping=np.zeros(n),
        stance=np.clip(0.0, np.maximum(lower, -np.pi), np.minimum(upper, np.pi)),
        detection_joints=tuple(range(n)),
        driver_compensates_gravity=False,
        assumed=_NOT_IN_A_URDF,
    )


def _without_continuous(root: ElementTree.Element, path: Path) -> str:
    """Return the URDF with every continuous joint as a revolute one without limits."""
    for joint in root.iter("joint"):
        if joint.get("type") == "continuous":
            joint.set("type", "revolute")
            limit = joint.find("limit")
            if limit is None:
                limit = ElementTree.SubElement(joint, "limit")
            limit.attrib.update(lower="-1e9", upper="1e9")
            limit.attrib = {"effort": "0", "velocity": "0", **limit.attrib}
    try:
        return str(ElementTree.tostring(root, encoding="unicode"))
    except RecursionError:
        raise RobotError(f"{path}: expected a URDF, got elements nested too deeply") from None


def _model(path: Path, text: str, root: ElementTree.Element) -> pin.Model:
    """Return the pinocchio model, which must have joints of one coordinate each."""
    model = full_model(path, text, root)
    if model.nv == 0 or model.nq != model.nv:
        raise RobotError(f"{path}: expected revolute or prismatic joints, at least one")
    name_frames_apart(model)
    return model


def _inertia(value: ArrayLike, n: int, which: str) -> np.ndarray:
    """Return n motor inertias."""
    try:
        inertia = np.asarray(value, dtype=float)
    except (TypeError, ValueError):
        raise RobotError(f"{which} motor inertia: expected numbers, got {value!r}") from None
    fits = inertia.ndim == 0 or inertia.shape == (n,)
    if not fits or not np.all((inertia >= 0.0) & (inertia <= LARGEST)):
        raise RobotError(f"{which} motor inertia: expected 1 or {n} numbers >= 0, got {value!r}")
    return np.full(n, inertia) if inertia.ndim == 0 else inertia
