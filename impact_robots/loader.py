# SPDX-License-Identifier: Apache-2.0
"""Loads a robot from its YAML (and URDF) into the one frozen object."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pinocchio as pin

from impact_robots.entries import Entries
from impact_robots.exceptions import RobotError
from impact_robots.frames import name_frames_apart
from impact_robots.physical import check_links, check_mass_matrix
from impact_robots.robot import JointLimits, Robot
from impact_robots.urdf_file import full_model, read_urdf
from impact_robots.yaml_file import read_mapping

_HERE = Path(__file__).parent
_LIMITS = ("velocity", "acceleration", "jerk", "torque", "torque_rate", "impulsive_torque")
_MOTORS = (
    "reflected_motor_inertia",
    "apparent_motor_inertia",
    "joint_stiffness",
    "joint_damping",
)
_KEYS = (
    "name",
    "urdf",
    "inertias_identified_as_a_set",
    "joint_prefix",
    "joints",
    "base_link",
    "tool",
    "position_lower",
    "position_upper",
    *_LIMITS,
    *_MOTORS,
    "stance",
    "detection_joints",
    "driver_compensates_gravity",
    "assumed",
)
_TOOL = ("parent", "mass", "radius", "com", "contact_point")


def available_robots() -> tuple[str, ...]:
    """Return the names of the robots that ship with the suite."""
    return tuple(sorted(path.stem for path in _HERE.glob("*.yaml")))


def load_robot(
    name: str | Path = "panda", *, urdf: str | Path | None = None, joint_prefix: str | None = None
) -> Robot:
    """Load a robot by name, or from a YAML file of the same form.

    Args:
        name: one of :func:`available_robots`, or the path of a YAML file.
        urdf: path of a URDF that replaces the one named in the YAML.
        joint_prefix: replaces the YAML's prefix of joint and link names, such as ``fr3_``.

    Raises:
        RobotError: unknown name, missing file, a wrong or missing entry, or links and a mass matrix
            that no arm can have; says which.
    """
    path = _find(name)
    entries = Entries(path, read_mapping(path), _KEYS)
    prefix = entries.text("joint_prefix", "") if joint_prefix is None else joint_prefix
    joints = tuple(prefix + joint for joint in entries.texts("joints"))
    urdf_path = _urdf_path(path, entries, urdf)
    urdf_text, root = read_urdf(urdf_path)
    model = _reduced(urdf_path, full_model(urdf_path, urdf_text, root), joints)
    as_a_set = entries.flag("inertias_identified_as_a_set", False)
    check_links(urdf_path, model, as_a_set=as_a_set)  # before a tool hides a link without mass
    base = prefix + entries.text("base_link")
    _check_frame(entries, "base_link", base, model)
    n, limits = len(joints), _limits(entries, len(joints))
    contact_frame = _attach_tool(entries, model, prefix)
    check_mass_matrix(path, model, limits.position_lower, limits.position_upper)
    return Robot(
        name=entries.text("name"),
        joint_names=joints,
        model=model,
        urdf=urdf_text,
        base_frame=base,
        contact_frame=contact_frame,
        limits=limits,
        **{key: entries.positive(key, n) for key in _MOTORS},
        stance=_stance(entries, limits),
        detection_joints=tuple(i - 1 for i in entries.numbers_from("detection_joints", 1, n)),
        driver_compensates_gravity=entries.flag("driver_compensates_gravity"),
        assumed=entries.texts("assumed", ()),
    )


def _find(name: str | Path) -> Path:
    """Return the path of a robot's YAML."""
    path = Path(name)
    if path.suffix in (".yaml", ".yml"):
        return path
    if str(name) not in available_robots():
        choices = ", ".join(available_robots())
        raise RobotError(f"robot: expected one of {choices} or a YAML file, got {str(name)!r}")
    return _HERE / f"{name}.yaml"


def _urdf_path(path: Path, entries: Entries, override: str | Path | None) -> Path:
    """Return the path of the URDF: the caller's, or the one beside the YAML."""
    if override is not None:
        return Path(override)
    named = entries.text("urdf", "")
    if not named:
        raise RobotError(
            f"robot {entries.text('name')!r} ships without a URDF: give one (--urdf PATH)"
        )
    return path.parent / named


def _reduced(urdf: Path, full: pin.Model, joints: tuple[str, ...]) -> pin.Model:
    """Return the pinocchio model with exactly ``joints``, every other joint locked at zero."""
    missing = [joint for joint in joints if not full.existJointName(joint)]
    if missing:
        has = ", ".join(list(full.names)[1:])
        raise RobotError(f"{urdf}: joints {', '.join(missing)} not in the URDF, which has {has}")
    locked = [i for i, name in enumerate(full.names) if i > 0 and name not in joints]
    model = pin.buildReducedModel(full, locked, pin.neutral(full))
    if tuple(model.names)[1:] != joints:
        raise RobotError(f"{urdf}: joints: expected the URDF's order {list(model.names)[1:]}")
    if model.nq != len(joints) or model.nv != len(joints):
        raise RobotError(f"{urdf}: every joint must be revolute or prismatic with limits")
    name_frames_apart(model)
    return model


def _limits(entries: Entries, size: int) -> JointLimits:
    """Return the limits, which must leave each joint some way to go."""
    lower, upper = (entries.vector(key, size) for key in ("position_lower", "position_upper"))
    if np.any(lower >= upper):
        raise entries.error("position_lower", "less than position_upper", lower.tolist())
    positive = {key: entries.positive(key, size) for key in _LIMITS}
    return JointLimits(position_lower=lower, position_upper=upper, **positive)


def _stance(entries: Entries, limits: JointLimits) -> np.ndarray:
    """Return the stance, which must be a configuration that the arm can take."""
    stance = entries.vector("stance", len(limits.velocity))
    if np.any((stance < limits.position_lower) | (stance > limits.position_upper)):
        raise entries.error(
            "stance", "positions from position_lower to position_upper", stance.tolist()
        )
    return stance


def _attach_tool(entries: Entries, model: pin.Model, prefix: str) -> str:
    """Add the tool's inertia and its contact frame to the model; return the frame's name."""
    tool = entries.section("tool", _TOOL)
    parent = prefix + tool.text("parent")
    _check_frame(tool, "parent", parent, model)
    frame = model.frames[model.getFrameId(parent)]
    sphere = pin.Inertia.FromSphere(tool.number("mass"), tool.number("radius"))
    at_com = frame.placement * pin.SE3(np.eye(3), tool.vector("com", 3))
    model.appendBodyToJoint(frame.parentJoint, sphere, at_com)
    at_contact = frame.placement * pin.SE3(np.eye(3), tool.vector("contact_point", 3))
    name = prefix + "tool_contact"
    if model.existFrame(name):
        raise tool.error("contact_point", f"no frame {name} in the URDF", name)
    model.addFrame(
        pin.Frame(name, frame.parentJoint, model.getFrameId(parent), at_contact, pin.OP_FRAME)
    )
    return name


def _check_frame(entries: Entries, key: str, frame: str, model: pin.Model) -> None:
    if not model.existFrame(frame):
        raise RobotError(f"{entries.where(key)}: no frame {frame!r} in the URDF")
