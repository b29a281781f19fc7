# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""An arm whose tool's handle is a joint of its own: the arm that a simulation moves.

The handle slides along the strike. As a flexible joint it has the handle's stiffness and damping,
and a motor too heavy to move.
"""

from __future__ import annotations

from dataclasses import fields, replace
from math import inf, nan

import numpy as np
import pinocchio as pin

from impact_robots.description.joint_ranges import KNOWN_JOINTS
from impact_robots.robot import JointLimits, Robot
from impact_robots.state.contact_frame import contact_rotation
from impact_robots.tools.tool import HEAD_FRAME, Tool, ToolCase, flange_of, with_tool

HANDLE = "strike_handle"  # name of its joint
GROUND = 1e12  # inertia of the handle's other end, which stays where it is [kg]
SMALL = 1e-9  # inertia of the head about its centre: a simulation needs some [kg.m^2]
_ANYWHERE = JointLimits(*np.array([[-inf], *[[inf]] * 6, [nan], [nan]]))


def with_hammer(robot: Robot, tool: Tool, case: ToolCase) -> Robot:
    """Return a robot with one tool of those inside the ranges, in place of its own.

    Its contact frame is at the head's centre, z along the strike. The joint of a handle that gives
    comes last; a rigid tool adds none.

    Args:
        robot: torque-controlled, with stiffness, damping and motor inertia of its joints.
        tool: to be fixed to the flange.
        case: its mass, stiffness and damping.

    Raises:
        RobotError: there is such a tool already.
    """
    if case.stiffness == inf:
        return with_tool(robot, tool, case.mass)
    bare = with_tool(robot, tool, 0.0)
    model = bare.model.copy()
    flange = model.frames[model.getFrameId(flange_of(robot))]
    at_head = flange.placement * pin.SE3(contact_rotation(tool.axis), np.array(tool.head))
    joint = model.addJoint(flange.parentJoint, pin.JointModelPZ(), at_head, HANDLE)
    head = pin.Inertia(case.mass, np.zeros(3), SMALL * np.eye(3))
    model.appendBodyToJoint(joint, head, pin.SE3.Identity())
    model.frames[model.getFrameId(HEAD_FRAME)].parentJoint = joint
    model.frames[model.getFrameId(HEAD_FRAME)].placement = pin.SE3.Identity()
    names = [field.name for field in fields(JointLimits)]
    both = ([getattr(bare.limits, name), getattr(_ANYWHERE, name)] for name in names)
    limits = JointLimits(*map(np.concatenate, both))
    ground, springs = [GROUND], bare.spring_stiffness
    return replace(
        bare,
        model=model,
        joint_names=(*bare.joint_names, HANDLE),
        limits=limits,
        joint_ranges=KNOWN_JOINTS,
        joint_stiffness=np.append(bare.joint_stiffness, case.stiffness),
        joint_damping=np.append(bare.joint_damping, case.damping),
        reflected_motor_inertia=np.append(bare.reflected_motor_inertia, ground),
        apparent_motor_inertia=np.append(bare.apparent_motor_inertia, ground),
        stance=np.append(bare.stance, 0.0),
        spring_stiffness=None if springs is None else np.append(springs, 0.0),
    )
