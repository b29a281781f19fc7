# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""The reference-spreading controller as a controller of the lockstep."""

from __future__ import annotations

from impact_detector.signals.sample import DetectionStatus
from impact_qp.arms.plans import USUAL, SpreadChoice, spread_controllers
from impact_qp.spreading import SpreadingController
from impact_qp.spreading.command import SpreadCommand
from impact_robots.cell import PlacedRobot
from impact_robots.task.box_task import BoxTask
from impact_sim.driver.simulation import Measurement
from impact_trials.lockstep import Answer, SpreadState


class SpreadAnswers:
    """Responds to an arm's measurements, and stores the commands."""

    def __init__(self, controller: SpreadingController, arm: PlacedRobot) -> None:
        """Store the ``controller`` of an ``arm``; its plan begins with the first measurement."""
        self.controller, self._arm = controller, arm
        self.commands: list[SpreadCommand] = []  # one per cycle

    def __call__(self, measurement: Measurement, status: DetectionStatus) -> Answer:
        """Return the answer to one measurement."""
        command = self.controller.update(
            measurement.time, measurement.q, measurement.dq, impact=status.impact
        )
        self.commands.append(command)
        references, time = self.controller.plan.reference, measurement.time
        base = self._arm.in_base
        return Answer(
            command.driver_torque,
            command.joint_velocity,
            command.reference_torque,
            spread=SpreadState(
                base(references.ante(time).velocity[:3]),
                base(references.post(time).velocity[:3]),
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
    controllers = spread_controllers(task, choice)
    return tuple(map(SpreadAnswers, controllers, task.cell.robots))
