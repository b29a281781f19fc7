# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""An arm for ros2_control without hardware: mock_components, which returns commands as states.

For the wiring alone: names, topics, types, rates and the nodes' life cycle. Commanded positions are
reached at once, commanded velocities are integrated; efforts have no effect. There is no contact.
"""

from __future__ import annotations

from typing import Any
from xml.etree.ElementTree import Element, SubElement, indent, tostring

import numpy as np
import yaml

from impact_robots.robot import Robot
from impact_sim.export.mjcf_files import CONTROLLERS, URDF
from impact_sim.export.ros2_control import COMMANDS, RATE, STATES, without_hardware

PLUGIN = "mock_components/GenericSystem"
INTERFACES = {"position": "position", "velocity": "velocity", "torque": "effort"}  # ros2_control's


def mock_files(robot: Robot, q: np.ndarray, interface: str) -> dict[str, str]:
    """Return the robot's description and its controllers, as texts by file name.

    Args:
        robot: the arm.
        q: where it begins, shape (n,) [rad].
        interface: what it is sent, of :data:`INTERFACES`.
    """
    settings = yaml.safe_dump(_controllers(robot, interface), sort_keys=False)
    return {URDF: _description(robot, q, interface), CONTROLLERS: settings}


def _description(robot: Robot, q: np.ndarray, interface: str) -> str:
    """Return the robot's URDF with the mock hardware and its initial states."""
    root = without_hardware(robot.urdf)
    control = SubElement(root, "ros2_control", {"name": "mock", "type": "system"})
    hardware = SubElement(control, "hardware")
    SubElement(hardware, "plugin").text = PLUGIN
    SubElement(hardware, "param", {"name": "calculate_dynamics"}).text = "true"
    for name, start in zip(robot.joint_names, q.tolist(), strict=True):
        joint = SubElement(control, "joint", {"name": name})
        SubElement(joint, "command_interface", {"name": INTERFACES[interface]})
        _add_states(joint, start)
    indent(root)
    return tostring(root, encoding="unicode") + "\n"


def _add_states(joint: Element, start: float) -> None:
    """Add the states, all with an initial value: without one the suite could not read them."""
    for interface, value in (("position", start), ("velocity", 0.0), ("effort", 0.0)):
        state = SubElement(joint, "state_interface", {"name": interface})
        SubElement(state, "param", {"name": "initial_value"}).text = repr(value)


def _controllers(robot: Robot, interface: str) -> dict[str, Any]:
    """Return the parameters of the controller manager and its controllers, by node."""
    nodes: dict[str, dict[str, Any]] = {
        "controller_manager": {"update_rate": RATE},
        STATES: {"type": "joint_state_broadcaster/JointStateBroadcaster"},
        COMMANDS: {
            "type": "forward_command_controller/ForwardCommandController",
            "joints": list(robot.joint_names),
            "interface_name": INTERFACES[interface],
        },
    }
    return {f"/**/{node}": {"ros__parameters": values} for node, values in nodes.items()}
