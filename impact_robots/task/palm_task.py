# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""A grab of boxes between the palms of a humanoid: the motion, and the known data of the boxes.

The true boxes and their positions are in a scenario of ``impact_sim``.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any

import numpy as np
import pinocchio as pin

from impact_robots.entry import entry
from impact_robots.exceptions import TaskError
from impact_robots.robot import Robot
from impact_robots.task.stance import Stance, StanceSolver

LIMITS_OF_GRABS = ("unaware", "nominal", "existential", "robust", "joint_load")
COMMANDS_OF_GRABS = ("position", "torque")  # to the joints
FORWARD = np.array([[0.0, 0.0, -1.0], [0.0, 1.0, 0.0], [1.0, 0.0, 0.0]])  # axes of wrists
PALMS, SOLES = ("left_palm", "right_palm"), ("left_sole", "right_sole")
PALM_HALF = (0.03, 0.03)  # half edges of a palm's face; no source gives them [m]
PERIOD = 0.005  # of a cycle, as of HRP-4's control (Wang et al. 2023, 6.2.1) [s]


@dataclass(frozen=True)
class PalmTask:
    """What the robot is to do with which boxes; see palm_tasks.yaml for the units."""

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
    half_width: Annotated[float, entry("Of the box between the palms", unit="m", above=0.0)]
    box_edges: Annotated[tuple[float, float], entry("Along x and z", unit="m", above=0.0)]
    box_masses: Annotated[tuple[float, ...], entry("Of the boxes", unit="kg", above=0.0)]
    friction: float
    friction_range: tuple[float, float] | None
    restitution: tuple[float, float]
    stiffness: tuple[float, float]
    reference_speed: Annotated[float, entry("Of each palm", unit="m/s", above=0.0)]
    reference_ramp: Annotated[float, entry("Of that speed", unit="m/s^2", above=0.0)]
    run_up: Annotated[float, entry("Of each palm to the box", unit="m", above=0.0)]
    detection_force: float
    clamp_delay: float
    grip_force: Annotated[float, entry("Of each palm", unit="N", above=0.0)]
    lift: float
    toss_yaw: float
    toss_speed: float
    tosses: bool
    impact_limits: Annotated[str, entry("That the palms keep", choices=LIMITS_OF_GRABS)]
    interface: Annotated[str, entry("Of the joints", choices=COMMANDS_OF_GRABS)]

    @property
    def box_size(self) -> tuple[float, float, float]:
        """Edges of the boxes along x, y and z [m]."""
        return self.box_edges[0], 2.0 * self.half_width, self.box_edges[1]

    @property
    def box_position(self) -> np.ndarray:
        """Where a box's middle is expected, shape (3,) [m]."""
        return np.array([self.palm_x, 0.0, self.palm_z])

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
        """Return inverse kinematics that goes back to the task's posture.

        Raises:
            TaskError: the robot has no palms or soles, or not the joints of the posture.
        """
        known = {each.name for each in robot.contacts}
        if missing := [name for name in (*PALMS, *SOLES) if name not in known]:
            got = ", ".join(missing)
            raise TaskError(f"{self.name}: {robot.name}: contacts missing in its YAML: {got}")
        for each in robot.contacts:
            palm, point = each.name in PALMS, each.half_extents is None
            if palm != point and (palm or each.name in SOLES):
                expected = "no half_extents" if palm else "half_extents"
                raise TaskError(
                    f"{self.name}: {robot.name}: contacts: {each.name}: expected {expected}"
                )
        robot.require("a grab", "stance")
        q = robot.positions(robot.stance)
        height, pitch = self.base
        q[2:7] = height, 0.0, np.sin(pitch / 2.0), 0.0, np.cos(pitch / 2.0)
        for name, angle in self.posture.items():
            if name not in robot.joint_names:
                raise TaskError(
                    f"{self.name}: posture: expected joints of {robot.name}, got {name!r}"
                )
            q[7 + robot.joint_names.index(name)] = angle
        return StanceSolver(robot, q)

    def grabbing(self, robot: Robot, palms_apart: float | None = None) -> np.ndarray:
        """Return a position with palms beside the box, shape (7 + n,).

        Args:
            robot: of the task.
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
