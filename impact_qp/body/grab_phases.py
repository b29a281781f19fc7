# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""The phases of a grab, in the form that the whole-body controller requires."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from impact_qp import Contact
from impact_qp.body.palms.coupled_palms import coupled
from impact_qp.body.palms.palm_loads import palm_load_bound
from impact_qp.body.phases import beginning, next_state
from impact_qp.whole_body import Arrival, PalmTarget, WholeBodyTargets
from impact_qp.whole_body.planning import JOINT_LOAD
from impact_robots import PointState, Robot
from impact_robots.task.palm_task import FORWARD, PALMS, PalmTask

TOGETHER = 20.0  # rate at which the leading palm slows down [1/s]
PULL = 6.0  # of a palm back to where it is wanted, along the normal [1/s]


class GrabPhases:
    """Keeps the state of a grab; approaching palms start from their measured positions."""

    def __init__(
        self, task: PalmTask, period: float, arrivals: tuple[Arrival, ...], cap: float = np.inf
    ) -> None:
        """Begin.

        Args:
            task: object and grasp.
            period: of a cycle [s].
            arrivals: of the left and the right palm, set in the limits during an approach.
            cap: on the approach's speed [m/s].
        """
        self.task, self.period, self.arrivals, self.cap = task, period, arrivals, cap
        self.state = beginning(task)

    def begin(self, time: float) -> None:
        """Restart at a time [s]."""
        self.state = beginning(self.task, time)

    def advance(self, time: float, positions: np.ndarray, forces: np.ndarray) -> None:
        """Advance by one cycle.

        Args:
            time: [s].
            positions: of the palms, world axes, shape (2, 3) [m].
            forces: on them as measured, world axes, shape (2, 3) [N].
        """
        state = self.state
        if state.phase == "approach":
            pair = state.pair
            real = ((positions - pair.middle) * pair.normals).sum(axis=1)
            going = np.isnan(state.touched)
            apart = np.where(going, real, pair.apart)
            state = replace(state, pair=pair._replace(apart=apart))
        self.state = next_state(self.task, state, time, self.period, forces, self.cap)

    def targets(
        self, time: float, palms: tuple[PointState, ...], palm_forces: np.ndarray
    ) -> WholeBodyTargets:
        """Return the current targets, see ``impact_qp.whole_body.Phases``."""
        positions = np.array([palm.position for palm in palms])
        before = self.state.pair
        self.advance(time, positions, palm_forces)
        after, normals = self.state.pair, self.state.pair.normals
        velocity = (after.positions - before.positions) / self.period
        if self.state.phase == "approach":
            velocity = -self._together()[:, None] * normals
        else:
            velocity = velocity + PULL * (after.positions - positions)
        turned = after.rotation @ FORWARD
        wanted = tuple(
            PalmTarget(*each, turned)
            for each in zip(normals, velocity, after.positions, strict=True)
        )
        announced = self.arrivals if self.state.phase == "approach" else ()
        return WholeBodyTargets(wanted, announced)

    def _together(self) -> np.ndarray:
        """Return speeds towards the box, (2,) [m/s], at which both palms arrive at once."""
        state = self.state
        if not np.isnan(state.touched).all():
            return state.speed
        ahead = np.maximum(state.pair.apart[::-1] - state.pair.apart, 0.0)
        return np.maximum(state.speed - TOGETHER * ahead, 0.0)


def box_arrivals(task: PalmTask, robot: Robot) -> tuple[Arrival, ...]:
    """Return the arrivals of both palms as a task announces them, coupled through its boxes.

    Of a task with the limits ``joint_load`` the speed that loads allow is known; it takes seconds.

    Raises:
        PredictionError: the robot's YAML lacks what loads need.
        RobotError: the robot cannot reach the box.
    """
    at = task.box_position
    friction = task.friction_range or task.friction
    alone = announced_arrivals(task.half_width, at, friction, task.restitution)
    arrivals = coupled(robot, task, alone)
    if task.impact_limits != JOINT_LOAD:
        return arrivals
    load = palm_load_bound(robot, task)
    return tuple(replace(each, load=load) for each in arrivals)


def announced_arrivals(
    half_width: float,
    middle: np.ndarray,
    friction: float | tuple[float, float],
    restitution: tuple[float, float],
) -> tuple[Arrival, ...]:
    """Return the arrivals of both palms at the faces of a box whose middle is there, (3,) [m].

    They are independent of each other, as published.
    """
    found = []
    for palm, side in zip(PALMS, (1.0, -1.0), strict=True):
        normal = np.array([0.0, side, 0.0])
        at = middle + half_width * normal
        found.append(Arrival(palm, Contact(at, normal, friction, restitution)))
    return tuple(found)
