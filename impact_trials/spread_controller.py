# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""The controller by reference spreading as a controller of the lockstep."""

from __future__ import annotations

import numpy as np

from impact_detector.signals.sample import Verdict
from impact_qp.spreading import SpreadingController, Trigger, VelocityWatch, heard
from impact_qp.spreading.controller import SpreadCommand
from impact_robots import Robot
from impact_sim.cell.spreading_scenario import SpreadingScenario
from impact_sim.simulation import Measurement
from impact_trials.lockstep import Answer
from impact_trials.spread_plans import USUAL, SpreadChoice, spread_plans

THRESHOLDS = {"push": 0.04, "grab": 0.05}  # of lost velocity [m/s]


class SpreadAnswers:
    """Answers an arm's measurements, and keeps what the controller commanded.

    It hears of an impact by the detector's verdict, by a watch on the arm's own velocity, or, with
    a shared trigger, from the others.
    """

    def __init__(
        self,
        controller: SpreadingController,
        watch: VelocityWatch | None = None,
        trigger: Trigger = Trigger.PER_ARM,
    ) -> None:
        """Set up.

        Args:
            controller: whose plan begins with the first measurement.
            watch: on the velocity; none: the verdicts alone count.
            trigger: shared: impacts of ``others`` count too, from the next cycle on at the latest.
        """
        self.controller, self._watch, self._trigger = controller, watch, trigger
        self.others: tuple[SpreadAnswers, ...] = ()
        self.detected = False  # by this arm
        self.commands: list[SpreadCommand] = []  # one a cycle

    def __call__(self, measurement: Measurement, verdict: Verdict) -> Answer:
        """Return the answer to one measurement."""
        self.detected = self.detected or verdict.impact or self._has_lost(measurement)
        flags = {str(i): each.detected for i, each in enumerate((self, *self.others))}
        command = self.controller.update(
            measurement.time,
            measurement.q,
            measurement.dq,
            impact=heard(flags, self._trigger)["0"],
        )
        self.commands.append(command)
        return Answer(command.driver_torque, command.joint_velocity, command.reference_torque)

    def _has_lost(self, measurement: Measurement) -> bool:
        """Tell whether the arm has lost velocity against its ante-impact reference."""
        if self._watch is None:
            return False
        wanted = self.controller.plan.reference.ante(measurement.time).velocity[:3]
        return self._watch.update(wanted, self.controller.velocity(measurement.q, measurement.dq))


def spread_answers(
    scenario: SpreadingScenario,
    robot: Robot,
    choice: SpreadChoice = USUAL,
    *,
    trigger: Trigger = Trigger.PER_ARM,
    watched: bool = True,
) -> tuple[SpreadAnswers, ...]:
    """Return what answers the measurements of each arm of a scenario.

    Args:
        scenario: what hits what.
        robot: every arm.
        choice: how.
        trigger: which arms hear of an impact.
        watched: whether a watch on the velocity counts beside the detectors' verdicts.

    Raises:
        ImpactError: the scenario's arms are not where they can hit the object.
        UnknownNameError: no such inertia or map.
    """
    threshold = THRESHOLDS[scenario.kind]
    answers = []
    for arm, plan in enumerate(spread_plans(scenario, robot, choice)):
        into = np.asarray(scenario.direction(arm))
        watch = VelocityWatch(into, threshold) if watched else None
        answers.append(SpreadAnswers(SpreadingController(robot, plan), watch, trigger))
    for each in answers:
        each.others = tuple(other for other in answers if other is not each)
    return tuple(answers)
