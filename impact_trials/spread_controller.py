# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""The controller by reference spreading as a controller of the lockstep."""

from __future__ import annotations

from impact_detector.signals.sample import Verdict
from impact_qp.spreading import SpreadingController, join
from impact_qp.spreading.command import SpreadCommand
from impact_robots import Robot
from impact_sim.cell.spreading_scenario import SpreadingScenario
from impact_sim.simulation import Measurement
from impact_trials.lockstep import Answer, SpreadState
from impact_trials.spread_plans import USUAL, SpreadChoice, spread_plans


class SpreadAnswers:
    """Answers an arm's measurements, and keeps what the controller commanded."""

    def __init__(self, controller: SpreadingController) -> None:
        """Keep the ``controller``, whose plan begins with the first measurement."""
        self.controller = controller
        self.commands: list[SpreadCommand] = []  # one a cycle

    def __call__(self, measurement: Measurement, verdict: Verdict) -> Answer:
        """Return the answer to one measurement."""
        command = self.controller.update(
            measurement.time, measurement.q, measurement.dq, impact=verdict.impact
        )
        self.commands.append(command)
        references, time = self.controller.plan.reference, measurement.time
        return Answer(
            command.driver_torque,
            command.joint_velocity,
            command.reference_torque,
            spread=SpreadState(
                references.ante(time).velocity[:3],
                references.post(time).velocity[:3],
                command.feedback,
            ),
        )


def spread_answers(
    scenario: SpreadingScenario, robot: Robot, choice: SpreadChoice = USUAL
) -> tuple[SpreadAnswers, ...]:
    """Return what answers the measurements of each arm of a scenario.

    Raises:
        ControlError: no speed is safe by the scenario's impact limits.
        ImpactError: the scenario's arms are not where they can hit the object.
        UnknownNameError: no such inertia or map.
    """
    plans = spread_plans(scenario, robot, choice)
    controllers = [
        SpreadingController(robot, plan, hold_distance=choice.hold_distance) for plan in plans
    ]
    join(controllers)
    return tuple(SpreadAnswers(controller) for controller in controllers)
