# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""A trial in which plates hit a box, under control by reference spreading."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from impact_detector.box_parameters import box_parameters
from impact_detector.parameters import DetectorParameters, session_for
from impact_detector.session import DetectorSession
from impact_detector.signals.sample import DetectionStatus
from impact_qp.arms.plans import USUAL, SpreadChoice
from impact_qp.spreading import Trigger, heard
from impact_robots.cell import robot_named
from impact_robots.task.box_task import BoxTask
from impact_ros.parameters import from_values
from impact_sim.cell.cell_plant import BoxState
from impact_sim.cell.cell_simulation import CellSimulation
from impact_sim.cell.spreading_scenario import SpreadingScenario
from impact_sim.cell.watched_cell import WatchedCell
from impact_sim.driver.sensors import PANDA_NOISE, Noise
from impact_trials.in_process.spread_controller import SpreadAnswers, spread_answers
from impact_trials.lockstep import ArmTurn, Cycle, cell_lockstep
from impact_trials.trial import DetectorLog, Trial, TrialResult
from impact_trials.truth.cell_truth import CellLog, cell_row

LONGEST = 1.0  # after the nominal impact, without contact [s]

# the cycles of all arms of one instant, the box, and whether contact has begun
CellRecord = Callable[[Sequence[Cycle], BoxState, bool], None]


@dataclass(frozen=True)
class SpreadingRun:
    """Result of a trial."""

    log: CellLog  # the plant's truth
    answers: tuple[SpreadAnswers, ...]  # responses of the controllers, one per arm


def run_spreading(trial: Trial[SpreadingScenario], record: CellRecord) -> TrialResult:
    """Run a trial by reference spreading, each arm with its own trigger."""
    run = spread(trial.scenario, trial.seed, record=record)
    detections = [found for log in run.log.detectors for found in log.detections]
    return TrialResult(cell_row(trial, run.log), tuple(detections))


def spread(
    scenario: SpreadingScenario,
    seed: int,
    choice: SpreadChoice = USUAL,
    *,
    trigger: Trigger = Trigger.PER_ARM,
    noise: Noise = PANDA_NOISE,
    record: CellRecord | None = None,
    announced: BoxTask | None = None,
) -> SpreadingRun:
    """Run a scenario until some time after first contact, or for long enough without one.

    Args:
        scenario: of arms and box.
        seed: of the noise and of the place of the box.
        choice: mode of the controllers.
        trigger: which arms are informed of an impact.
        noise: of the sensors.
        record: called with every cycle.
        announced: task of controllers and detectors; None: the scenario's task.
    """
    plant = WatchedCell(scenario.layout(scenario.drawn(seed)))
    task = announced or scenario.task
    answers = spread_answers(task, choice)
    turns = [ArmTurn(answer, cell_session(task, arm)) for arm, answer in enumerate(answers)]
    log = CellLog(plant, tuple(DetectorLog() for _ in turns))
    simulation = CellSimulation(plant, noise=noise, seed=seed)
    start = [np.array(q) for q in scenario.q_start]
    due = max(answer.controller.plan.reference.nominal_time for answer in answers)
    for cycles in cell_lockstep(simulation, turns, start, heard=_hearing(scenario, trigger)):
        log.add(cycles)
        first = plant.first_contact_time
        if record is not None:
            record(cycles, log.boxes[-1], first is not None)
        last = due + LONGEST if first is None else first + scenario.after_contact
        if log.times[-1] >= last:
            break
    return SpreadingRun(log, answers)


def cell_session(task: BoxTask, arm: int) -> DetectorSession:
    """Return the detector session that the node of one arm would create.

    Raises:
        DetectorError: there is no detector of the task's name.
    """
    parameters = from_values(DetectorParameters, box_parameters(task, arm))
    return session_for(parameters, robot_named(parameters.robot), estimates=False)


def _hearing(
    scenario: SpreadingScenario, trigger: Trigger
) -> Callable[[Sequence[DetectionStatus]], Sequence[DetectionStatus]]:
    """Return which detection statuses the arms' controllers obey."""
    names = scenario.arm_names

    def hear(statuses: Sequence[DetectionStatus]) -> Sequence[DetectionStatus]:
        own = {name: each.impact for name, each in zip(names, statuses, strict=True)}
        hits = heard(own, trigger)
        return [
            each._replace(impact=hits[name]) for name, each in zip(names, statuses, strict=True)
        ]

    return hear
