# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""The reference-spreading controller as a controller of the lockstep."""

from __future__ import annotations

from impact_bags.exceptions import AnalysisError
from impact_detector.signals.sample import DetectionStatus
from impact_qp.arms.plans import USUAL, SpreadChoice, guarded_arms
from impact_qp.spreading.command import SpreadCommand
from impact_qp.spreading.guarded_spreading import GuardedSpreading
from impact_robots.cell import PlacedRobot
from impact_robots.task.box_task import BoxTask
from impact_sim.driver.simulation import START_NS, Measurement
from impact_trials.lockstep import Answer, SpreadState


class SpreadAnswers:
    """Answers an arm's measurements as its node does, and keeps what the controller commanded."""

    def __init__(self, guarded: GuardedSpreading, arm: PlacedRobot) -> None:
        """Keep the guarded controller of an ``arm``; its plan begins with the first measurement."""
        self._guarded, self.controller, self._arm = guarded, guarded.controller, arm
        self.commands: list[SpreadCommand] = []  # one a cycle
        guarded.activate()

    def __call__(self, measurement: Measurement, status: DetectionStatus) -> Answer:
        """Return the answer to one measurement.

        Raises:
            AnalysisError: there is none; says why.
        """
        q, dq, impact = measurement.q, measurement.dq, status.impact
        command = None
        if self._guarded.accepts(START_NS + measurement.time_ns, q, dq, impact=impact):
            command = self._guarded.answer(measurement.time, q, dq, impact=impact)
        if command is None:
            raise AnalysisError(f"the controller stopped: {self._guarded.fault}")
        self.commands.append(command)
        ante, post = self.controller.reference_velocities(measurement.time)
        base = self._arm.in_base
        return Answer(
            command.driver_torque,
            command.joint_velocity,
            command.reference_torque,
            spread=SpreadState(
                base(ante),
                base(post),
                base(command.feedback),
            ),
        )


def spread_answers(task: BoxTask, choice: SpreadChoice = USUAL) -> tuple[SpreadAnswers, ...]:
    """Return the controller of each arm of a task.

    Raises:
        ControlError: no speed is safe by the task's impact limits.
        ImpactError: the task's arms are not where they can hit the object.
        UnknownNameError: no such inertia or map.
    """
    return tuple(map(SpreadAnswers, guarded_arms(task, choice), task.cell.robots))
