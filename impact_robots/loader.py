# SPDX-License-Identifier: Apache-2.0
"""Loads a robot from its YAML (and URDF) into the one frozen object."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pinocchio as pin
import yaml

from impact_robots.exceptions import RobotError
from impact_robots.frames import name_frames_apart
from impact_robots.robot import JointLimits, Robot

_HERE = Path(__file__).parent
_LIMITS = (
    "position_lower",
    "position_upper",
    "velocity",
    "acceleration",
    "jerk",
    "torque",
    "torque_rate",
    "impulsive_torque",
)
_MOTORS = (
    "reflected_motor_inertia",
    "apparent_motor_inertia",
    "joint_stiffness",
    "joint_damping",
)


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
        RobotError: unknown name, missing file, or a wrong or missing entry; says which.
    """
    path = _find(name)
    entries = _Entries(path, _read_yaml(path))
    prefix = entries.get("joint_prefix", "") if joint_prefix is None else joint_prefix
    joints = tuple(prefix + joint for joint in entries.need("joints"))
    urdf_text = _read_urdf(path, entries, urdf)
    model = _build_model(path, urdf_text, joints)
    contact_frame = _attach_tool(entries, model, prefix)
    base = prefix + entries.need("base_link")
    if not model.existFrame(base):
        raise RobotError(f"{path}: base_link: no frame {base!r} in the URDF")
    return Robot(
        name=str(entries.need("name")),
        joint_names=joints,
        model=model,
        urdf=urdf_text,
        base_frame=base,
        contact_frame=contact_frame,
        limits=JointLimits(**{key: entries.vector(key, len(joints)) for key in _LIMITS}),
        **{key: entries.vector(key, len(joints)) for key in _MOTORS},
        stance=entries.vector("stance", len(joints)),
        detection_joints=_detection_joints(entries, len(joints)),
        driver_compensates_gravity=bool(entries.need("driver_compensates_gravity")),
        assumed=tuple(entries.get("assumed", ())),
    )


class _Entries:
    """The mapping of a robot's YAML, with errors that name file and key."""

    def __init__(self, path: Path, mapping: dict[str, Any]) -> None:
        self.path = path
        self._mapping = mapping

    def get(self, key: str, default: Any) -> Any:
        """Return an optional entry."""
        return self._mapping.get(key, default)

    def need(self, key: str) -> Any:
        """Return an entry that must be there."""
        if key not in self._mapping:
            raise RobotError(f"{self.path}: entry {key!r} is missing")
        return self._mapping[key]

    def vector(self, key: str, size: int) -> np.ndarray:
        """Return an entry of ``size`` finite numbers; motor figures must be positive."""
        try:
            values = np.array(self.need(key), dtype=float)
        except (TypeError, ValueError):
            raise RobotError(f"{self.path}: {key}: expected {size} numbers") from None
        if values.shape != (size,) or not np.all(np.isfinite(values)):
            raise RobotError(
                f"{self.path}: {key}: expected {size} finite numbers, got {values.tolist()}"
            )
        if key not in ("position_lower", "position_upper", "stance") and np.any(values <= 0):
            raise RobotError(f"{self.path}: {key}: expected positive, got {values.tolist()}")
        return values


def _find(name: str | Path) -> Path:
    """Return the path of a robot's YAML."""
    path = Path(name)
    if path.suffix in (".yaml", ".yml"):
        if not path.is_file():
            raise RobotError(f"robot: no file {path}")
        return path
    if str(name) not in available_robots():
        choices = ", ".join(available_robots())
        raise RobotError(f"robot: expected one of {choices} or a YAML file, got {str(name)!r}")
    return _HERE / f"{name}.yaml"


def _read_yaml(path: Path) -> dict[str, Any]:
    """Return the mapping in a YAML file."""
    try:
        mapping = yaml.safe_load(path.read_text())
    except (yaml.YAMLError, UnicodeDecodeError) as error:
        raise RobotError(f"{path}: not YAML: {' '.join(str(error).split())}") from None
    if not isinstance(mapping, dict):
        raise RobotError(f"{path}: expected a mapping of entries")
    return mapping


def _read_urdf(path: Path, entries: _Entries, override: str | Path | None) -> str:
    """Return the URDF's text: the caller's, or the one beside the YAML."""
    named = entries.get("urdf", None)
    if override is None and named is None:
        raise RobotError(
            f"robot {entries.need('name')!r} ships without a URDF: give one (--urdf PATH)"
        )
    file = Path(override) if override is not None else path.parent / named
    if not file.is_file():
        raise RobotError(f"robot: no URDF file {file}")
    return file.read_text()


def _build_model(path: Path, urdf_text: str, joints: tuple[str, ...]) -> pin.Model:
    """Return the pinocchio model with exactly ``joints``, every other joint locked at zero."""
    try:
        full = pin.buildModelFromXML(urdf_text)
    except (ValueError, RuntimeError) as error:
        raise RobotError(f"{path}: URDF cannot be read: {' '.join(str(error).split())}") from None
    missing = [joint for joint in joints if not full.existJointName(joint)]
    if missing:
        has = ", ".join(list(full.names)[1:])
        raise RobotError(f"{path}: joints {', '.join(missing)} not in the URDF, which has {has}")
    locked = [i for i, name in enumerate(full.names) if i > 0 and name not in joints]
    model = pin.buildReducedModel(full, locked, pin.neutral(full))
    if tuple(model.names)[1:] != joints:
        raise RobotError(f"{path}: joints: expected the URDF's order {list(model.names)[1:]}")
    if model.nq != len(joints) or model.nv != len(joints):
        raise RobotError(f"{path}: every joint must be revolute or prismatic with limits")
    name_frames_apart(model)
    return model


def _attach_tool(entries: _Entries, model: pin.Model, prefix: str) -> str:
    """Add the tool's inertia and its contact frame to the model; return the frame's name."""
    tool = entries.need("tool")
    parent = prefix + tool["parent"]
    if not model.existFrame(parent):
        raise RobotError(f"{entries.path}: tool.parent: no frame {parent!r} in the URDF")
    frame = model.frames[model.getFrameId(parent)]
    sphere = pin.Inertia.FromSphere(float(tool["mass"]), float(tool["radius"]))
    at_com = frame.placement * pin.SE3(np.eye(3), np.array(tool["com"], dtype=float))
    model.appendBodyToJoint(frame.parentJoint, sphere, at_com)
    at_contact = frame.placement * pin.SE3(np.eye(3), np.array(tool["contact_point"], dtype=float))
    name = prefix + "tool_contact"
    model.addFrame(
        pin.Frame(name, frame.parentJoint, model.getFrameId(parent), at_contact, pin.OP_FRAME)
    )
    return name


def _detection_joints(entries: _Entries, size: int) -> tuple[int, ...]:
    """Return the detector's joints as indices from 0; the YAML counts from 1, as papers do."""
    numbers = entries.need("detection_joints")
    if not numbers or any(not isinstance(i, int) or not 1 <= i <= size for i in numbers):
        raise RobotError(f"{entries.path}: detection_joints: expected numbers 1 to {size}")
    return tuple(i - 1 for i in numbers)
