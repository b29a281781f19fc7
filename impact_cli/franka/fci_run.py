# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""One hit through libfranka: recorded and evaluated."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from impact_analysis.demo.evaluation import Evaluation
from impact_analysis.franka.loop_bag import write_bag
from impact_analysis.franka.loop_record import evaluate_hit, record_of
from impact_bags.reading.run_record import RunRecord
from impact_drivers.franka.arm.fr3_model import write_fr3
from impact_drivers.franka.hit_process import HitJob, HitOutcome
from impact_robots.description.loader import load_robot
from impact_robots.robot import Robot
from impact_sim.driver.simulation import Measurement


@dataclass(frozen=True)
class FciRun:
    """One controller's hit."""

    controller: str
    outcome: HitOutcome
    record: RunRecord
    evaluation: Evaluation | None  # None: dry run

    def as_json(self) -> dict:
        """Return the figures: the keys of the simulated demo, and those of the arm alone."""
        times, found = self.outcome.times, self.evaluation
        return ({"controller": self.controller} if found is None else found.as_json()) | {
            "largest_computed_torque_nm": self.computed,
            "reflexes": list(self.outcome.reflexes),
            "stopped_by": self.outcome.fault or None,
            "loop_p50_us": times.p50,
            "loop_p99_us": times.p99,
            "states_skipped": times.skipped,
            "success_rate": times.success_rate,
        }

    @property
    def computed(self) -> float:
        """Largest torque that the controller computed, without gravity [N.m]."""
        answers = [cycle.answer for cycle in self.outcome.controlled if cycle.answer is not None]
        return max((float(np.abs(each.driver_torque).max()) for each in answers), default=0.0)


def recorded_run(
    job: HitJob, outcome: HitOutcome, rows: Sequence[Measurement], robot: Robot, folder: Path
) -> FciRun:
    """Record a hit, and return it with its figures; a dry run has none.

    Args:
        job: the requested hit.
        outcome: its result.
        rows: the measurements.
        robot: the arm.
        folder: folder for the recording and the robot's YAML.

    Raises:
        RecordingError: there was no impact.
    """
    controller = job.plan.impact_limits
    recorded = load_robot(str(write_fr3(folder, job.robot)))  # with the joints' names in ROS
    write_bag(folder / controller / "bag", outcome, rows, recorded, job.plan)
    record = record_of(outcome, rows)
    if job.dry_run:
        return FciRun(controller, outcome, record, None)
    evaluation = evaluate_hit(outcome, record, robot, job.plan.contact, controller)
    return FciRun(controller, outcome, record, evaluation)


def ending(outcome: HitOutcome) -> str:
    """Return how a hit ended, in one line."""
    return outcome.refusal or outcome.fault or "done"
