# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""The named scenarios that ship with the suite."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from impact_predictor.contact_force.laws import ContactLaw
from impact_robots.cell import robot_named
from impact_robots.description.loader import absolute
from impact_robots.dynamics import ArmDynamics
from impact_robots.exceptions import ImpactError, RobotError
from impact_robots.kinematics import inverse_kinematics
from impact_robots.robot import Robot
from impact_robots.state.contact_frame import contact_rotation
from impact_robots.surface import Surface
from impact_robots.task.hit_task import hit_task_of, shipped_hit_task
from impact_robots.task.like import TASK, Shipped, check_name, with_like
from impact_robots.task.typed_entries import record_of
from impact_sim.exceptions import ScenarioError
from impact_sim.layered_law import wall_law
from impact_sim.plant.compliant_wall import CompliantWall

ANNOUNCEABLE = ("friction", "restitution", "stiffness")
_SHIPPED = Shipped(Path(__file__).parent / "scenarios.yaml", "scenarios", "simulated")


@dataclass(frozen=True)
class Scenario:
    """One experiment: where the arm hits what, and how fast it would like to.

    With ``motion`` it hits nothing: it moves about ``q_impact``, and what is given of surface,
    contact and approach means nothing.
    """

    name: str
    title: str
    note: str
    robot: str
    q_impact: tuple[float, ...]  # [rad]
    normal: tuple[float, float, float]  # outward, base axes
    reference_speed: float  # [m/s]
    reference_ramp: float  # [m/s^2]
    run_up: float  # [m]
    friction: float
    restitution: tuple[float, float]
    stiffness: tuple[float, float]  # of the contact, as announced [N/m]
    peak_factor: float
    impact_duration: float  # [s]
    detection_threshold: float  # [N.m]
    contact: dict[str, Any]
    controller: str  # which impact limits; computed_torque: a free motion; glide: let go before
    speeds: tuple[float, ...]  # reference speeds of successive trials [m/s]; none: the one above
    variation: dict[str, Any]  # what differs from trial to trial, see impact_sim.arm.variation
    approach: dict[str, Any]  # of a glide, see impact_sim.arm.glide; none: along the normal
    motion: dict[str, Any]  # of a free motion, see impact_sim.arm.free_motion; none: an impact
    announced: dict[str, Any]  # friction, restitution, stiffness that controllers are given instead

    def of_trial(self, trial: int) -> Scenario:
        """Return the scenario with the reference speed of a trial, counted from 0."""
        if not self.speeds:
            return self
        return replace(self, reference_speed=self.speeds[trial % len(self.speeds)])

    def with_absolute_paths(self) -> Scenario:
        """Return the scenario with an absolute path of its robot's YAML."""
        return replace(self, robot=absolute(self.robot))

    @property
    def law(self) -> ContactLaw:
        """The contact's force law."""
        return wall_law(self.contact)

    def surface_point(self, robot: Robot) -> np.ndarray:
        """Return the point of the surface that ``q_impact`` touches, base axes, (3,) [m]."""
        return ArmDynamics(robot).position(np.array(self.q_impact))

    def surface(self, robot: Robot) -> Surface:
        """Return the surface through the contact point at ``q_impact``, as it is announced."""
        known = {name: getattr(self, name) for name in ANNOUNCEABLE} | self.announced
        return Surface(self.surface_point(robot), self.normal, **known)

    def wall(self, robot: Robot, friction: float | None = None) -> CompliantWall:
        """Return the wall that is there; its ``friction`` may differ from the scenario's."""
        mu = self.friction if friction is None else friction
        point = self.surface_point(robot)
        surface = Surface(point, self.normal, mu, self.restitution, self.stiffness)
        return CompliantWall(surface, self.law)

    def controller_parameters(self, robot: Robot) -> dict[str, Any]:
        """Return the parameters of the controller node for the contact and the approach."""
        surface = self.surface(robot)
        return {
            "robot": self.robot,
            "contact_point": np.asarray(surface.point).tolist(),
            "contact_normal": [float(component) for component in self.normal],
            "friction": list(surface.friction),
            "restitution": list(surface.restitution),
            "stiffness": list(surface.stiffness),
            "peak_factor": self.peak_factor,
            "impact_duration": self.impact_duration,
            "speed": self.reference_speed,
            "speed_cap": self.reference_speed,
            "speed_ramp": self.reference_ramp,
        }

    def start(self, robot: Robot, shift: np.ndarray | None = None) -> np.ndarray:
        """Return the configuration ``run_up`` back along the normal, same orientation, (n,).

        Args:
            robot: the arm.
            shift: further displacement of the contact point in contact axes, shape (3,) [m].
        """
        offset = np.array([0.0, 0.0, self.run_up])
        if shift is not None:
            offset = offset + shift
        offset = contact_rotation(self.normal) @ offset
        return inverse_kinematics(robot, np.array(self.q_impact), offset)


