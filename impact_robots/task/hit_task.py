# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""A hit of a surface by one arm: what is to be done, and what is known of the surface."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Annotated, Any

import numpy as np

from impact_robots.cell import robot_named
from impact_robots.description.joint_ranges import JOINT_RANGES
from impact_robots.dynamics import ArmDynamics
from impact_robots.entry import entry
from impact_robots.exceptions import ImpactError, RobotError, TaskError
from impact_robots.robot import Robot
from impact_robots.surface import ANY_STIFFNESS, USUAL_FRICTION, USUAL_RESTITUTION, Surface
from impact_robots.task.like import LIKE, Shipped, check_name, with_like
from impact_robots.task.poses import contact_configuration
from impact_robots.task.typed_entries import check_size, record_of, typed_entries
from impact_robots.tools.strike_file import target_of, tool_of
from impact_robots.tools.target import ANY_STOP, Target
from impact_robots.tools.tool import Tool, with_tool

Range = tuple[float, float]
HIT_TASKS = Shipped(Path(__file__).parent / "hit_tasks.yaml", "tasks")
_TEXTS = {"title": "", "note": "", "robot": ""}


@dataclass(frozen=True)
class HitTask:
    """What is hit, and how; the names are those of the parameters of ``impact_qp``.

    Base axes; none: as usual.
    """

    name: str
    title: str
    note: str
    robot: str  # by name, or the path of its YAML; empty: whoever carries it out knows
    contact_point: tuple[float, float, float]  # any point of the surface [m]; see q_impact
    contact_normal: tuple[float, float, float]  # out of it, towards the robot
    q_impact: tuple[float, ...] | None  # joints at the impact; they say the contact point [rad]
    near: tuple[float, ...] | None  # joints near which to look for the pose at the impact [rad]
    friction: Annotated[
        Range | None,
        entry("Lowest and highest coefficient of Coulomb friction", low=0.0, high=10.0),
    ]
    restitution: Annotated[
        Range | None, entry("Lowest and highest coefficient of restitution", low=0.0, high=1.0)
    ]
    stiffness: Annotated[
        Range | None,
        entry("Lowest and highest stiffness of the contact, for joint_load", unit="N/m", low=1.0),
    ]
    peak_factor: Annotated[float | None, entry("Peak over mean contact force", low=1.0, high=100.0)]
    impact_duration: Annotated[
        float | None, entry("Duration of the impact", unit="s", low=1e-4, high=1.0)
    ]
    impact_limits: Annotated[str | None, entry("Which impulses must respect the limits")]
    joint_ranges: Annotated[
        str | None,
        entry(
            "Joints for joint_load: anywhere in the ranges of the robot's YAML, or nominal",
            choices=JOINT_RANGES,
        ),
    ]
    generators: Annotated[int | None, entry("Facets of the friction pyramid", low=3, high=64)]
    preview: Annotated[
        float | None, entry("Preview T_p of the impact limits", unit="s", low=1e-3, high=0.5)
    ]
    activation_distance: Annotated[
        float | None,
        entry(
            "Limits that bound no speed (existential) act below this gap, all others always",
            unit="m",
            low=0.0,
            high=2.0,
        ),
    ]
    speed: Annotated[
        float | None, entry("Reference speed against the normal", unit="m/s", low=0.0, high=10.0)
    ]
    speed_ramp: Annotated[
        float | None, entry("Ramp of the reference speed", unit="m/s^2", low=1e-3, high=1000.0)
    ]
    solver: Annotated[str | None, entry("Of the quadratic program")]
    coast_time: Annotated[
        float | None,
        entry("Gravity compensation alone after a detection", unit="s", low=0.0, high=1.0),
    ]
    retract_speed: Annotated[
        float | None, entry("Speed of the retraction", unit="m/s", low=0.0, high=10.0)
    ]
    retract_distance: Annotated[
        float | None, entry("Retract up to this gap", unit="m", low=0.0, high=1.0)
    ]
    overrun: Annotated[
        float | None,
        entry(
            "Retract when nothing was hit this far behind the surface", unit="m", low=0.0, high=0.2
        ),
    ]
    hold_distance: Annotated[
        float | None,
        entry("An arm that is pushed farther away while it holds stays there", unit="m", low=1e-3),
    ]
    stall_time: Annotated[
        float | None,
        entry(
            "Retract when blocked that long near the surface",
            unit="s",
            low=1e-3,
            high=10.0,
        ),
    ]
    tilt: Annotated[
        float | None,
        entry(
            "By which a better configuration of `plan` may turn the tool",
            unit="rad",
            low=0.0,
            high=np.pi,
        ),
    ]
    seed: Annotated[int | None, entry("Of the search for it", low=0)]
    tool: Tool | None  # that strikes, in place of the robot's own: the contact point is its head
    target: Target | None  # what it strikes, there

    @property
    def surface(self) -> Surface:
        """The surface, with the usual ranges where the task says none."""
        return Surface(
            self.contact_point,
            self.contact_normal,
            self.friction or USUAL_FRICTION,
            self.restitution or USUAL_RESTITUTION,
            self.stiffness or ANY_STIFFNESS,
        )

    @property
    def parameters(self) -> dict[str, Any]:
        """Parameters of ``impact_qp`` that it says, by name."""
        values = {each.name: getattr(self, each.name) for each in fields(self)}
        others = ("name", "title", "note", "q_impact", "near", "tilt", "seed", "tool", "target")
        return {k: v for k, v in values.items() if k not in others and v not in (None, "")}

    def pose(self, robot: Robot) -> np.ndarray:
        """Return the joints at the impact, shape (n,) [rad].

        Where the task does not say them, those with the contact point on the surface and its axis z
        into it.

        Raises:
            RobotError: the arm cannot be there.
        """
        if self.q_impact is not None:
            if len(self.q_impact) != robot.dof:
                raise RobotError(f"q_impact: expected {robot.dof} joints, got {len(self.q_impact)}")
            return np.array(self.q_impact)
        near = None if self.near is None else np.array(self.near)
        return contact_configuration(
            robot, np.array(self.contact_point), -self.surface.normal, near
        )


