# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Predicts while a robot's contact point is near a surface and approaches it. Needs no ROS."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from impact_predictor.prediction.impact_question import (
    ImpactAnswer,
    ImpactQuestion,
    answer,
    impulse_sets,
)
from impact_predictor.prediction.robot_contacts import RobotContact
from impact_predictor.sets.polytope import Polytope
from impact_robots import ArmDynamics, PointState, Robot, Surface
from impact_ros.messages import NANOSECONDS


class Forecast(NamedTuple):
    """Prediction of the impact ahead."""

    answer: ImpactAnswer
    impulses: tuple[Polytope | None, ...]  # possible at the contact; None: unbounded


class NearContact:
    """Looks at one state per period, and predicts if the contact point is near and approaches.

    Periods are slots of the states' own time, [k T, (k + 1) T), T being the inverse of the rate in
    whole nanoseconds; the first usable state of each is predicted. So the predictions depend on
    the recording, not on how fast it is played, a state sent twice counts once, and a clock that
    jumps back restarts the stream.
    """

    def __init__(
        self, robot: Robot, surface: Surface, *, inertia: str, distance: float, rate: float
    ) -> None:
        """Prepare the predictions.

        Args:
            robot: the arm.
            surface: that it approaches.
            inertia: name of the inertia of the impact map, one of ``robot.motor_inertias``.
            distance: gap below which a prediction is made, on either side of the plane [m].
            rate: of the periods [Hz].
        """
        self._robot, self._surface, self._inertia = robot, surface, inertia
        self._distance, self._period = distance, round(NANOSECONDS / rate)
        self._dynamics = ArmDynamics(robot, robot.composite_of(robot.contact_frame))
        self._slot: int | None = None

    def due(self, time: int) -> bool:
        """Return whether the period of ``time`` [ns] still lacks its state."""
        return self._slot_of(time) != self._slot

    def look(self, time: int, q: np.ndarray, dq: np.ndarray) -> Forecast | None:
        """Return the prediction of the impact ahead; None far from the surface or without approach.

        Args:
            time: of the state [ns].
            q: joint positions, shape (n,) [rad], finite.
            dq: joint velocities, shape (n,) [rad/s], finite.

        Raises:
            PredictionError: there is no prediction.
        """
        self._slot = self._slot_of(time)
        q, dq = self._robot.whole(q, dq)
        if not abs(self._surface.gap(self._dynamics.position(q))) < self._distance:
            return None
        state = self._dynamics(q, dq)
        if not self._surface.approach_speed(state.velocity) > 0.0:
            return None
        question = self._question(state)
        return Forecast(
            answer(question, self._robot, self._inertia), impulse_sets(question, self._robot)
        )

    def _slot_of(self, time: int) -> int:
        """Return the number of the period that holds ``time`` [ns]."""
        return time // self._period

    def _question(self, state: PointState) -> ImpactQuestion:
        """Return the question about an impact in ``state``."""
        contact = RobotContact(state, self._surface, self._robot.contact_frame)
        return ImpactQuestion((contact,))
