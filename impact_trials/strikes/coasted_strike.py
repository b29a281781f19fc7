# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""One strike of the moving arm from the instant of contact on, without any controller."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from impact_predictor.strike.effect import FOLLOWED
from impact_predictor.strike.strike_case import NailCase, StopCase, StrikeCase
from impact_predictor.strike.striker import Striker
from impact_robots import ArmDynamics, ContactPoint, Robot, Surface
from impact_robots.tools.hammer import with_hammer
from impact_robots.tools.tool import HEAD_FRAME, Tool
from impact_sim.arm.direct_run import direct_run
from impact_sim.arm.hammer_simulation import struck_wall
from impact_sim.arm.loaded_plant import LoadedPlant
from impact_sim.arm.passive_impact import GAP, gravity_compensation
from impact_trials.strikes.strike_bench import true_use


class CoastedStrike(NamedTuple):
    """What a strike came to."""

    loads: np.ndarray  # largest fraction of a limit of each joint's torque, shape (n,) [-]
    velocities: np.ndarray  # of each joint's velocity limit, from contact on, shape (n,) [-]
    depth: float  # by which the nail was driven [m]
    work: float  # that drove it [J]

    @property
    def used(self) -> float:
        """Largest fraction of a limit of the joints' torques [-]."""
        return float(self.loads.max())


class CoastingArm:
    """The plant of one true arm and tool, which strikes at one configuration."""

    def __init__(self, robot: Robot, tool: Tool, q: np.ndarray, case: StrikeCase) -> None:
        """Build it.

        Args:
            robot: the arm, whose own tool is replaced.
            tool: as announced.
            q: joint positions at contact, shape (n,) [rad].
            case: what tool, errors, friction and joints truly are.

        Raises:
            RobotError: the robot's YAML lacks fields that a simulation needs.
        """
        self._case, self._striker = case, Striker(robot, tool, q)
        true = robot if case.scale is None else robot.with_joints(case.scale)
        hammer = with_hammer(true, tool, case.tool)
        self._point = ContactPoint(offset=(*case.off.offset, 0.0))
        self._plant = LoadedPlant(hammer, contact=self._point)
        self._plant.window = self._striker.window
        self._handle = np.zeros(hammer.dof - robot.dof)
        self._q = np.append(q, self._handle)

    def strike(
        self, surface: NailCase | StopCase, speed: float, dq: np.ndarray | None = None
    ) -> CoastedStrike:
        """Strike a surface at the head, with gravity compensation alone.

        Args:
            surface: that is struck, new or driven to its depth.
            speed: of the head along its axis [m/s].
            dq: joint velocities of it, shape (n,) [rad/s]; none: the least that do not turn the
                head.

        Raises:
            SimulationError: the head does not reach the surface.
        """
        plant, striker, off = self._plant, self._striker, self._case.off
        state = ArmDynamics(plant.robot).state(self._q, np.zeros(len(self._q)))
        normal = state.at(HEAD_FRAME).rotation @ off.normal
        at = Surface(state.at(*self._point).position, normal, self._case.friction).moved(-GAP)
        plant.wall = struck_wall(at, surface, speed * off.approach)
        if dq is None:
            J = striker.point(self._case.tool.mass).J
            dq = np.linalg.pinv(J) @ np.append(speed * striker.direction, np.zeros(3))
        plant.reset(self._q, np.append(dq, self._handle))
        run = direct_run(plant, gravity_compensation, after_contact=FOLLOWED)
        after = np.abs(run.dq[run.t >= run.contact_start.time, : striker.robot.dof])
        velocities = np.nan_to_num(after.max(axis=0) / striker.robot.limits.velocity)
        loads, depth = true_use(plant, striker), plant.wall_motion[0]
        if isinstance(surface, StopCase):
            return CoastedStrike(loads, velocities, 0.0, 0.0)
        return CoastedStrike(loads, velocities, depth, surface.law().work(depth))
