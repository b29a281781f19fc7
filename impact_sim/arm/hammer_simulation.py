# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""An arm with a tool that strikes, its handle a degree of freedom that no sensor sees."""

from __future__ import annotations

import numpy as np

from impact_predictor.joint_load.load import RigidLaw
from impact_predictor.strike.strike_case import NailCase, StopCase
from impact_robots.robot import Robot
from impact_robots.state.contact_frame import OWN, ContactPoint
from impact_robots.surface import Surface
from impact_robots.tools.hammer import with_hammer
from impact_robots.tools.tool import Tool, ToolCase, with_tool
from impact_sim.arm.loaded_plant import LoadedPlant
from impact_sim.driver.sensors import PANDA_NOISE, Noise
from impact_sim.driver.simulation import Measurement, Simulation
from impact_sim.exceptions import SimulationError
from impact_sim.plant.compliant_wall import CompliantWall


class HammerSimulation(Simulation):
    """Takes commands and gives measurements of the arm's n joints; the plant has the handle, too.

    Attributes:
        plant: of arm and handle; records the load of the first contact since ``forget``.
    """

    plant: LoadedPlant

    def __init__(
        self,
        robot: Robot,
        tool: Tool,
        case: ToolCase,
        wall: CompliantWall,
        *,
        noise: Noise = PANDA_NOISE,
        seed: int = 0,
        contact: ContactPoint = OWN,
    ) -> None:
        """Build arm and tool; call ``reset`` before the first ``step``.

        Args:
            robot: the arm, whose own tool is replaced.
            tool: that strikes.
            case: what it truly is.
            wall: what is struck.
            noise: of the sensors.
            seed: of that noise.
            contact: point of the head that hits; its centre, or one beside.

        Raises:
            RobotError: the robot's YAML lacks fields that a simulation needs.
        """
        hammer = with_hammer(robot, tool, case)
        self._joints, self._arm = robot.dof, with_tool(robot, tool, case.mass)
        self._handle = np.zeros(hammer.dof - robot.dof)
        plant = LoadedPlant(hammer, wall, contact=contact)
        super().__init__(hammer, noise=noise, seed=seed, plant=plant)

    @property
    def arm(self) -> Robot:
        """The arm with its head as fixed: the handle's deflection is not measured."""
        return self._arm

    def reset(self, q: np.ndarray, dq: np.ndarray | None = None) -> Measurement:
        """Put the arm somewhere, the handle at rest; arguments of shape (n,), as of an arm."""
        speed = None if dq is None else np.append(dq, self._handle)
        return super().reset(np.append(q, self._handle), speed)

    def step(self, command: np.ndarray) -> Measurement:
        """Apply joint torques for one cycle, shape (n,) [N.m], as of an arm."""
        return super().step(np.append(command, self._handle))

    def _measure(self, forces: np.ndarray) -> Measurement:
        measured, n = super()._measure(forces), self._joints
        return measured._replace(q=measured.q[:n], dq=measured.dq[:n], tau=measured.tau[:n])


def struck_wall(surface: Surface, case: NailCase | StopCase, speed: float) -> CompliantWall:
    """Return a nail or a stop in the plant, new.

    Args:
        surface: where it is, with its true friction.
        case: what it truly is.
        speed: along the normal, at which a stop has its restitution [m/s].

    Raises:
        SimulationError: the stop does not give at all.
    """
    law = case.law(speed)
    if isinstance(law, RigidLaw):
        raise SimulationError(f"stop: expected a finite stiffness, got {case.stiffness:g} N/m")
    return CompliantWall(surface, law)
