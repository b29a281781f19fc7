# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Parameters of the motion, for every node that controls it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from impact_predictor.people.person_task import PersonTask, read_person_task
from impact_qp.control.plan import Plan
from impact_qp.exceptions import ControlError
from impact_qp.limits import Contact
from impact_qp.limits.impact_limits.registry import AUTO, SELECTABLE, described
from impact_qp.parameter_pairs import plan_refusal, timing_refusal
from impact_qp.program.program import SOLVERS
from impact_robots.description.joint_ranges import ANNOUNCED
from impact_robots.entry import entries_of
from impact_robots.exceptions import RobotError
from impact_robots.robot import Robot
from impact_robots.surface import ANY_STIFFNESS, USUAL_FRICTION, USUAL_RESTITUTION
from impact_robots.task.find import find_hit_task
from impact_robots.task.hit_task import HitTask
from impact_ros.parameters import ParameterError, RobotParameters, from_values, parameter

NAN = float("nan")
LATER = "acts at the next configure"
Parameters = TypeVar("Parameters", bound="PlanParameters")


def planned(default: Any, description: str, **options: Any) -> Any:
    """Declare a parameter of the plan, which may change until it is read at `configure`."""
    return parameter(default, f"{description}; {LATER}.", read_only=False, **options)


def warn_of_later_effect(node: Any, configured: Callable[[], bool]) -> None:
    """Let a node log that parameters of the plan, changed while it is configured, act later.

    Args:
        node: on which they are declared.
        configured: tells whether the node is.
    """

    def warn(changed: list[Any]) -> None:
        for name in (each.name for each in changed if configured()):
            if LATER in node.describe_parameter(name).description:
                node.get_logger().warning(f"{name}: {LATER}, not before")

    node.add_post_set_parameters_callback(warn)


_HIT = entries_of(HitTask)


def hit_entry(name: str, default: Any, **options: Any) -> Any:
    """Declare a parameter that is an entry of a task file too."""
    return planned(default, **vars(_HIT[name]) | options)


def _moved(name: str, default: Any, **options: Any) -> Any:
    """Declare an entry of a task file; as a parameter it is accepted for one release."""
    return hit_entry(name, default, moved="in the task file (parameter task)", **options)


