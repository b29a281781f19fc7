# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""The arm as a URDF for Gazebo and gz_ros2_control: one link per joint, with the tool in the last.

Links that are fixed to each other are one, so none is without inertia: DART would give such a link
a mass of 1 kg. SDF has no motor inertia, so there is none. If the robot's driver compensates
gravity, the links have no weight, so that the arm does not fall without commands.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any
from xml.etree.ElementTree import Element, SubElement, fromstring, indent, tostring

import numpy as np
import pinocchio as pin

from impact_robots.mujoco_links import joint_axis
from impact_robots.robot import Robot
from impact_robots.state.frames import frame_index
from impact_sim.export.arm_mjcf import TIP_RADIUS, joint_friction, numbers
from impact_sim.export.ros2_control import COMMANDS, RATE, STATES

HARDWARE = "gz_ros2_control/GazeboSimSystem"
PLUGIN = {
    "filename": "gz_ros2_control-system",
    "name": "gz_ros2_control::GazeboSimROS2ControlPlugin",
}
WORLD = "world"  # link of a URDF that Gazebo does not move
_STATES = ("position", "velocity", "effort")


def gazebo_urdf(robot: Robot, q: np.ndarray, controllers: Path, friction: float) -> str:
    """Return the URDF.

    Args:
        robot: the arm.
        q: where it begins, shape (n,) [rad].
        controllers: parameter file, which is named by its absolute path.
        friction: of the tip [-].

    Raises:
        RobotError: a joint's limit of velocity or torque is not known, or its tool has a cover.
    """
    robot.require("export", "velocity", "torque")
    robot.require_no_cover("export")
    root, links = Element("robot", {"name": robot.name}), _link_names(robot)
    SubElement(root, "link", {"name": WORLD})
    if links[0] != WORLD:
        _add_base(root, links[0])
    for index in range(robot.dof):
        link = _add_link(root, links[index + 1], robot.model.inertias[index + 1])
        _add_joint(root, robot, index, links)
        _add_extension(root, link, robot, index, friction)
    _add_control(root, robot, q)
    plugin = SubElement(SubElement(root, "gazebo"), "plugin", PLUGIN)
    SubElement(plugin, "parameters").text = str(controllers.resolve())
    indent(root)
    return tostring(root, encoding="unicode") + "\n"


def gazebo_controllers(robot: Robot) -> dict[str, Any]:
    """Return the parameters of the controller manager and its controllers, by node."""
    joints = list(robot.joint_names)
    nodes: dict[str, dict[str, Any]] = {
        "controller_manager": {"update_rate": RATE},
        STATES: {"type": "joint_state_broadcaster/JointStateBroadcaster"},
        COMMANDS: {
            "type": "forward_command_controller/ForwardCommandController",
            "joints": joints,
            "interface_name": "effort",
        },
    }
    return {f"/**/{node}": {"ros__parameters": values} for node, values in nodes.items()}


def _link_names(robot: Robot) -> list[str]:
    """Return the base and the link behind each joint, as the robot's own URDF calls them."""
    children = {
        joint.get("name"): child.get("link", "")
        for joint in fromstring(robot.urdf).findall("joint")
        for child in joint.findall("child")
    }
    return [robot.base_frame, *(children[name] for name in robot.joint_names)]


def _add_base(root: Element, name: str) -> None:
    """Add the base, fixed to the world."""
    _add_link(root, name, pin.Inertia(1.0, np.zeros(3), np.eye(3)))  # which does not move
    joint = SubElement(root, "joint", {"name": "world_joint", "type": "fixed"})
    SubElement(joint, "parent", {"link": WORLD})
    SubElement(joint, "child", {"link": name})


def _add_link(root: Element, name: str, inertia: pin.Inertia) -> Element:
    link = SubElement(root, "link", {"name": name})
    own = SubElement(link, "inertial")
    SubElement(own, "origin", {"xyz": numbers(inertia.lever), "rpy": "0 0 0"})
    SubElement(own, "mass", {"value": repr(float(inertia.mass))})
    places = {"ixx": (0, 0), "ixy": (0, 1), "ixz": (0, 2), "iyy": (1, 1), "iyz": (1, 2)}
    moments = {key: repr(float(inertia.inertia[at])) for key, at in places.items()}
    SubElement(own, "inertia", moments | {"izz": repr(float(inertia.inertia[2, 2]))})
    return link


def _add_joint(root: Element, robot: Robot, index: int, links: list[str]) -> None:
    import mujoco  # loads slowly

    kind, axis = joint_axis(robot.model, index + 1)
    limits, place = robot.limits, robot.model.jointPlacements[index + 1]
    turns = "revolute" if kind is mujoco.mjtJoint.mjJNT_HINGE else "prismatic"
    joint = SubElement(root, "joint", {"name": robot.joint_names[index], "type": turns})
    SubElement(joint, "parent", {"link": links[robot.model.parents[index + 1]]})
    SubElement(joint, "child", {"link": links[index + 1]})
    rpy = numbers(pin.rpy.matrixToRpy(place.rotation))
    SubElement(joint, "origin", {"xyz": numbers(place.translation), "rpy": rpy})
    SubElement(joint, "axis", {"xyz": numbers(axis)})
    values = {
        "lower": limits.position_lower,
        "upper": limits.position_upper,
        "velocity": limits.velocity,
        "effort": limits.torque,
    }
    SubElement(joint, "limit", {key: repr(float(each[index])) for key, each in values.items()})
    if friction := joint_friction(robot, index, dry="friction"):
        SubElement(joint, "dynamics", friction)


def _add_extension(root: Element, link: Element, robot: Robot, index: int, friction: float) -> None:
    """Add extensions of a link: no gravity, and the contact point."""
    extension = SubElement(root, "gazebo", {"reference": link.get("name", "")})
    if robot.driver_compensates_gravity:
        SubElement(extension, "turnGravityOff").text = "true"
    frame = robot.model.frames[frame_index(robot.model, robot.contact_frame)]
    if frame.parentJoint == index + 1:
        _add_tip(link, extension, frame.placement.translation, friction)


def _add_tip(link: Element, extension: Element, place: np.ndarray, friction: float) -> None:
    """Add the contact point, which returns all that the wall does."""
    collision = SubElement(link, "collision")  # with a name, sdformat 12 forgets its surface
    SubElement(collision, "origin", {"xyz": numbers(place), "rpy": "0 0 0"})
    SubElement(SubElement(collision, "geometry"), "sphere", {"radius": repr(TIP_RADIUS)})
    for name in ("mu1", "mu2"):
        SubElement(extension, name).text = repr(float(friction))
    surface = SubElement(SubElement(extension, "collision"), "surface")
    bounce = SubElement(surface, "bounce")
    SubElement(bounce, "restitution_coefficient").text = "1.0"
    SubElement(bounce, "threshold").text = "0"


def _add_control(root: Element, robot: Robot, q: np.ndarray) -> None:
    control = SubElement(root, "ros2_control", {"name": "gazebo", "type": "system"})
    SubElement(SubElement(control, "hardware"), "plugin").text = HARDWARE
    for name, start in zip(robot.joint_names, q.tolist(), strict=True):
        joint = SubElement(control, "joint", {"name": name})
        SubElement(joint, "command_interface", {"name": "effort"})
        for interface in _STATES:
            state = SubElement(joint, "state_interface", {"name": interface})
            if interface == "position":
                SubElement(state, "param", {"name": "initial_value"}).text = repr(start)
