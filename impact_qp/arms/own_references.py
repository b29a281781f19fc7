# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""A task's own references: read from its files, and checked against where its arms stand."""

from __future__ import annotations

import numpy as np
import pinocchio as pin

from impact_qp.references import Knot, Quintics, SpreadReference, read_references
from impact_robots.cell import turned
from impact_robots.exceptions import TaskError
from impact_robots.state.state import PointState
from impact_robots.task.box_task import BoxTask

NEAR = 0.01  # from where the arm starts to where its reference does [m]
ASIDE = 0.1  # from the expected to the reference's contact point [m]
TURNED = 0.1  # from the arm's orientation, at start and impact, to the reference's [rad]
AWAY = 0.05  # of the first joint at the start [rad]
STILL = 0.01  # velocity with which a reference begins [m/s; rad/s]


def own_reference(
    task: BoxTask, arm: int, start: PointState, contact: PointState
) -> SpreadReference:
    """Return the references of a task's file for one arm, world axes.

    Args:
        task: with ``references``.
        arm: its number.
        start: of the arm, world axes.
        contact: of the arm where the impact is expected, world axes.

    Raises:
        RobotError: no such file, or a wrong entry.
        TaskError: the reference does not begin at rest where the arm does, or leads elsewhere.
    """
    path = task.references[arm]
    reference = read_references(path, axes=turned(task.cell.robots[arm].yaw))
    begin, hit = reference.ante(0.0), reference.ante(reference.nominal_time)
    turns = [
        float(np.linalg.norm(pin.log3(each.rotation.T @ reference.rotation)))
        for each in (start, contact)
    ]
    first_joint = float(abs(begin.position[3] - start.q[0]))
    moving = float(np.abs(begin.velocity).max())
    apart = float(np.linalg.norm(begin.position[:3] - start.position))
    aside = float(np.linalg.norm(hit.position[:3] - contact.position))
    for what, value, most, unit in (
        ("ante: expected to begin at rest at time 0", moving, STILL, "m/s"),
        ("ante: expected to begin where q_start is", apart, NEAR, "m"),
        ("ante: expected the first joint of q_start", first_joint, AWAY, "rad"),
        ("orientation: expected that of q_start", turns[0], TURNED, "rad"),
        ("orientation: expected that of q_impact", turns[1], TURNED, "rad"),
        ("ante: expected the impact where the object is", aside, ASIDE, "m"),
    ):
        if value > most:
            raise TaskError(f"{path}: {what}, got {value:.3g} {unit} off, at most {most:g}")
    return reference


def through_impact(reference: SpreadReference, offset: np.ndarray) -> Quintics:
    """Return one motion to where references end, for a controller that ignores impacts.

    Args:
        reference: of the arm.
        offset: of the final position of [p; xi], shape (4,) [m; rad].
    """
    ante, T = reference.ante, reference.nominal_time
    last = [
        each._replace(position=np.asarray(each.position) + offset)
        for each in reference.post.knots_after(T)[-1:]
    ]
    return Quintics([*ante.knots_before(T), Knot(T, *ante(T)), *last])
