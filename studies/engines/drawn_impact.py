# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Drawn pushes and grabs of a box by arms with flat plates, near the scenarios ``rs_*``."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from impact_predictor.multicontact.bodies import ArmBody, FreeBody, box
from impact_predictor.multicontact.contacts import face_points
from impact_predictor.multicontact.object_impact import Footing, Plate
from impact_predictor.prediction.predict import motor_inertia
from impact_robots import ArmDynamics, contact_rotation
from impact_robots.cell import turned
from impact_robots.exceptions import RobotError, TaskError
from impact_robots.task.box_file import BOX_TASKS, box_task_of, load_box_task
from impact_robots.task.box_task import BoxTask

STREAM = 53  # of random numbers
INERTIA = "M+B_theta"
KINDS = ("push", "grab")  # in turns
SIZES, HEIGHT, LEAST_HEIGHT = (0.9, 1.3), 2, 0.18  # of edges, times the task's; axis; [m]
MASSES = (0.3, 5.0)  # of the box, logarithmically [kg]
FRICTION, SUPPORT_FRICTION = (0.2, 1.0), (0.1, 0.6)
YAW, FIRST_JOINT = 0.15, 0.15  # at most, beside the task's [rad]
SPEEDS, RISE = (0.2, 0.8), 0.5  # of plates into the box [m/s]; along it, at most, times that
SPIN = 0.5  # of a plate about each axis, at most [rad/s]
EDGE = 0.01  # from a plate's corner to the face's edge, at least [m]
SUPPORTED = {"push": 0.75, "grab": 0.5}  # chance that the box stands on something
_TRIES = 50


@dataclass(frozen=True)
class DrawnImpact:
    """One push or grab right before its impact: every corner touches, nothing penetrates."""

    number: int
    task: BoxTask  # cell, robots, poses; its velocities are not these
    dq: tuple[np.ndarray, ...]  # of each arm right before, shape (n,) [rad/s]
    body: FreeBody  # the box, at rest
    friction: float  # of the plates [-]
    support: Footing | None

    @property
    def size(self) -> np.ndarray:
        """Return the edges of the box, along its axes, shape (3,) [m]."""
        return np.array(self.task.box_size)

    @cached_property
    def plates(self) -> dict[str, Plate]:
        """Return the plates by the arms' names."""
        found = {}
        for arm, name in enumerate(self.task.arm_names):
            robot = self.task.robots[arm]
            state = ArmDynamics(robot)(np.array(self.task.q_impact[arm]), self.dq[arm])
            body = ArmBody(state, motor_inertia(robot, INERTIA), self.task.bases[arm])
            found[name] = Plate(body, np.array(self.task.plate) / 2.0, self.friction)
        return found

    @property
    def corners(self) -> dict[str, np.ndarray]:
        """Return the corners of each plate, in the world, shape (4, 3) [m]."""
        return {
            name: face_points(plate.center, plate.axes, plate.half_extents)
            for name, plate in self.plates.items()
        }

    @property
    def feet(self) -> np.ndarray:
        """Return the points on which the box stands, in the world, shape (4, 3) or (0, 3) [m]."""
        return np.zeros((0, 3)) if self.support is None else np.asarray(self.support.points)


def drawn_impact(seed: int, number: int) -> DrawnImpact:
    """Draw a push (even numbers) or a grab (odd ones).

    Raises:
        RobotError: no pose within the joints' limits was found.
    """
    random = np.random.default_rng([seed, STREAM, number])
    kind = KINDS[number % len(KINDS)]
    names = [each for each in BOX_TASKS.names() if each.startswith(f"rs_{kind}_")]
    for _ in range(_TRIES):
        like = names[int(random.integers(len(names)))]
        try:
            return _drawn(random, load_box_task(like), number)
        except (RobotError, TaskError):
            continue  # an arm cannot be there
    raise RobotError(f"pose: none found for impact {number}")


def _drawn(random: np.random.Generator, base: BoxTask, number: int) -> DrawnImpact:
    """Draw an impact near that of a task."""
    size = np.array(base.box_size) * random.uniform(*SIZES, 3)
    size[HEIGHT] = max(size[HEIGHT], LEAST_HEIGHT)
    yaw = float(random.uniform(-YAW, YAW))
    moves = random.uniform(-FIRST_JOINT, FIRST_JOINT, len(base.bases))
    first = [float(q[0] + move) for q, move in zip(base.q_impact, moves, strict=True)]
    own = {"like": base.name, "box_size": size.tolist(), "box_yaw": yaw, "first_joint": first}
    task = box_task_of(f"impact {number}", own, f"impact {number}")
    mass = float(np.exp(random.uniform(*np.log(MASSES))))
    room = size / 2.0 - np.linalg.norm(task.plate) / 2.0 - EDGE
    aside = random.uniform(-1.0, 1.0, 3) * room
    aside[np.abs(task.face(0)) > 0.5] = 0.0
    at = task.box_position + task.box_rotation @ aside
    body = box(mass, size, at, rotation=turned(yaw))
    friction = float(random.uniform(*FRICTION))
    support = None
    if random.uniform() < SUPPORTED[task.kind]:
        feet = at - [0.0, 0.0, size[HEIGHT] / 2.0]
        points = face_points(feet, turned(yaw), size[:2] / 2.0)
        support = Footing(points, friction=float(random.uniform(*SUPPORT_FRICTION)))
    dq = tuple(_joint_velocity(random, task, arm) for arm in range(len(task.bases)))
    return DrawnImpact(number, task, dq, body, friction, support)


def _joint_velocity(random: np.random.Generator, task: BoxTask, arm: int) -> np.ndarray:
    """Draw the velocity of a plate, and return the least joint velocities with it, (n,) [rad/s]."""
    speed, along = random.uniform(*SPEEDS), random.uniform(-RISE, RISE, 2)
    turn = contact_rotation(task.direction(arm))
    linear = speed * (turn @ np.array([*along, 1.0]))
    twist = np.append(linear, random.uniform(-SPIN, SPIN, 3))
    J = ArmDynamics(task.robots[arm])(np.array(task.q_impact[arm]), np.zeros(7)).J
    return np.asarray(np.linalg.pinv(J) @ twist)
