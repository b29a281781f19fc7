# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""The speed at which palms may hit a task's boxes by what the robot's joints feel.

Palms are plates that hit an object, as those of two arms are; the robot's joints are flexible, and
its soles hold. Each palm alone, both at once and any delay between them count, see
doc/joint_load.md.
"""

from __future__ import annotations

import numpy as np

from impact_predictor.exceptions import PredictionError
from impact_predictor.multicontact.bodies import ArmBody
from impact_predictor.multicontact.object_impact import Plate
from impact_qp.limits import SpeedBound
from impact_qp.object_speed import ObjectHit, object_speeds
from impact_qp.whole_body.planning import JOINT_LOAD
from impact_robots import ArmDynamics, Robot, RobotState, contact_rotation
from impact_robots.task.palm_task import PALM_HALF, PALMS, SOLES, PalmTask


def palm_load_bound(robot: Robot, task: PalmTask, joint_ranges: str = "announced") -> SpeedBound:
    """Return the highest speed of palms at a task's box at which no joint is overloaded.

    Boxes, their contact and the joints may be anywhere in the announced ranges. Takes seconds.

    Args:
        robot: of the task.
        task: object and grasp.
        joint_ranges: "announced", those of the robot's YAML, or "nominal".

    Raises:
        PredictionError: the robot's YAML lacks required values, or limits the range of torques,
            which depend on how the soles stand.
        RobotError: the robot cannot reach the box.
    """
    if np.isfinite(robot.limits.torque_range).any():
        raise PredictionError(
            f"joint load: robot {robot.name}: expected no torque_range of a floating base"
        )
    speeds = object_speeds(palm_hit(robot, task), JOINT_LOAD, joint_ranges, velocities=False)
    scale, limit = speeds.safe
    _, _, of_joint = limit.partition(" ")  # both palms have the same joints
    return SpeedBound(scale, of_joint)


def palm_hit(robot: Robot, task: PalmTask) -> ObjectHit:
    """Return both palms at the box at 1 m/s each.

    Raises:
        RobotError: the robot cannot reach the box.
    """
    q, dynamics = task.grabbing(robot), ArmDynamics(robot, "all")
    still = dynamics.state(q, np.zeros(robot.nv))
    normals = dict(zip(PALMS, (np.array([0.0, 1.0, 0.0]), np.array([0.0, -1.0, 0.0])), strict=True))
    state = dynamics.state(q, closing(still, {name: -n for name, n in normals.items()}))
    return ObjectHit(
        robots=dict.fromkeys(PALMS, robot),
        plates={name: palm_plate(state, name, normals[name]) for name in PALMS},
        size=task.box_size,
        position=task.box_position,
        mass=(min(task.box_masses), max(task.box_masses)),
        friction=task.friction_range or (task.friction, task.friction),
        restitution=task.restitution,
        stiffness=task.stiffness,
        interface=task.interface,
    )


def palm_plate(state: RobotState, palm: str, normal: np.ndarray) -> Plate:
    """Return a palm as a plate; the normal is out of the box, world axes, shape (3,)."""
    point = state.at(palm)._replace(rotation=contact_rotation(-normal))
    return Plate(ArmBody(point), PALM_HALF)


def closing(state: RobotState, velocities: dict[str, np.ndarray]) -> np.ndarray:
    """Return the motion of least energy in which palms move without turning, shape (nv,).

    Args:
        state: of the robot, whose soles stay.
        velocities: of the palms, world axes, shape (3,) each [m/s].
    """
    J = np.vstack([state.at(frame).J for frame in (*SOLES, *velocities)])
    soles = np.zeros(6 * len(SOLES))
    twists = [np.append(velocity, np.zeros(3)) for velocity in velocities.values()]
    effect = np.linalg.solve(state.M, J.T)
    return np.asarray(effect @ np.linalg.lstsq(J @ effect, np.concatenate([soles, *twists]))[0])
