# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Answers of the controller's node in lockstep, guards included, in one process."""

from __future__ import annotations

from impact_bags.exceptions import AnalysisError
from impact_detector.attribution.expectation import Announcement
from impact_detector.signals.sample import DetectionStatus
from impact_qp.control.command import Command
from impact_qp.control.controller import ImpactController
from impact_qp.control.guarded import GuardedController
from impact_sim.driver.simulation import START_NS, Measurement
from impact_trials.lockstep import Answer


class GuardedAnswers:
    """Answers states as the controller's node does, and announces its impacts.

    Attributes:
        guarded: the controller between its guards.
        command: the last one.
    """

    command: Command

    def __init__(self, controller: ImpactController) -> None:
        """Put guards around a controller."""
        self.guarded = GuardedController(controller)
        self._announced: bool | None = None

    def __call__(self, measured: Measurement, status: DetectionStatus) -> Answer:
        """Return the answer to a state.

        Raises:
            AnalysisError: the controller stopped; gives the reason.
        """
        guarded, time = self.guarded, START_NS + measured.time_ns
        command = guarded.cycle(
            time, measured.q, measured.dq, impact=status.impact, ready=status.ready
        )
        if command is None:
            raise AnalysisError(f"the controller stopped: {guarded.fault}")
        self.command, news = command, None
        if command.due is not self._announced:
            self._announced = command.due
            news = _announcement(guarded.controller, command.due, time)
        return Answer(command.driver_torque, command.velocity, command.reference_torque, news)


def _announcement(controller: ImpactController, due: bool, time: int) -> Announcement:
    """Return the controller's announcement of its plan at ``time`` [ns]."""
    if not due:
        return Announcement(time)
    frame = controller.robot.contact_frame
    return Announcement(time, controller.plan.contact, start=time, frame=frame)
