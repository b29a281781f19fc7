# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""The scenario `hammer_nail`: an arm, a hammer, a nail, and what they truly are."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from math import inf
from pathlib import Path

import numpy as np

from impact_predictor.strike.strike_case import NailCase, StopCase
from impact_predictor.strike.striker import Misalignment
from impact_robots.description.loader import load_robot
from impact_robots.dynamics import ArmDynamics
from impact_robots.robot import Robot
from impact_robots.state.contact_frame import ContactPoint
from impact_robots.surface import Surface
from impact_robots.tools.strike_file import read_target, read_tool
from impact_robots.tools.target import Target
from impact_robots.tools.tool import Tool, ToolCase, with_tool
from impact_sim.arm.hammer_simulation import HammerSimulation, struck_wall
from impact_sim.plant.compliant_wall import CompliantWall

TRUE_TOOL = ToolCase(mass=0.31, stiffness=4.8e4, damping_ratio=0.06)
TRUE_NAIL = NailCase(stiffness=3e6, resistance=200.0)
TRUE_OFF = Misalignment()
FILE = Path(__file__).parent / "hammer_nail.yaml"


@dataclass(frozen=True, eq=False)
class HammerNail:
    """A nail in front of an arm with a hammer: as announced, and as it truly is."""

    robot_name: str = "panda"
    # where the head meets the nail unless the pose is free, the flange downwards [rad]
    q: tuple[float, ...] = (0.2147, 0.0538, -0.2143, -2.3784, 0.0175, 2.4309, -2.356)
    tool: Tool = field(default_factory=partial(read_tool, FILE))  # as announced
    target: Target = field(default_factory=partial(read_target, FILE))  # as announced
    true_tool: ToolCase = TRUE_TOOL
    true_nail: NailCase | StopCase = TRUE_NAIL
    true_friction: float = 0.1
    true_off: Misalignment = TRUE_OFF
    true_joints: np.ndarray | None = None  # over nominal, as of Robot.with_joints; none: nominal

    @cached_property
    def robot(self) -> Robot:
        """The arm, without the tool."""
        return load_robot(self.robot_name)

    @cached_property
    def rigid_tool(self) -> Tool:
        """The same without the give of its handle."""
        return replace(self.tool, stiffness=(inf, inf), damping_ratio=(0.0, 0.0))

    @cached_property
    def place(self) -> np.ndarray:
        """Place of the nail's head before the first strike, base axes, shape (3,) [m]."""
        return ArmDynamics(self.arm).position(np.array(self.q))

    @cached_property
    def direction(self) -> np.ndarray:
        """Of the strike, base axes, shape (3,), unit."""
        return np.array(self._rotation[:, 2])

    @cached_property
    def _rotation(self) -> np.ndarray:
        """Axes of the head where it strikes, to base axes, shape (3, 3)."""
        state = ArmDynamics(self.arm)(np.array(self.q), np.zeros(self.robot.dof))
        return np.array(state.rotation)

    @cached_property
    def arm(self) -> Robot:
        """The arm with the hammer as it is announced, whose head counts as fixed."""
        return with_tool(self.robot, self.tool, self.tool.nominal.mass)

    def surface(self, depth: float) -> Surface:
        """Return the nail's head at a depth [m], as announced."""
        wall, target = self.target.stop, self.target
        assert wall is not None  # of every target of a file
        place = self.place + depth * self.direction
        ranges = target.friction, wall.restitution, wall.stiffness
        return Surface(place, -self.direction, *ranges)

    def wall(self, speed: float = 1.0) -> CompliantWall:
        """Return the true nail, new.

        Args:
            speed: at which a stop has its restitution [m/s].
        """
        off = self.true_off
        place = self.place + self._rotation[:, :2] @ off.offset
        surface = Surface(place, self._rotation @ off.normal, self.true_friction)
        return struck_wall(surface, self.true_nail, speed * off.approach)

    def simulation(self, tool: Tool, seed: int) -> HammerSimulation:
        """Return the true arm and nail, with what one of the two tools truly is.

        Args:
            tool: one of the two.
            seed: of the sensors' noise.

        Raises:
            RobotError: the robot's YAML lacks fields that a simulation needs.
        """
        robot, joints = self.robot, self.true_joints
        if joints is not None:
            robot = robot.with_joints(joints)
        point = ContactPoint(offset=(*self.true_off.offset, 0.0))
        truth, wall = self.truth(tool), self.wall()
        return HammerSimulation(robot, tool, truth, wall, seed=seed, contact=point)

    def truth(self, tool: Tool) -> ToolCase:
        """Return what one of the two tools truly is."""
        if tool.gives:
            return self.true_tool
        return ToolCase(self.true_tool.mass, inf, 0.0)