def scenario_names() -> tuple[str, ...]:
    """Return the names of the scenarios of an announced impact, which nodes and demo run."""
    return _SHIPPED.names("scenarios")


def all_scenario_names() -> tuple[str, ...]:
    """Return the names of all scenarios, also of those that only ``simulate`` runs."""
    return _SHIPPED.names()


def load_scenario(name: str) -> Scenario:
    """Return a scenario by name.

    Raises:
        ScenarioError: no scenario of that name; lists the choices.
    """
    check_name(name, all_scenario_names())
    return scenario_of(name, _own(name), f"scenario {name}")


def scenario_of(name: str, own: Mapping[str, Any], where: str) -> Scenario:
    """Return the scenario of a mapping.

    Args:
        name: of the scenario.
        own: its entries; what it does not say is that of the scenario that it is ``like``, or a
            default.
        where: they are from, for errors.

    Raises:
        ScenarioError: it is like none that ships with the suite, or an entry is missing, unknown,
            or of another type; says which.
    """
    entries = with_like(_told_task(own, where), _own, all_scenario_names(), where)
    scenario = record_of(Scenario, _SHIPPED.defaults | entries | {"name": name}, where)
    for key in scenario.announced:
        if key not in ANNOUNCEABLE:
            choices = ", ".join(ANNOUNCEABLE)
            raise ScenarioError(f"{where}: announced: expected entries of {choices}, got {key!r}")
    try:
        Surface(None, scenario.normal, **scenario.announced)
    except ImpactError as error:
        raise ScenarioError(f"{where}: announced: {error}") from None
    return scenario


def _told_task(own: Mapping[str, Any], where: str) -> dict[str, Any]:
    """Return entries, those of a task of a hit as a scenario has them.

    The middle of its range of friction is true, unless the entries say else; what the task says
    other than the truth is announced.
    """
    entries = dict(own)
    if TASK not in entries:
        return entries
    task = hit_task_of("", entries.pop(TASK), where)
    said: dict[str, Any] = {
        "title": task.title,
        "robot": task.robot or _SHIPPED.defaults["robot"],
        "normal": task.contact_normal,
        "reference_speed": task.speed,
        "reference_ramp": task.speed_ramp,
        "peak_factor": task.peak_factor,
        "impact_duration": task.impact_duration,
        "controller": task.impact_limits,
        "friction": task.surface.middle[0],
        "restitution": task.surface.restitution,
        "stiffness": task.surface.stiffness,
    }
    known = {name: getattr(task.surface, name) for name in ANNOUNCEABLE}
    others = [name for name in ANNOUNCEABLE if name in entries]  # that are true
    if known["friction"][0] < known["friction"][1]:
        others.append("friction")
    said["announced"] = {name: known[name] for name in others}
    try:
        said["q_impact"] = tuple(task.pose(robot_named(said["robot"])).tolist())
    except RobotError as error:
        raise ScenarioError(f"{where}: {error}") from None
    return {"note": task.note} | {k: v for k, v in said.items() if v is not None} | entries


def _own(name: str) -> dict[str, Any]:
    """Return what a shipped scenario says of itself."""
    own = _SHIPPED.own(name)
    if TASK in own:
        own[TASK] = shipped_hit_task(own[TASK])
    return _told_task(own, f"scenario {name}")
