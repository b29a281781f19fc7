# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""A tool that strikes: a head, perhaps on a handle that gives along the strike, and an adapter."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import product
from math import inf, sqrt
from typing import NamedTuple

import numpy as np
import pinocchio as pin

from impact_robots.description.payload import carrying
from impact_robots.exceptions import RobotError
from impact_robots.robot import Robot
from impact_robots.state.contact_frame import contact_rotation
from impact_robots.surface import middle

Range = tuple[float, float]
Vector = tuple[float, float, float]
HEAD_FRAME = "strike_head"  # origin at the head's centre, z along the strike


class ToolCase(NamedTuple):
    """A tool inside its ranges."""

    mass: float  # of the head [kg]
    stiffness: float  # of the handle along the strike, infinite: rigid [N/m]
    damping_ratio: float  # of the head on the handle [-]

    @property
    def damping(self) -> float:
        """Damping of the handle, 0 if it is rigid [N.s/m]."""
        if self.stiffness == inf:
            return 0.0
        return 2.0 * self.damping_ratio * sqrt(self.stiffness * self.mass)


@dataclass(frozen=True)
class Tool:
    """A tool; axes of the flange, the frame that the robot's own tool is fixed to.

    Head and adapter are point masses; the handle gives along the axis only.
    """

    head: Vector  # centre of the head [m]
    axis: Vector  # of the strike, unit
    mass: Range  # of the head [kg]
    stiffness: Range = (inf, inf)  # of the handle along the axis; infinite: rigid [N/m]
    damping_ratio: Range = (0.05, 0.05)  # of the head on the handle [-]
    adapter_mass: float = 0.0  # what stays with the flange [kg]
    adapter: Vector = (0.0, 0.0, 0.0)  # its centre [m]
    off_centre: float = 0.0  # farthest of a hit from the axis through the head's centre [m]
    off_angle: float = 0.0  # largest between the axis and the surface's normal [rad]
    give_way: bool = False  # the motors do as well, from the detected contact on
    mount: float = 0.0  # farthest that the head may be mounted to a side, across the axis [m]

    @property
    def gives(self) -> bool:
        """Whether the handle is a spring."""
        return self.stiffness[1] < inf

    @property
    def nominal(self) -> ToolCase:
        """The middle of the ranges."""
        return ToolCase(*map(middle, (self.mass, self.stiffness, self.damping_ratio)))

    def mounted(self, beside: tuple[float, float]) -> Tool:
        """Return the tool with its head mounted beside, in the head's axes x and y [m]."""
        moved = np.array(self.head) + contact_rotation(self.axis)[:, :2] @ np.array(beside)
        return replace(self, head=tuple(moved.tolist()), mount=0.0)

    def corners(self) -> list[ToolCase]:
        """Return the ends of all ranges in all combinations."""
        damping = self.damping_ratio if self.gives else self.damping_ratio[:1]
        ends = (sorted(set(each)) for each in (self.mass, self.stiffness, damping))
        return [ToolCase(*each) for each in product(*ends)]


def flange_of(robot: Robot) -> str:
    """Return the frame that a tool is fixed to."""
    return robot.contact_frame if robot.tool is None else robot.tool.flange


def with_tool(robot: Robot, tool: Tool, mass: float) -> Robot:
    """Return a robot with a tool in place of its own and of what it carries.

    Its contact frame is at the head's centre, z along the strike.

    Args:
        robot: any.
        tool: to be fixed to the flange.
        mass: of the head, which counts as fixed to the flange [kg].

    Raises:
        RobotError: there is such a tool already.
    """
    bare = carrying(robot, 0.0)
    model = bare.model.copy()
    if model.existFrame(HEAD_FRAME):
        raise RobotError(f"robot {robot.name}: expected one without a tool that strikes")
    index = model.getFrameId(flange_of(robot))
    flange = model.frames[index]
    link = model.inertias[flange.parentJoint]
    if bare.tool is not None:
        own = bare.tool.inertia.toDynamicParameters()
        link = pin.Inertia.FromDynamicParameters(link.toDynamicParameters() - own)
    for weight, place in ((mass, tool.head), (tool.adapter_mass, tool.adapter)):
        link += pin.Inertia(weight, flange.placement.act(np.array(place)), np.zeros((3, 3)))
    model.inertias[flange.parentJoint] = link
    at_head = flange.placement * pin.SE3(contact_rotation(tool.axis), np.array(tool.head))
    model.addFrame(pin.Frame(HEAD_FRAME, flange.parentJoint, index, at_head, pin.OP_FRAME))
    return replace(bare, model=model, contact_frame=HEAD_FRAME)
