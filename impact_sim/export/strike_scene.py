# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""A tool in front of a nail or a stop, for other simulators."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from math import inf

import numpy as np

from impact_predictor.contact_force.linear_contact import LinearContact, linear_contact
from impact_predictor.inertia.inverse_inertia import effective_mass, generalized_momentum
from impact_predictor.joint_load.load_case import viscoelastic
from impact_predictor.strike.strike_case import NailCase, StopCase
from impact_robots.dynamics import ArmDynamics
from impact_robots.kinematics import inverse_kinematics
from impact_robots.robot import Robot
from impact_robots.surface import Surface
from impact_robots.tools.tool import Tool, ToolCase, with_tool
from impact_sim.export.arm_mjcf import ExportedArm
from impact_sim.export.wall_mjcf import ExportedWall

RUN_UP = 0.1  # of the head before its target [m]


@dataclass(frozen=True)
class StrikeScene:
    """What an arm strikes, with what, and where."""

    robot: Robot  # whose own tool is replaced
    tool: Tool
    case: ToolCase  # what the tool is
    target: NailCase | StopCase
    q: np.ndarray  # joint positions where the head meets it, shape (n,) [rad]
    friction: float = 0.0  # Coulomb's coefficient [-]

    @cached_property
    def holding(self) -> Robot:
        """The arm with the tool, whose head counts as fixed."""
        return with_tool(self.robot, self.tool, self.case.mass)

    @cached_property
    def direction(self) -> np.ndarray:
        """Of the strike, base axes, shape (3,), unit."""
        state = ArmDynamics(self.holding)(self.q, np.zeros(self.robot.dof))
        return np.array(state.rotation[:, 2])

    def arm(self, *, flexible: bool, torque_loop: bool) -> ExportedArm:
        """Return the arm with the tool; arguments as of :class:`ExportedArm`.

        Raises:
            RobotError: the robot's YAML lacks what an export needs, or it has such a tool already.
        """
        if self.case.stiffness == inf:
            return ExportedArm(self.holding, flexible, torque_loop)
        headless = with_tool(self.robot, self.tool, 0.0)
        return ExportedArm(headless, flexible, torque_loop, self.case)

    def start(self) -> np.ndarray:
        """Return joint positions before the target, shape (n,) [rad].

        Raises:
            RobotError: out of reach.
        """
        return inverse_kinematics(self.holding, self.q, -RUN_UP * self.direction)

    def wall(self, arm: ExportedArm, speed: float) -> ExportedWall:
        """Return what is struck.

        Args:
            arm: of :meth:`arm`.
            speed: of the strike, at which a stop has its restitution [m/s].

        Raises:
            OutOfRangeError: the speed is not positive.
        """
        place, normal = ArmDynamics(self.holding).position(self.q), -self.direction
        surface, mass = Surface(place, normal, self.friction), self._mass(arm)
        nail = None
        if isinstance(self.target, NailCase):
            nail, contact = self.target.law(), LinearContact(self.target.stiffness, 0.0)
        else:
            law = viscoelastic(*self.target, speed)
            contact = linear_contact(law, mass, speed)
        return ExportedWall(surface, contact, float(np.sqrt(mass / contact.stiffness)), nail)

    def _mass(self, arm: ExportedArm) -> float:
        """Return the mass that meets the surface: of the head, or of the arm behind it [kg]."""
        if self.case.stiffness < inf:
            return self.case.mass
        state = ArmDynamics(self.holding)(self.q, np.zeros(self.robot.dof))
        return effective_mass(generalized_momentum(state, state.rotation, arm.motor_inertia))
