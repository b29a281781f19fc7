# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
r"""An arm with a tool at one configuration, as a flexible-joint arm with one coordinate more.

That is the deflection s of the handle: :math:`J_8 = [J_{head}, b]`,
:math:`M_8 = \mathrm{diag}(M_{arm}, 0) + m_h J_8^T J_8`, and its spring
:math:`-k_h s - 2\zeta\sqrt{k_h m_h}\,\dot s`. The same integration serves.
"""

from __future__ import annotations

from math import inf, tan
from typing import NamedTuple

import numpy as np

from impact_predictor.joint_load.drive import MEASURED
from impact_predictor.joint_load.elastic_arm import ElasticArm, elastic_arm
from impact_predictor.joint_load.load import JointLoad, LoadContact, RigidLaw, window
from impact_predictor.joint_load.load_limits import LoadLimits, load_limits
from impact_robots.dynamics import ArmDynamics
from impact_robots.robot import Robot
from impact_robots.state.contact_frame import contact_rotation
from impact_robots.state.state import PointState
from impact_robots.tools.tool import Tool, ToolCase, with_tool

GROUND = 1e12  # inertia of the handle's other end, a coordinate that stays where it is [kg]


class Misalignment(NamedTuple):
    """How the head meets the surface; axes x and y of the head's frame; zero: as intended."""

    offset: tuple[float, float] = (0.0, 0.0)  # of the contact from the head's centre [m]
    tilt: tuple[float, float] = (0.0, 0.0)  # of the normal from the axis, along x and y [rad]

    @property
    def normal(self) -> np.ndarray:
        """Of the surface, in the head's axes, towards it, shape (3,), unit."""
        against = np.array([*map(tan, self.tilt), -1.0])
        return against / np.linalg.norm(against)

    @property
    def opposite(self) -> Misalignment:
        """The same to the other side."""
        (x, y), (a, b) = self
        return Misalignment((-x, -y), (-a, -b))

    @property
    def approach(self) -> float:
        """Speed along the normal over that along the axis [-]."""
        return float(-self.normal[2])


class Striker:
    """Arms with a tool and contacts of its head, for many cases at one configuration.

    Attributes:
        tool: that strikes.
        direction: of the strike, the tool's axis, base axes, shape (3,), unit.
    """

    def __init__(self, robot: Robot, tool: Tool, q: np.ndarray, drive: str = MEASURED) -> None:
        """Set up.

        Args:
            robot: the arm, whose own tool is replaced.
            tool: that strikes.
            q: joint positions at the contact, shape (n,) [rad].
            drive: of the motors, see :func:`~impact_predictor.joint_load.elastic_arm.elastic_arm`.

        Raises:
            PredictionError: the robot's YAML lacks stiffness, damping or inertia of its joints.
        """
        self.robot, self.tool, self.q = robot, tool, np.array(q, dtype=float)
        self._drive = drive
        self._points: dict[float, PointState] = {}
        self._arms: dict[ToolCase, ElasticArm] = {}
        self._contacts: dict[tuple[ToolCase, Misalignment], LoadContact] = {}
        self._limits: dict[float, LoadLimits] = {}
        self.direction = self.point(tool.nominal.mass).rotation[:, 2]
        self.arm(tool.nominal)

    def point(self, mass: float) -> PointState:
        """Return the state at rest at the head's centre, with a head of such a mass [kg]."""
        if mass not in self._points:
            robot = with_tool(self.robot, self.tool, mass)
            self._points[mass] = ArmDynamics(robot)(self.q, np.zeros(robot.dof))
        return self._points[mass]

    def arm(self, case: ToolCase, scale: np.ndarray | None = None) -> ElasticArm:
        """Return the arm with a tool.

        Args:
            case: the tool.
            scale: of stiffness, damping and motor inertia of the joints, shape (3, n) [-]; none: as
                in the robot's YAML.
        """
        if case not in self._arms:
            point = self.point(case.mass)
            arm = elastic_arm(self.robot, point.robot_state, self._drive, covered=True)
            self._arms[case] = arm if case.stiffness == inf else _with_handle(arm, point, case)
        arm = self._arms[case]
        if scale is None:
            return arm
        joints = np.ones((3, len(arm.stiffness)))
        joints[:, : scale.shape[1]] = scale
        return arm.scaled(joints)

    def contact(self, case: ToolCase, off: Misalignment) -> LoadContact:
        """Return the head's contact at 1 m/s along the axis, with no friction and a rigid surface.

        Args:
            case: the tool.
            off: where and how it hits.
        """
        key = case, off
        if key not in self._contacts:
            self._contacts[key] = self._contact(case, off)
        return self._contacts[key]

    def _contact(self, case: ToolCase, off: Misalignment) -> LoadContact:
        point = self.point(case.mass)
        place = point.beside([*off.offset, 0.0]) if any(off.offset) else point
        rotation = contact_rotation(point.rotation @ off.normal)
        J = place.J[:3]
        if case.stiffness < inf:
            J = np.column_stack([J, self.direction])
        return LoadContact(rotation.T @ J, rotation.T @ self.direction, RigidLaw(0.0), 0.0)

    def limits(self, mass: float) -> LoadLimits:
        """Return the limits of the joints' loads, gravity with a head of such a mass included."""
        if mass not in self._limits:
            self._limits[mass] = load_limits(self.robot, self.point(mass).g)
        return self._limits[mass]

    def joints_of(self, load: JointLoad) -> JointLoad:
        """Return a load without the handle's."""
        n = self.robot.dof
        return load._replace(
            highest=load.highest[:n],
            lowest=load.lowest[:n],
            highest_time=load.highest_time[:n],
            lowest_time=load.lowest_time[:n],
        )

    @property
    def mass(self) -> float:
        """Mass behind the head along the axis, arm and apparent motor inertias [kg]."""
        point = self.point(self.tool.nominal.mass)
        j = self.direction @ point.J[:3]
        M = point.robot_state.inertia(self.robot.apparent_motor_inertia)
        return float(1.0 / (j @ np.linalg.solve(M, j)))

    @property
    def window(self) -> float:
        r"""Time within which loads count, :math:`0.6\pi\sqrt{m/k_h}`, at least 30 ms [s]."""
        softest = self.tool.stiffness[0]
        return window(self.mass, softest)


def _with_handle(arm: ElasticArm, point: PointState, case: ToolCase) -> ElasticArm:
    """Return an arm whose head is on a handle; the mass matrix of the point includes the head."""
    b = point.rotation[:, 2]
    coupling = case.mass * (b @ point.J[:3])
    M = np.block([[point.M, coupling[:, None]], [coupling[None], np.array([[case.mass]])]])
    more = {
        "stiffness": case.stiffness,
        "damping": case.damping,
        "motor_inertia": GROUND,
        "ratio": 1.0,
    }
    grown = {
        name: np.append(getattr(arm, name), more.get(name, 0.0))
        for name in arm._fields
        if name not in ("M_inverse", "share")
    }
    return ElasticArm(M_inverse=np.ascontiguousarray(np.linalg.inv(M)), share=arm.share, **grown)
