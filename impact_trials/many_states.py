# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Predictions and joint loads of very many states, in parts, on all cores or a cluster.

The dynamics of a part are dropped with it: only results of all states are in memory. Results do not
depend on the number of processes.
"""

from __future__ import annotations

from collections.abc import Callable
from math import inf
from typing import Any, NamedTuple

import numpy as np

from impact_predictor import BatchPrediction, predict_many
from impact_predictor.joint_load.elastic_arm import MEASURED, elastic_arm
from impact_predictor.joint_load.load import joint_load, load_contact
from impact_predictor.joint_load.load_case import normal_law, normal_mobility
from impact_robots import ArmDynamics, Robot, Surface
from impact_robots.exceptions import OutOfRangeError
from impact_robots.validation import positive
from impact_trials.processes import check_stopped, cores, in_order

PART = 5000  # states whose dynamics are in memory at once
FEW = 500  # of loads, which take longer


class ManyLoads(NamedTuple):
    """Joint loads of k impacts; zero where the contact point does not approach."""

    change: np.ndarray  # largest change of the load of each joint's spring, shape (k, n) [N.m]
    impulse: np.ndarray  # on the robot, contact axes, shape (k, 3) [N.s]
    peak_force: np.ndarray  # normal, infinite on a rigid surface, shape (k,) [N]


def predict_states(
    robot: Robot,
    surface: Surface,
    q: np.ndarray,
    dq: np.ndarray,
    *,
    jobs: int | None = None,
    inertia: str = "M+B_theta",
    law: str = "coulomb",
) -> BatchPrediction:
    """Return :func:`~impact_predictor.predict_many` of k states.

    Args:
        robot: the arm.
        surface: that is hit, in the middle of its ranges.
        q: joint positions, shape (k, n) [rad].
        dq: joint velocities right before the impacts, shape (k, n) [rad/s].
        jobs: processes; None: one per core. Within :func:`~impact_trials.processes.on_cluster` a
            cluster is used.
        inertia: name of the inertia of the impact map, one of ``robot.motor_inertias``.
        law: of friction.

    Raises:
        ImpactError: as :func:`~impact_predictor.predict_many`, wrong shapes, or a process died.
    """
    return BatchPrediction(*_joined(_predicted, (robot, surface, inertia, law), q, dq, PART, jobs))


def loads_of_states(
    robot: Robot,
    surface: Surface,
    q: np.ndarray,
    dq: np.ndarray,
    *,
    stiffness: float = inf,
    drive: str = MEASURED,
    jobs: int | None = None,
) -> ManyLoads:
    """Return the joint loads of k impacts, each as of :func:`~impact_predictor.joint_load.load`.

    Args:
        robot: the arm; its YAML gives what loads need, and its tool has no cover.
        surface: that is hit, friction and restitution in the middle of their ranges.
        q: joint positions, shape (k, n) [rad].
        dq: joint velocities right before the impacts, shape (k, n) [rad/s].
        stiffness: of the contact, infinite: rigid [N/m].
        drive: of the motors, see ``elastic_arm``.
        jobs: as of :func:`predict_states`.

    Raises:
        ImpactError: the robot has no loads, wrong shapes, or a process died.
    """
    positive(stiffness if stiffness != inf else 1.0, "stiffness")
    given = robot, surface, stiffness, drive
    return ManyLoads(*_joined(_loads, given, q, dq, FEW, jobs))


def _joined(
    work: Callable[..., Any],
    given: tuple[Any, ...],
    q: np.ndarray,
    dq: np.ndarray,
    size: int,
    jobs: int | None,
) -> list[np.ndarray]:
    """Return what some work finds for all states, part by part.

    Raises:
        OutOfRangeError: there are not as many velocities as positions.
    """
    q, dq = np.asarray(q, dtype=float), np.asarray(dq, dtype=float)
    if q.ndim != 2 or q.shape != dq.shape:
        raise OutOfRangeError("states", "two tables of one shape", f"{q.shape} and {dq.shape}")
    parts = range(0, max(1, len(q)), size)
    arguments = ((*given, q[at : at + size], dq[at : at + size]) for at in parts)
    found = in_order(work, arguments, jobs or cores(), "states")
    return [np.concatenate(column) for column in zip(*found, strict=True)]


def _predicted(
    robot: Robot, surface: Surface, inertia: str, law: str, q: np.ndarray, dq: np.ndarray
) -> tuple[np.ndarray, ...]:
    """Return the fields of a batch."""
    check_stopped()
    states = ArmDynamics(robot).many(q, dq)
    return tuple(predict_many(states, surface, robot, inertia=inertia, law=law))


def _loads(
    robot: Robot, surface: Surface, stiffness: float, drive: str, q: np.ndarray, dq: np.ndarray
) -> tuple[np.ndarray, ...]:
    """Return the fields of loads."""
    dynamics, (friction, restitution) = ArmDynamics(robot), surface.middle
    change, impulse, peak = np.zeros(q.shape), np.zeros((len(q), 3)), np.zeros(len(q))
    for k in range(len(q)):
        check_stopped()
        point = dynamics(q[k], dq[k])
        velocity = surface.rotation.T @ point.velocity
        if velocity[2] >= 0.0:
            continue
        mobility = normal_mobility(point, surface.normal)
        law = normal_law(stiffness, restitution, -float(velocity[2]), mobility)
        arm = elastic_arm(robot, point.robot_state, drive)
        contact = load_contact(point, surface.rotation, law, friction, velocity)
        load = joint_load(arm, [contact])
        change[k], impulse[k], peak[k] = load.change, load.impulse[0], load.peak_force[0]
    return change, impulse, peak
