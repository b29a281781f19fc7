# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Loads a robot from its YAML and URDF into one frozen object."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import pinocchio as pin

from impact_robots.description.actuation import read_motors, read_passive, read_springs
from impact_robots.description.floating_base import ROOT, is_floating, joint_names, read_base
from impact_robots.description.joint_ranges import read_joint_ranges
from impact_robots.description.keys import BY_NAME, TORQUE_NOISE, VELOCITY_NOISE
from impact_robots.description.limits import read_limits
from impact_robots.description.loops import read_loops
from impact_robots.description.named_contact import attach_contacts, attach_tool, check_frame
from impact_robots.description.payload import carrying
from impact_robots.description.physical import check_links, check_mass_matrix
from impact_robots.entries import ABOVE_0, AT_LEAST_0, Entries
from impact_robots.exceptions import OutOfRangeError, RobotError
from impact_robots.robot import JointLimits, Robot, read_only
from impact_robots.state.frames import frame_index, name_frames_apart
from impact_robots.urdf.chain import is_at_root, root_link
from impact_robots.urdf.urdf_file import full_model, read_urdf, refuse_mimic
from impact_robots.validation import payload_range
from impact_robots.yaml_file import mapping_of, read_mapping, read_text

_HERE = Path(__file__).parents[1]
_YAML = (".yaml", ".yml")
_TRANSMISSION = ("joint_stiffness", "joint_damping")
_FORCES = ("contact", "sensor", "tool")
_HAVE_DEFAULTS = ("tool", "velocity_noise", "torque_noise")  # without an entry a value is assumed


def available_robots() -> tuple[str, ...]:
    """Return the names of the robots that ship with the suite."""
    return tuple(sorted(path.stem for path in _HERE.glob("*.yaml")))


def load_robot(
    name: str | Path = "panda",
    *,
    urdf: str | Path | None = None,
    joint_prefix: str | None = None,
    contact_frame: str = "",
    payload: float | Sequence[float] | None = None,
) -> Robot:
    """Load a robot by name, or from a YAML file of the same form.

    Args:
        name: one of :func:`available_robots`, or the path of a YAML file.
        urdf: path of a URDF that replaces the one named in the YAML.
        joint_prefix: replaces the YAML's prefix of joint and link names, such as ``fr3_``.
        contact_frame: frame at the contact point; empty: the tool's.
        payload: at the contact point, one mass or low, high [kg]; none: the YAML's.

    Raises:
        OutOfRangeError: invalid payload.
        RobotError: unknown name or frame, missing file, a wrong or missing entry, a joint with
            ``<mimic>``, or links and a mass matrix that no arm can have; the text names it.
    """
    path = robot_path(name)
    robot = robot_of(path, _entries_of(path), urdf=urdf, joint_prefix=joint_prefix)
    if contact_frame:
        frame_index(robot.model, contact_frame)  # check that it exists
        carried, robot = robot.payload, carrying(robot, 0.0)  # attached at the new point below
        robot = carrying(replace(robot, contact_frame=contact_frame), carried)
    return robot if payload is None else carrying(robot, payload)


def robot_texts(name: str | Path) -> tuple[str, str]:
    """Return the texts of the YAML and of the URDF that :func:`load_robot` reads a robot from.

    Args:
        name: as of :func:`load_robot`.

    Raises:
        RobotError: unknown name, missing file, or a YAML that names no URDF.
    """
    path = robot_path(name)
    text = read_text(path, "file")
    return text, read_text(_named_urdf(path, text), "URDF file")


@lru_cache(maxsize=64)
def _named_urdf(path: Path, text: str) -> Path:
    """Return the path of the URDF that a YAML of this text names."""
    mapping = _with_like(path, mapping_of(text, path))
    return _urdf_path(path, Entries(path, mapping, tuple(BY_NAME)), None)


def _entries_of(path: Path) -> dict[str, Any]:
    """Return the mapping in a YAML; missing entries are taken from the robot that it is ``like``.

    Raises:
        RobotError: there is no such file or no such robot, or a file holds something else.
    """
    return _with_like(path, read_mapping(path))


def _with_like(path: Path, mapping: dict[str, Any]) -> dict[str, Any]:
    """Return the entries of a YAML and those of the robot that it is ``like``; raises the same."""
    if "like" not in mapping:
        return mapping
    like = mapping.pop("like")
    if like not in available_robots():
        choices = ", ".join(available_robots())
        raise RobotError(f"{path}: like: expected one of {choices}, got {like!r}")
    base = _entries_of(_HERE / f"{like}.yaml")
    if "urdf" in base:
        base["urdf"] = str(_HERE / base["urdf"])
    return base | mapping