@dataclass(frozen=True)
class PlanParameters(RobotParameters):
    """Parameters of the motion; the contact must be given."""

    task: str = planned("", "Named hit or its YAML: says robot, surface, speed where these do not")
    contact_point: tuple[float, ...] = planned(
        (NAN, NAN, NAN), "Any point of the surface, base axes", unit="m"
    )
    contact_normal: tuple[float, ...] = planned(
        (NAN, NAN, NAN), "Outward normal of the surface, towards the robot, base axes"
    )
    friction: tuple[float, float] = hit_entry("friction", USUAL_FRICTION)
    restitution: tuple[float, float] = hit_entry("restitution", USUAL_RESTITUTION)
    peak_factor: float = hit_entry("peak_factor", 3.0)
    impact_duration: float = hit_entry("impact_duration", 0.018)
    stiffness: tuple[float, float] = hit_entry("stiffness", ANY_STIFFNESS)
    impact_limits: str = hit_entry(
        "impact_limits",
        AUTO,
        description="Which impulses must respect the limits (auto: joint_load if the robot's YAML"
        f" defines the required fields, else robust; {described()})",
        choices=SELECTABLE,
    )
    person: str = planned(
        "",
        "Task file of contact with a person (doc/people.md: region, control, reaction): bounds the"
        " speed of the contact point in every direction, beside impact_limits",
    )
    joint_ranges: str = _moved("joint_ranges", ANNOUNCED)
    generators: int = _moved("generators", 8)
    preview: float = _moved("preview", 0.02)
    activation_distance: float = _moved("activation_distance", 0.2)
    speed: float = hit_entry("speed", 0.1)
    speed_cap: float = parameter(
        0.1,
        "Hard cap of the reference speed; raise it when you trust the set-up",
        unit="m/s",
        low=0.0,
        high=10.0,
    )
    speed_ramp: float = hit_entry("speed_ramp", 4.0)
    solver: str = _moved("solver", "quadprog", choices=tuple(SOLVERS))
    coast_time: float = _moved("coast_time", 0.1)
    retract_speed: float = _moved("retract_speed", 0.1)
    retract_distance: float = _moved("retract_distance", 0.05)
    overrun: float = _moved("overrun", 0.03)
    hold_distance: float = _moved("hold_distance", 0.05)
    stall_time: float = _moved("stall_time", 0.1)
    goal_timeout: float = planned(
        10.0,
        "Goals without a timeout of their own end after that time without contact",
        unit="s",
        low=0.1,
        high=3600.0,
    )
    goal_may_widen: bool = parameter(
        False,
        "Goals may assume narrower ranges of friction, restitution or stiffness than configured; a"
        " goal's impact limits act in addition to the node's in any case",
    )

    def of_task(self: Parameters) -> Parameters:
        """Return these parameters with the task's values for those at their defaults.

        Raises:
            TaskError: unknown task, or a wrong entry.
            ParameterError: the task has an invalid value for a parameter.
        """
        if not self.task:
            return self
        usual, task = vars(type(self)()), find_hit_task(self.task)
        said = {
            name: value
            for name, value in task.parameters.items()
            if _alike(getattr(self, name), usual[name])
        }
        if task.tool is not None:
            if self.tool not in ("", self.task):
                raise ParameterError("tool", "expected none beside a task with a tool")
            said["tool"] = self.task
        return from_values(type(self), {**vars(self), **said})

    @property
    def strikes(self) -> HitTask | None:
        """The task, if a tool strikes in it."""
        task = find_hit_task(self.task) if self.task else None
        return None if task is None or task.tool is None else task

    def plan(self) -> Plan:
        """Return the plan of the controller; with torques if there is no ``interface``.

        Raises:
            ControlError: the contact is missing or invalid, or the person's file is.
        """
        known, cap = vars(self), self.speed_cap
        same = {each.name: known[each.name] for each in fields(Plan) if each.name in known}
        capped = {name: min(known[name], cap) for name in ("speed", "retract_speed")}
        same |= {"contact": self._contact(), "ramp": self.speed_ramp, "person": self._person()}
        return Plan(**same | capped)

    def refuse_pairs(self, robot: Robot, rate: float, state_timeout: float) -> None:
        """Refuse contradicting parameters.

        Args:
            robot: the arm.
            rate: of its states [Hz].
            state_timeout: without states the arm is stopped after this time [s].

        Raises:
            ControlError: a line for each pair.
        """
        plan, longest = self.plan(), self.goal_timeout
        times = timing_refusal(plan, rate=rate, state_timeout=state_timeout, goal_timeout=longest)
        if lines := "; ".join(filter(None, (plan_refusal(plan, robot), times))):
            raise ControlError(lines)

    def summary(self, limits: str) -> str:
        """Return a summary of the commanded motion in one line, for the log.

        Args:
            limits: of the impact, after "auto" is resolved.
        """
        point, normal = (
            [round(x, 4) for x in v] for v in (self.contact_point, self.contact_normal)
        )
        mu, e = self.friction, self.restitution
        return (
            f"{self.robot}, {self.plan().interface} interface, {limits} impact limits, contact"
            f" {point} with normal {normal}, friction {mu[0]:g} to {mu[1]:g}, restitution"
            f" {e[0]:g} to {e[1]:g}, speed"
            f" {min(self.speed, self.speed_cap):g} m/s, cap {self.speed_cap:g} m/s"
        )

    def _person(self) -> PersonTask | None:
        """Return who may be hit.

        Raises:
            ControlError: the file is missing or wrong.
        """
        try:
            return read_person_task(Path(self.person)) if self.person else None
        except RobotError as error:
            raise ControlError(f"person: {error}") from None

    def _contact(self) -> Contact:
        """Return the announced contact."""
        for name in ("contact_point", "contact_normal"):
            values = getattr(self, name)
            if len(values) != 3 or not np.all(np.isfinite(values)):
                raise ControlError(f"{name}: expected three finite numbers, got {list(values)}")
        return Contact(
            self.contact_point,
            self.contact_normal,
            self.friction,
            self.restitution,
            self.peak_factor,
            self.impact_duration,
            self.stiffness,
        )


def _alike(one: Any, other: Any) -> bool:
    """Tell whether two values of a parameter are equal, NaN included."""
    if isinstance(one, tuple | list):
        return bool(np.array_equal(one, other, equal_nan=True))
    return bool(one == other or (one != one and other != other))
