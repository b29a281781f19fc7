# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""A scenario's wall as a Gazebo world: a box, welded to the world through a force sensor."""

from __future__ import annotations

from xml.etree.ElementTree import Element, SubElement, indent, tostring

import numpy as np
import pinocchio as pin

from impact_predictor.contact_force.laws import ContactLaw, HuntCrossley
from impact_robots.robot import Robot
from impact_robots.surface import Surface
from impact_sim.exceptions import ScenarioError
from impact_sim.export.arm_mjcf import TIP_RADIUS, numbers
from impact_sim.export.wall_mjcf import SIZE, WALL
from impact_sim.scenarios import Scenario

STEP = 2.5e-4  # of the physics; a contact lasts one step, so the sensor runs at each [s]
WRENCH = f"{WALL}/wrench"  # the sensor's topic
_THICKNESS = 0.1  # [m]
_SYSTEMS = {
    "gz-sim-physics-system": "gz::sim::systems::Physics",
    "gz-sim-user-commands-system": "gz::sim::systems::UserCommands",
    "gz-sim-scene-broadcaster-system": "gz::sim::systems::SceneBroadcaster",
    "gz-sim-forcetorque-system": "gz::sim::systems::ForceTorque",
}


def gazebo_world(robot: Robot, scenario: Scenario, approach_speed: float) -> str:
    """Return the SDF of a world with the wall of a scenario; the robot is spawned into it.

    Args:
        robot: the arm, which stands in the origin.
        scenario: whose wall it is.
        approach_speed: at which it returns as the scenario's law does [m/s].

    Raises:
        ScenarioError: it is of an arm with another number of joints, or nothing is hit in it.
        OutOfRangeError: the speed is not positive.
    """
    restitution = restitution_of(robot, scenario, approach_speed)
    root = Element("sdf", {"version": "1.9"})
    world = SubElement(root, "world", {"name": scenario.name})
    physics = SubElement(world, "physics", {"name": "impact", "type": "dart"})
    _texts(physics, {"max_step_size": repr(STEP), "real_time_factor": "0.2"})
    for filename, name in _SYSTEMS.items():
        SubElement(world, "plugin", {"filename": filename, "name": name})
    SubElement(world, "gravity").text = numbers(robot.model.gravity.linear)
    light = SubElement(world, "light", {"name": "sun", "type": "directional"})
    _texts(light, {"pose": "0 0 5 0 0 0", "direction": "-0.5 0.2 -1.0"})
    _add_wall(world, scenario.surface(robot), restitution)
    indent(root)
    return tostring(root, encoding="unicode") + "\n"


def restitution_of(robot: Robot, scenario: Scenario, approach_speed: float) -> float:
    """Return the restitution of a scenario's wall at an approach speed [m/s].

    Raises:
        ScenarioError: it is of an arm with another number of joints, or nothing is hit in it.
        OutOfRangeError: the speed is not positive.
    """
    law: ContactLaw = scenario.law
    if len(scenario.q_impact) != robot.dof:
        count = len(scenario.q_impact)
        raise ScenarioError(f"{scenario.name}: expected an arm of {count} joints, got {robot.dof}")
    if scenario.motion or not isinstance(law, HuntCrossley):
        raise ScenarioError(f"{scenario.name}: expected a scenario with a wall")
    return law.free_restitution(approach_speed)


def _add_wall(world: Element, surface: Surface, restitution: float) -> None:
    """Add the wall: its face is where the tip's sphere touches when the contact point does."""
    centre = np.asarray(surface.moved(-TIP_RADIUS - _THICKNESS / 2).point)
    model = SubElement(world, "model", {"name": WALL})
    pose = [*centre, *pin.rpy.matrixToRpy(surface.rotation)]
    _texts(model, {"pose": numbers(pose)})
    link = SubElement(model, "link", {"name": WALL})
    SubElement(link, "gravity").text = "false"
    _texts(SubElement(link, "inertial"), {"mass": "1.0"})
    for kind in ("collision", "visual"):
        shape = SubElement(link, kind, {"name": kind})
        box = SubElement(SubElement(shape, "geometry"), "box")
        SubElement(box, "size").text = numbers([2 * SIZE, 2 * SIZE, _THICKNESS])
        if kind == "collision":
            _add_surface(shape, surface.friction[1], restitution)
    joint = SubElement(model, "joint", {"name": f"{WALL}_joint", "type": "fixed"})
    _texts(joint, {"parent": "world", "child": WALL})
    sensor = SubElement(joint, "sensor", {"name": f"{WALL}_force", "type": "force_torque"})
    rate = repr(1.0 / STEP)
    _texts(sensor, {"always_on": "true", "update_rate": rate, "topic": WRENCH})
    _texts(SubElement(sensor, "force_torque"), {"frame": "parent"})


def _add_surface(collision: Element, friction: float, restitution: float) -> None:
    """Add friction and restitution; DART takes the least friction, and multiplies restitutions."""
    surface = SubElement(collision, "surface")
    bounce = {"restitution_coefficient": repr(float(restitution)), "threshold": "0"}
    _texts(SubElement(surface, "bounce"), bounce)
    ode = SubElement(SubElement(surface, "friction"), "ode")
    _texts(ode, {"mu": repr(friction), "mu2": repr(friction)})


def _texts(parent: Element, values: dict[str, str]) -> None:
    """Add elements that hold a text."""
    for name, text in values.items():
        SubElement(parent, name).text = text