def robot_of(
    path: Path,
    mapping: dict[str, Any],
    *,
    urdf: str | Path | None = None,
    joint_prefix: str | None = None,
) -> Robot:
    """Return the robot that a YAML describes.

    Only name, joints, base link and URDF are mandatory. Other missing entries are taken from the
    URDF, or are a default listed in ``assumed``, or NaN, which :meth:`Robot.require` refuses to
    those that need it; see ``impact_robots.description.keys``.

    Args:
        path: of the YAML, for errors; the file need not exist.
        mapping: its content.
        urdf: path of a URDF that replaces the one named in it.
        joint_prefix: replaces its prefix of joint and link names.

    Raises:
        RobotError: as :func:`load_robot`.
    """
    entries = Entries(path, mapping, tuple(BY_NAME))
    prefix = entries.text("joint_prefix", "") if joint_prefix is None else joint_prefix
    joints = tuple(prefix + joint for joint in entries.texts("joints"))
    urdf_path = _urdf_path(path, entries, urdf)
    urdf_text, root = read_urdf(urdf_path)
    refuse_mimic(urdf_path, root, joints)
    kind = read_base(entries)
    model = _reduced(urdf_path, full_model(urdf_path, urdf_text, root, kind), joints)
    as_a_set = entries.flag("inertias_identified_as_a_set", False)
    check_links(urdf_path, model, as_a_set=as_a_set)  # before a tool hides a link without mass
    base, n = _base_frame(entries, model, prefix, kind), len(joints)
    limits, unknown = read_limits(entries, model), np.full(n, np.nan)
    contact_frame, tool = attach_tool(entries, model, prefix)
    contacts = attach_contacts(entries, model, prefix)
    passive = read_passive(entries, prefix, joints)
    check_mass_matrix(path, model, limits.position_lower, limits.position_upper)
    robot = Robot(
        name=entries.text("name"),
        joint_names=joints,
        model=model,
        urdf=urdf_text,
        base_frame=base,
        contact_frame=contacts[0].name if contacts and "tool" not in entries else contact_frame,
        limits=limits,
        **read_motors(entries, n, zero=kind == "floating" or bool(passive)),
        **{key: entries.vector(key, n, unknown, ABOVE_0) for key in _TRANSMISSION},
        stance=_stance(entries, limits),
        detection_joints=_detection_joints(entries, n),
        driver_compensates_gravity=_compensation(entries),
        assumed=_assumed(entries),
        velocity_noise=entries.number("velocity_noise", VELOCITY_NOISE, ABOVE_0),
        torque_noise=entries.number("torque_noise", TORQUE_NOISE, ABOVE_0),
        joint_ranges=read_joint_ranges(entries, n, entries.texts("assumed", ())),
        loop_damping_time=_optional(entries, "loop_damping_time", n),
        servo_stiffness=_optional(entries, "servo_stiffness", n),
        servo_damping=_optional(entries, "servo_damping", n),
        coulomb_friction=_friction(entries, "coulomb_friction", n),
        viscous_friction=_friction(entries, "viscous_friction", n),
        payload=(0.0, 0.0),  # attached below
        force_limits=_force_limits(entries),
        base=kind,
        contacts=contacts,
        passive=passive,
        spring_stiffness=read_springs(entries, prefix, joints),
        loops=read_loops(entries, model, prefix),
        tool=tool,
        flange_speed=entries.number("flange_speed", np.inf, ABOVE_0),
    )
    return carrying(robot, _payload(entries))


def _base_frame(entries: Entries, model: pin.Model, prefix: str, kind: str) -> str:
    """Return the frame of base axes, of a base that is fixed or floating.

    Raises:
        RobotError: no such frame, or not at the root of the URDF, which is the axes' origin.
    """
    link = entries.text("base_link")
    base = prefix + link
    if model.existFrame(link) and not model.existFrame(base):  # of the cell, such as `world`
        base = link
    check_frame(entries, "base_link", base, model)
    if kind == "fixed" and not is_at_root(model, base):
        raise RobotError(
            f"{entries.where('base_link')}: expected {root_link(model)!r}, the URDF's root, or a"
            f" link fixed in its place, got {base!r}, which is elsewhere"
        )
    return base


def _payload(entries: Entries) -> tuple[float, float]:
    """Return the payload beside the tool, one mass or low, high [kg]."""
    if "payload" not in entries:
        return 0.0, 0.0
    try:
        return payload_range(entries.value("payload"))
    except OutOfRangeError as error:
        raise RobotError(f"{entries.path}: {error}") from None


