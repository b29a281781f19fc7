# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Poses the arms of a task that says only how it differs from another one."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from impact_robots.cell import RobotCell, turned
from impact_robots.dynamics import ArmDynamics
from impact_robots.exceptions import RobotError, TaskError
from impact_robots.robot import Robot
from impact_robots.task.box_task import ARM_JOINTS
from impact_robots.task.poses import contact_configuration, impact_velocity, posed, run_up_start
from impact_robots.task.typed_entries import check_size

Rows = tuple[tuple[float, ...], ...]

# Entries that are no fields of a task: they pose the arms.
POSING: dict[str, Any] = {
    "first_joint": tuple[float, ...],  # of each arm at the impact [rad]
    "box_position": tuple[float, float, float],  # of its centre, world axes [m]
    "faces": tuple[str, ...],  # of the box, that the arms' plates touch: -x, +x, -y, +y
    "near": Rows,  # joints of each arm near which to look for the pose at the impact [rad]
    "speed": float,  # of the plates into the box [m/s]
    "rise": float,  # of the same, upwards [m/s]
}
FACES = {"-x": (1, 0, 0), "+x": (-1, 0, 0), "-y": (0, 1, 0), "+y": (0, -1, 0)}  # axes into the box
_STANDING = ("first_joint", "box_size", "box_yaw", "support_z")  # arms stand elsewhere
_BY_UNIT = {
    "m": ("box_size", "box_position", "support_z", "plate"),
    "m/s": ("speed", "rise", "v_minus"),
    "rad": ("box_yaw", "near", "first_joint", "q_impact", "q_start"),
    "kg": ("box_mass",),
}
_PLACING = ("box_position", "faces", "near", "speed", "rise")
_POSED = ("q_impact", "dq_impact", "q_start", "v_minus")
_MOVING = ("q_impact", "v_minus", "speed", *_STANDING)  # and here they move otherwise


def reposed(base: Mapping[str, Any], own: Mapping[str, Any], where: str) -> dict[str, Any]:
    """Return the entries of one scenario with those in which another one differs.

    Args:
        base: all entries of a scenario.
        own: entries in which the other one differs, ``first_joint`` among them.
        where: they are from, for errors.

    Raises:
        TaskError: the arms cannot be where it says.
    """
    merged = {**base, **own}
    known, cell = base["cell"], merged["cell"]
    if "box_position" in own or "faces" in own:
        merged = {key: value for key, value in merged.items() if key not in _POSED or key in own}
        return merged
    if [each.yaw for each in cell.robots] != [each.yaw for each in known.robots]:
        raise TaskError(f"{where}: cell: expected box_position, faces, speed for turned bases")
    others = [each.robot for each in cell.robots] != [each.robot for each in known.robots]
    if "speed" in own:
        merged.pop("v_minus")
    elif "box_yaw" in own and "v_minus" not in own:
        turn = turned(own["box_yaw"] - base["box_yaw"])
        merged["v_minus"] = tuple(tuple((turn @ np.array(v)).tolist()) for v in base["v_minus"])
    if "q_impact" not in own and (others or any(key in own for key in _STANDING)):
        _check(merged, "q_impact", where)
        merged["q_impact"] = _rows(
            lambda arm, robot: _standing(base, merged, arm, robot), merged, where
        )
    outdated = ["dq_impact"] if others or any(key in own for key in _MOVING) else []
    if outdated or any(key in own for key in ("dq_impact", "run_up")):
        outdated.append("q_start")
    merged = {key: value for key, value in merged.items() if key in own or key not in outdated}
    merged.pop("first_joint", None)
    return merged


def placed(entries: dict[str, Any], where: str) -> dict[str, Any]:
    """Return entries with the arms' poses and velocities at the impact, if they say where it is.

    Raises:
        TaskError: faces or rows are not as many as arms, or an arm cannot be there.
    """
    _check_units(entries, where)
    given = {key: entries[key] for key in ("box_position", "faces", "near") if key in entries}
    filled = {key: value for key, value in entries.items() if key not in _PLACING}
    if "q_impact" not in entries and given:
        missing = [key for key in ("box_position", "faces", "box_size") if key not in entries]
        if missing:
            raise TaskError(f"{where}: entries missing: {', '.join(missing)}")
        _check_faces(entries, where)
        height = entries["box_position"][2] - entries["box_size"][2] / 2.0
        filled.setdefault("support_z", height)
        filled["q_impact"] = _rows(lambda arm, robot: _at_face(entries, arm, robot), entries, where)
    elif given:
        raise TaskError(f"{where}: {next(iter(given))}: expected no q_impact beside it")
    for key in ("speed", "rise"):
        if key in entries and ("v_minus" in entries or "speed" not in entries):
            raise TaskError(f"{where}: {key}: expected a speed, and no v_minus beside it")
    if "v_minus" not in entries and "speed" not in entries:
        raise TaskError(f"{where}: entries missing: speed")
    if "speed" not in entries or "q_impact" not in filled:
        return filled
    _check(filled, "q_impact", where)
    filled["v_minus"] = _rows(lambda arm, robot: _into(entries, filled, arm, robot), filled, where)
    return filled


def _check_units(entries: Mapping[str, Any], where: str) -> None:
    """Refuse lengths, speeds, angles and masses that look like another unit's.

    Raises:
        TaskError: there is one.
    """
    for unit, keys in _BY_UNIT.items():
        for key in keys:
            check_size(entries.get(key, 0.0), f"{where}: {key}", unit)


