# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Description of a robot: kinematics, inertia, limits, motors and contact point, one YAML each."""

from impact_robots.description.floating_base import floating_position, floating_velocity
from impact_robots.description.loader import available_robots, load_robot, robot_of
from impact_robots.description.loops import LoopJoint, loop_errors, loop_jacobian
from impact_robots.description.named_contact import NamedContact
from impact_robots.description.urdf_robot import robot_from_urdf
from impact_robots.dynamics import ArmDynamics, ArmStates, ContactDynamics
from impact_robots.exceptions import ImpactError, OutOfRangeError, RobotError
from impact_robots.robot import JointLimits, Robot
from impact_robots.state.composite import COMPOSITES
from impact_robots.state.contact_frame import ContactPoint, contact_rotation
from impact_robots.state.state import PointState, RobotState
from impact_robots.surface import Surface

__all__ = [
    "COMPOSITES",
    "ArmDynamics",
    "ArmStates",
    "ContactDynamics",
    "ContactPoint",
    "ImpactError",
    "JointLimits",
    "LoopJoint",
    "NamedContact",
    "OutOfRangeError",
    "PointState",
    "Robot",
    "RobotError",
    "RobotState",
    "Surface",
    "available_robots",
    "contact_rotation",
    "floating_position",
    "floating_velocity",
    "load_robot",
    "loop_errors",
    "loop_jacobian",
    "robot_from_urdf",
    "robot_of",
]