def _optional(entries: Entries, key: str, n: int) -> np.ndarray | None:
    """Return n numbers above 0, none without an entry."""
    return read_only(entries.vector(key, n, allowed=ABOVE_0)) if key in entries else None


def _friction(entries: Entries, key: str, n: int) -> np.ndarray | None:
    """Return n numbers of 0 or more, none without an entry."""
    return read_only(entries.vector(key, n, allowed=AT_LEAST_0)) if key in entries else None


def _force_limits(entries: Entries) -> tuple[tuple[str, float], ...]:
    """Return the limits of a peak contact force by name [N]."""
    if "force_limits" not in entries:
        return ()
    section = entries.section("force_limits", _FORCES)
    return tuple(
        (name, section.number(name, allowed=ABOVE_0)) for name in _FORCES if name in section
    )


def robot_path(name: str | Path) -> Path:
    """Return the path of a robot's YAML.

    Args:
        name: as of :func:`load_robot`.

    Raises:
        RobotError: there is no robot of that name.
    """
    path = Path(name)
    if path.suffix in _YAML:
        return path
    if str(name) not in available_robots():
        choices = ", ".join(available_robots())
        raise RobotError(f"robot: expected one of {choices} or a YAML file, got {str(name)!r}")
    return _HERE / f"{name}.yaml"


def absolute(name: str) -> str:
    """Return a robot's name, or the absolute path of its YAML, which other folders need."""
    return str(Path(name).resolve()) if Path(name).suffix in _YAML else name


def _urdf_path(path: Path, entries: Entries, override: str | Path | None) -> Path:
    """Return the path of the URDF: the caller's, or the one beside the YAML."""
    if override is not None:
        return Path(override)
    named = entries.text("urdf", "")
    if not named:
        raise RobotError(
            f"robot {entries.text('name')!r} ships without a URDF: give one (--urdf PATH, a node's"
            " parameter urdf)"
        )
    return path.parent / named


def _reduced(urdf: Path, full: pin.Model, joints: tuple[str, ...]) -> pin.Model:
    """Return the pinocchio model with exactly ``joints``, every other joint locked at zero."""
    missing = [joint for joint in joints if not full.existJointName(joint)]
    if missing:
        has = ", ".join(list(full.names)[1:])
        raise RobotError(f"{urdf}: joints {', '.join(missing)} not in the URDF, which has {has}")
    moving = (*joints, ROOT) if is_floating(full) else joints
    locked = [i for i, name in enumerate(full.names) if i > 0 and name not in moving]
    name_frames_apart(full)  # or pinocchio does not know which one to keep
    model = pin.buildReducedModel(full, locked, pin.neutral(full))
    if joint_names(model) != joints:
        raise RobotError(f"{urdf}: joints: expected the URDF's order {[*joint_names(model)]}")
    free = (7, 6) if is_floating(model) else (0, 0)
    if (model.nq - free[0], model.nv - free[1]) != (len(joints), len(joints)):
        raise RobotError(f"{urdf}: every joint must be revolute or prismatic with limits")
    return model


def _stance(entries: Entries, limits: JointLimits) -> np.ndarray:
    """Return the stance, which must be within the position limits; NaN is unknown."""
    n = len(limits.velocity)
    stance = entries.vector("stance", n, np.full(n, np.nan))
    if np.any((stance < limits.position_lower) | (stance > limits.position_upper)):
        raise entries.error(
            "stance", "positions from position_lower to position_upper", stance.tolist()
        )
    return stance


def _detection_joints(entries: Entries, n: int) -> tuple[int, ...]:
    """Return the joints of the detectors of torques, from 0.

    By default, as the Panda's, the two before the last: with their small inertia the noise of
    velocities causes little noise of torques.
    """
    key = "detection_joints"
    if key not in entries:
        return tuple(range(max(0, n - 3), max(1, n - 1)))
    return tuple(i - 1 for i in entries.numbers_from(key, 1, n))


def _compensation(entries: Entries) -> bool | None:
    """Return whether the driver adds gravity, None if unknown."""
    key = "driver_compensates_gravity"
    return entries.flag(key) if key in entries else None


def _assumed(entries: Entries) -> tuple[str, ...]:
    """Return the keys of assumed values: those that the YAML declares, and defaulted ones."""
    declared = entries.texts("assumed", ())
    return declared + tuple(
        key for key in _HAVE_DEFAULTS if key not in entries and key not in declared
    )
