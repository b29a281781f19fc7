# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Files of ros2_control beside the MJCF: the robot's description and its controllers.

For the hardware interface of the package ``mujoco_ros2_control``. Its ``effort`` of a joint is what
the actuator gives. The effort of the joint states is instead that of the joint's torque sensor: a
sensor of the joint's name, whose interface the broadcaster maps to it. The wall's sensor is
published as the force on the wall, in base axes.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any
from xml.etree.ElementTree import Element, SubElement, fromstring, indent, tostring

from impact_robots.mujoco_links import joint_axis
from impact_robots.robot import Robot
from impact_sim.exceptions import SimulationError
from impact_sim.export.arm_mjcf import ExportedArm
from impact_sim.export.mjcf import START
from impact_sim.export.wall_mjcf import WALL

PLUGIN = "mujoco_ros2_control/MujocoSystemInterface"
RATE = 1000  # of the controller manager [Hz]
STATES = "joint_state_broadcaster"
FORCE = "wall_force_broadcaster"
COMMANDS = "forward_command_controller"
NOTHING: Mapping[str, str] = MappingProxyType({})
_AXES = tuple(f"{kind}.{axis}" for kind in ("force", "torque") for axis in "xyz")


def robot_description(
    arm: ExportedArm, mjcf: Path, *, wall: bool, hardware: Mapping[str, str] = NOTHING
) -> str:
    """Return the robot's URDF with the hardware interface that loads an MJCF.

    Args:
        arm: whose URDF it is; ros2_control wants the motors of flexible joints in it as well.
        mjcf: the file, which is named by its absolute path.
        wall: whether there is one in it, with its sensor.
        hardware: further parameters of the interface, such as ``headless``.
    """
    robot, root = arm.robot, without_hardware(arm.robot.urdf)
    control = Element("ros2_control", {"name": "mujoco", "type": "system"})
    interface = SubElement(control, "hardware")
    SubElement(interface, "plugin").text = PLUGIN
    own = {"mujoco_model": str(mjcf.resolve()), "initial_keyframe": START}
    for name, value in (own | dict(hardware)).items():
        SubElement(interface, "param", {"name": name}).text = value
    for name, motor in zip(robot.joint_names, arm.motors, strict=True):
        if arm.flexible:
            _add_motor(root, robot, motor)
            _add_joint(control, name)
        SubElement(_add_joint(control, motor), "command_interface", {"name": "effort"})
    for name in (*robot.joint_names, *([WALL] if wall else [])):
        _add_sensor(control, name)
    root.append(control)
    indent(root)
    return tostring(root, encoding="unicode") + "\n"


def without_hardware(urdf: str) -> Element:
    """Return a URDF's root without its own hardware interfaces and Gazebo plugins.

    They are those of the real arm, or of another simulator: two interfaces would claim each joint.
    """
    root = fromstring(urdf)
    for tag in ("ros2_control", "gazebo"):
        for element in root.findall(tag):
            root.remove(element)
    return root


def controllers(arm: ExportedArm, *, wall: bool) -> dict[str, Any]:
    """Return the parameters of the controller manager and its controllers, by node.

    Args:
        arm: whose motors are commanded, and whose links are measured.
        wall: whether there is one, whose force is published.

    Raises:
        SimulationError: some joints turn and some slide.
    """
    sensed = sensed_interface(arm.robot)
    found: dict[str, dict[str, Any]] = {
        "controller_manager": {"update_rate": RATE},
        STATES: {
            "type": "joint_state_broadcaster/JointStateBroadcaster",
            "joints": list(arm.robot.joint_names),
            "interfaces": ["position", "velocity", sensed],
            "map_interface_to_joint_state": {"effort": sensed},
        },
        COMMANDS: {
            "type": "forward_command_controller/ForwardCommandController",
            "joints": list(arm.motors),
            "interface_name": "effort",
        },
    }
    if wall:
        found[FORCE] = {
            "type": "force_torque_sensor_broadcaster/ForceTorqueSensorBroadcaster",
            "sensor_name": WALL,
            "frame_id": arm.robot.base_frame,
        }
    return {f"/**/{node}": {"ros__parameters": values} for node, values in found.items()}


def sensed_interface(robot: Robot) -> str:
    """Return the sensors' interface along the joints' axes.

    Raises:
        SimulationError: some joints turn and some slide: one broadcaster cannot serve both.
    """
    import mujoco  # loads slowly

    kinds = {joint_axis(robot.model, index + 1)[0] for index in range(robot.dof)}
    if len(kinds) > 1:
        raise SimulationError(f"robot {robot.name}: expected joints that all turn or all slide")
    return "torque.z" if kinds == {mujoco.mjtJoint.mjJNT_HINGE} else "force.z"


def _add_joint(control: Element, name: str) -> Element:
    """Add a joint with its states."""
    joint = SubElement(control, "joint", {"name": name})
    for interface in ("position", "velocity", "effort"):
        SubElement(joint, "state_interface", {"name": interface})
    return joint


def _add_sensor(control: Element, name: str) -> None:
    """Add a force and torque sensor, called as in the MJCF."""
    sensor = SubElement(control, "sensor", {"name": name})
    for key, value in (("mujoco_type", "fts"), ("mujoco_sensor_name", name)):
        SubElement(sensor, "param", {"name": key}).text = value
    for interface in _AXES:
        SubElement(sensor, "state_interface", {"name": interface})


def _add_motor(root: Element, robot: Robot, motor: str) -> None:
    """Add a motor to a URDF, which is a joint that carries nothing."""
    SubElement(root, "link", {"name": f"{motor}_rotor"})
    joint = SubElement(root, "joint", {"name": motor, "type": "continuous"})
    SubElement(joint, "parent", {"link": robot.base_frame})
    SubElement(joint, "child", {"link": f"{motor}_rotor"})
    SubElement(joint, "axis", {"xyz": "0 0 1"})