def shipped_hit_task(name: str) -> dict[str, Any]:
    """Return all entries of a task that ships with the suite.

    Raises:
        TaskError: there is none of that name; lists the choices.
    """
    own, names = HIT_TASKS.named(name), HIT_TASKS.names()
    return HIT_TASKS.defaults | with_like(own, shipped_hit_task, names, f"task {name}")


def load_hit_task(name: str) -> HitTask:
    """Return a task that ships with the suite.

    Raises:
        TaskError: there is none of that name; lists the choices.
    """
    return hit_task_of(name, shipped_hit_task(name), f"task {name}")


def hit_task_of(name: str, own: Mapping[str, Any], where: str) -> HitTask:
    """Return the task of a mapping.

    Args:
        name: of the task.
        own: its entries; what it does not say is that of the task that it is ``like``. One number
            is a range, too.
        where: they are from, for errors.

    Raises:
        TaskError: an entry is missing, unknown or wrong.
    """
    base: dict[str, Any] = {}
    if LIKE in own:
        check_name(own[LIKE], HIT_TASKS.names(), f"{where}: {LIKE}")
        base = shipped_hit_task(own[LIKE])
    if "contact_point" in own and "q_impact" not in own:
        base.pop("q_impact", None)
    unsaid: dict[str, Any] = dict.fromkeys(_OPTIONAL)
    entries = {**unsaid, **_TEXTS, **base, **own, "name": name}
    entries.pop(LIKE, None)
    entries |= {key: [entries[key]] * 2 for key in _RANGES if type(entries[key]) in (int, float)}
    entries |= _strike(entries, where)
    if entries["q_impact"] is not None:
        entries["contact_point"] = _contact_point(entries, where)
    task = _of_target(record_of(HitTask, entries, where))
    try:
        task.surface  # noqa: B018 - its numbers are checked
    except ImpactError as error:
        raise TaskError(f"{where}: {error}") from None
    check_size(task.contact_point, f"{where}: contact_point")
    check_size(task.speed or 0.0, f"{where}: speed", "m/s")
    check_size(task.near or (), f"{where}: near", "rad")
    return task


def _strike(entries: Mapping[str, Any], where: str) -> dict[str, Any]:
    """Return tool and target, if there are some.

    Raises:
        TaskError: one is there without the other, or an entry of them is wrong.
    """
    said = {key: entries[key] for key in ("tool", "target") if entries[key] is not None}
    if not said:
        return {}
    if len(said) < 2:
        raise TaskError(
            f"{where}: expected a tool and a target, or neither, got {next(iter(said))}"
        )
    path = Path(where)
    try:
        tool, target = tool_of(path, said), target_of(path, said)
    except RobotError as error:
        raise TaskError(str(error)) from None
    return {"tool": tool, "target": target}


def _of_target(task: HitTask) -> HitTask:
    """Return a task with the ranges of its target where it says none."""
    if task.target is None:
        return task
    target, stop = task.target, task.target.stop or ANY_STOP
    return replace(
        task,
        friction=task.friction or target.friction,
        restitution=task.restitution or stop.restitution,
        stiffness=task.stiffness or stop.stiffness,
    )


def _contact_point(entries: Mapping[str, Any], where: str) -> tuple[float, ...]:
    """Return where the contact point is at ``q_impact``, base axes, shape (3,) [m].

    Raises:
        TaskError: the entries say it too, or no robot, or joints that are not its own.
    """
    if "contact_point" in entries or not entries["robot"]:
        expected = "no contact_point" if "contact_point" in entries else "a robot"
        raise TaskError(f"{where}: q_impact: expected {expected} beside it")
    typed = typed_entries(HitTask, {key: entries[key] for key in ("q_impact", "robot")}, where)
    tool = entries["tool"]
    try:
        robot = robot_named(typed["robot"])
        if tool is not None:
            robot = with_tool(robot, tool, tool.nominal.mass)
    except RobotError as error:
        raise TaskError(f"{where}: {error}") from None
    if len(typed["q_impact"]) != robot.dof:
        raise TaskError(f"{where}: q_impact: expected {robot.dof} numbers, one a joint")
    return tuple(ArmDynamics(robot).position(np.array(typed["q_impact"])).tolist())


_RANGES = ("friction", "restitution", "stiffness")
_OPTIONAL = [each.name for each in fields(HitTask) if "| None" in str(each.type)]
