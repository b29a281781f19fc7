# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""One experiment in which a humanoid grabs boxes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pinocchio as pin

from impact_robots.robot import Robot
from impact_sim.cell.layout import Support
from impact_sim.exceptions import ScenarioError
from impact_sim.humanoid.layout import HumanoidLayout, Ramp, SpringFace, WeightedBox
from impact_sim.humanoid.posing import Stance, StanceSolver
from impact_sim.humanoid.servos import default_servos

LIMITS_OF_GRABS = ("unaware", "nominal", "existential", "robust")
PARKED = (-1.5, 0.0)  # where boxes wait, on the floor behind the robot [m]
STREAM = 1  # of the random numbers of a seed, as of the other scenarios' variation
FORWARD = np.array([[0.0, 0.0, -1.0], [0.0, 1.0, 0.0], [1.0, 0.0, 0.0]])  # axes of wrists


@dataclass(frozen=True)
class GrabScenario:
    """What stands before the robot, and what it is to do; see grabs.yaml for the units."""

    name: str
    title: str
    note: str
    robot: str
    posture: dict[str, Any]
    base: tuple[float, float]
    sole: tuple[float, float]
    com_x: float
    palm_x: float
    palm_z: float
    half_width: float
    box_edges: tuple[float, float]
    box_masses: tuple[float, ...]
    box_offset: tuple[float, float, float]
    box_yaw: float
    box_com: tuple[float, float, float]
    variation: dict[str, Any]
    pedestal_half: tuple[float, float]
    friction: float
    restitution: tuple[float, float]
    floor_friction: float
    contact_stiffness: float
    contact_damping: float
    reference_speed: float
    reference_ramp: float
    run_up: float
    detection_force: float
    clamp_delay: float
    grip_force: float
    lift: float
    toss_yaw: float
    toss_speed: float
    tosses: bool
    ramp: tuple[float, float, float]
    impact_limits: str

    @property
    def box_size(self) -> tuple[float, float, float]:
        """Edges of the boxes along x, y and z [m]."""
        return self.box_edges[0], 2.0 * self.half_width, self.box_edges[1]

    @property
    def box_position(self) -> np.ndarray:
        """Where a box's middle is expected, shape (3,) [m]."""
        return np.array([self.palm_x, 0.0, self.palm_z])

    def drawn(self, seed: int) -> tuple[np.ndarray, float]:
        """Return where a trial's boxes really stand, shape (3,) [m], and how they are turned [rad].

        Uniform within ``variation`` about the offset that the scenario says.
        """
        rng = np.random.default_rng([seed, STREAM])
        most = np.array(self.variation.get("box", (0.0, 0.0, 0.0)), dtype=float)
        turn = float(self.variation.get("yaw", 0.0)) * rng.uniform(-1.0, 1.0)
        shift = most * rng.uniform(-1.0, 1.0, 3)
        return self.box_position + np.array(self.box_offset) + shift, self.box_yaw + turn

    def stance(self, palms_apart: float) -> Stance:
        """Return the stance with palms flat beside the box.

        Args:
            palms_apart: of the palms' points, half of it [m].
        """
        x, y = self.sole
        places = {
            "left_sole": pin.SE3(np.eye(3), np.array([x, y, 0.0])),
            "right_sole": pin.SE3(np.eye(3), np.array([x, -y, 0.0])),
        }
        for palm, side in (("left_palm", 1.0), ("right_palm", -1.0)):
            at = np.array([self.palm_x, side * palms_apart, self.palm_z])
            places[palm] = pin.SE3(FORWARD, at)
        return Stance(places, np.array([self.com_x, 0.0]))

    def solver(self, robot: Robot) -> StanceSolver:
        """Return inverse kinematics that goes back to the scenario's posture.

        Raises:
            ScenarioError: the posture is of joints that the robot has not.
        """
        q = robot.positions(robot.stance)
        height, pitch = self.base
        q[2:7] = height, 0.0, np.sin(pitch / 2.0), 0.0, np.cos(pitch / 2.0)
        for name, angle in self.posture.items():
            if name not in robot.joint_names:
                raise ScenarioError(
                    f"{self.name}: posture: expected joints of {robot.name}, got {name!r}"
                )
            q[7 + robot.joint_names.index(name)] = angle
        return StanceSolver(robot, q)

    def grabbing(self, robot: Robot, palms_apart: float | None = None) -> np.ndarray:
        """Return a position with palms beside the box, shape (7 + n,).

        Args:
            robot: of the scenario.
            palms_apart: as of :meth:`stance`; none: at the box.

        Raises:
            RobotError: it is out of reach.
        """
        solver = self.solver(robot)
        apart = self.half_width if palms_apart is None else palms_apart
        return solver.solve(solver.posture, self.stance(apart))

    def start(self, robot: Robot) -> np.ndarray:
        """Return where the robot begins, shape (7 + n,): palms ``run_up`` off the box.

        Raises:
            RobotError: it is out of reach.
        """
        return self.grabbing(robot, self.half_width + self.run_up)

    def layout(self, robot: Robot, seed: int = 0) -> HumanoidLayout:
        """Return the robot and what stands about it; all boxes but the first wait behind it.

        Args:
            robot: of the scenario.
            seed: of what varies from trial to trial.

        Raises:
            SimulationError: a number that no plant has.
        """
        at, yaw = self.drawn(seed)
        parked = [np.array([*PARKED, self.box_size[2] / 2.0]) for _ in self.box_masses[1:]]
        for number, place in enumerate(parked):
            place[0] -= 2.0 * number * self.box_size[0]
        places = [(tuple(at.tolist()), yaw), *((tuple(p.tolist()), 0.0) for p in parked)]
        top = self.palm_z - self.box_size[2] / 2.0
        return HumanoidLayout(
            robot,
            default_servos(robot),
            tuple(
                WeightedBox(self.box_size, mass, place, turn, self.box_com)
                for mass, (place, turn) in zip(self.box_masses, places, strict=True)
            ),
            Support(top, self.pedestal_half, (self.palm_x, 0.0)),
            self._ramp(),
            palm_contact=SpringFace(self.friction, self.contact_stiffness, self.contact_damping),
            floor_contact=SpringFace(self.floor_friction, 3e5, 3e3),
        )

    def _ramp(self) -> Ramp:
        """Return the ramp, in the direction of the toss."""
        distance, height, slope = self.ramp
        direction = np.array([np.cos(self.toss_yaw), np.sin(self.toss_yaw)])
        middle = *(distance * direction).tolist(), self.palm_z + height
        return Ramp(middle, heading=self.toss_yaw, slope=slope)