def _check_faces(entries: Mapping[str, Any], where: str) -> None:
    """Refuse faces and rows that are not one an arm.

    Raises:
        TaskError: so it is.
    """
    arms, faces = len(entries["cell"].robots), entries["faces"]
    if len(faces) != arms or any(face not in FACES for face in faces):
        got = ", ".join(faces)
        raise TaskError(
            f"{where}: faces: expected {arms} of {', '.join(FACES)}, one an arm, got {got}"
        )
    _check(entries, "near", where)


def _at_face(entries: Mapping[str, Any], arm: int, robot: Robot) -> np.ndarray:
    """Return where an arm's plate touches the middle of its face, shape (n,) [rad]."""
    turn, face = turned(entries["box_yaw"]), np.array(FACES[entries["faces"][arm]], dtype=float)
    middle = np.array(entries["box_position"]) - np.array(entries["cell"].bases[arm])
    point = middle - turn @ (face * np.array(entries["box_size"]) / 2.0)
    near = np.array(entries["near"][arm]) if "near" in entries else None
    return contact_configuration(robot, point, turn @ face, near)


def _into(
    entries: Mapping[str, Any], filled: Mapping[str, Any], arm: int, robot: Robot
) -> np.ndarray:
    """Return a plate's velocity at the impact, world axes, shape (3,) [m/s]."""
    q, turn = np.array(filled["q_impact"][arm]), turned(entries["box_yaw"])
    into = turn @ np.round(turn.T @ ArmDynamics(robot)(q, np.zeros(robot.dof)).rotation[:, 2])
    return entries["speed"] * into + [0.0, 0.0, entries.get("rise", 0.0)]


def timed(entries: dict[str, Any], where: str) -> dict[str, Any]:
    """Return entries with the velocities at the impact and the start of the run-up, if missing.

    Raises:
        TaskError: rows that are not as many as arms, or not as long as they must be; or the
            run-up would begin where an arm cannot be.
    """
    if any(key not in entries for key in ("q_impact", "v_minus", "run_up")):
        return entries  # what is missing is said when the scenario is made
    filled = dict(entries)
    _check(filled, "q_impact", where)
    _check(filled, "v_minus", where, width=3)

    def velocity(arm: int, robot: Robot) -> np.ndarray:
        return impact_velocity(
            robot, np.array(filled["q_impact"][arm]), np.array(filled["v_minus"][arm])
        )

    def start(arm: int, robot: Robot) -> np.ndarray:
        q, dq, v = (np.array(filled[key][arm]) for key in ("q_impact", "dq_impact", "v_minus"))
        return run_up_start(robot, q, dq, v, filled["run_up"])

    for key, make in (("dq_impact", velocity), ("q_start", start)):
        if key not in filled:
            filled[key] = _rows(make, filled, where)
        _check(filled, key, where)
    return filled


def _standing(
    base: Mapping[str, Any], merged: Mapping[str, Any], arm: int, robot: Robot
) -> np.ndarray:
    """Return where an arm stands when its plate touches the box at half its height, (n,) [rad]."""
    q = np.array(base["q_impact"][arm])
    grown = (np.array(merged["box_size"]) - np.array(base["box_size"])) / 2.0
    offset = np.array([0.0, 0.0, merged["support_z"] - base["support_z"] + grown[2]])
    turn, more = turned(base["box_yaw"]), merged["box_yaw"] - base["box_yaw"]
    face = np.round(turn.T @ ArmDynamics(robot)(q, np.zeros(robot.dof)).rotation[:, 2])
    if len(merged["cell"].robots) > 1:  # the box stays in the middle; a pushed one at its face
        offset = offset - turn @ (face * grown)
    if more:  # about its middle
        middle = turn @ (face * np.array(merged["box_size"]) / 2.0)
        offset = offset + middle - turned(more) @ middle
    first = merged.get("first_joint")
    return posed(robot, q, offset, float(q[0] if first is None else first[arm]), more)


def _rows(make: Callable[[int, Robot], np.ndarray], entries: Mapping[str, Any], where: str) -> Rows:
    """Return one row an arm.

    Raises:
        TaskError: an arm cannot be there.
    """
    rows: list[tuple[float, ...]] = []
    cell: RobotCell = entries["cell"]
    try:
        for arm, robot in enumerate(cell.load()):
            rows.append(tuple(make(arm, robot).tolist()))
    except RobotError as error:
        name = cell.names[len(rows)]
        raise TaskError(f"{where}: {name and f'{name}: '}{error}") from None
    return tuple(rows)


def check_arms(cell: RobotCell, where: str) -> None:
    """Refuse robots that cannot hold a plate against a box.

    Raises:
        TaskError: there is none of a name, or it is no arm of seven joints.
    """
    for each in cell.robots:
        try:
            robot = each.load()
        except RobotError as error:
            raise TaskError(f"{where}: {error}") from None
        if robot.base != "fixed" or robot.dof != ARM_JOINTS:
            got = f"{robot.name} with {robot.dof} and a {robot.base} base"
            raise TaskError(f"{where}: robot: expected arms of {ARM_JOINTS} joints, got {got}")


def _check(entries: Mapping[str, Any], key: str, where: str, width: int = ARM_JOINTS) -> None:
    """Refuse rows that are not one an arm, or not one number a joint.

    Raises:
        TaskError: so it is.
    """
    arms = len(entries["cell"].robots)
    for each, count in ((key, width), ("first_joint", 0)):
        rows = entries.get(each)
        if rows is None:
            continue
        if len(rows) != arms or (count and any(len(row) != count for row in rows)):
            each_of = f" of {count} numbers" if count else ""
            raise TaskError(f"{where}: {each}: expected {arms} rows{each_of}, one an arm")
