# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""A hit of the Franka loop as the record of an experiment."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from impact_analysis.demo.evaluation import Evaluation, evaluate_run
from impact_bags.exceptions import RecordingError
from impact_bags.reading.run_record import RunRecord
from impact_bags.series import series
from impact_detector.estimators.impulse import Impulse
from impact_drivers.franka.hit_process import HitOutcome
from impact_qp.limits import Contact
from impact_robots.robot import Robot
from impact_ros.messages import NANOSECONDS
from impact_sim.driver.arm_driver import CYCLE_NS
from impact_sim.driver.simulation import FORCE_PERIOD_NS, SAMPLES_PER_CYCLE, Measurement


def measured(outcome: HitOutcome, log: Sequence[Measurement] | None) -> list[Measurement]:
    """Return the measurements of a hit, by the loop's clock; without forces if unknown.

    Args:
        outcome: of the loop.
        log: of the fake arm, with forces, also after the motion; None: measurements of the loop.

    Raises:
        RecordingError: the loop never was in torque control.
    """
    if not outcome.controlled:
        raise RecordingError(outcome.fault or outcome.refusal or "the arm was never controlled")
    first = outcome.controlled[0].time
    if log is not None:
        return [row._replace(time_ns=first + row.time_ns) for row in log]
    return [
        Measurement(each.time, each.q, each.dq, each.tau, np.zeros((0, 3)))
        for each in outcome.cycles
        if each.time >= first
    ]


def record_of(outcome: HitOutcome, rows: Sequence[Measurement]) -> RunRecord:
    """Return a hit as :func:`impact_bags.reading.run_record.read_run` returns an experiment."""
    time, n = [row.time_ns for row in rows], len(rows[0].q)
    answers = [(each.time, each.answer) for each in outcome.controlled if each.answer is not None]
    found = {c.detection.detection_time: c.detection for c in outcome.controlled if c.detection}
    force_time, force = _forces(rows)
    return RunRecord(
        states=series(time, [np.concatenate([row.q, row.dq]) for row in rows], 2 * n),
        torques=series(time, [row.tau for row in rows], n),
        force=series(force_time, force, 3),
        control=series(
            [stamp for stamp, _ in answers],
            [np.array([each.normal_speed, each.speed_bound]) for _, each in answers],
            2,
            unbounded=True,
        ),
        detections=series(list(found), [np.array([each.statistic]) for each in found.values()], 1),
        fault=outcome.refusal or outcome.fault,
    )


def evaluate_hit(
    outcome: HitOutcome, record: RunRecord, robot: Robot, contact: Contact, controller: str
) -> Evaluation:
    """Evaluate a hit; motion after a reflex, when the arm brakes, is not evaluated.

    Raises:
        RecordingError: there was no impact, with the reason.
    """
    try:
        touch = None if len(record.force.time) else _felt(outcome)
        evaluation = evaluate_run(record, robot, contact, controller, touch)
    except RecordingError as error:
        why = outcome.refusal or outcome.fault
        raise RecordingError(f"{controller}: {why or error}") from None
    if not outcome.reflexes:
        return evaluation
    return replace(evaluation, gross_velocity=np.full(robot.dof, np.nan))


def _felt(outcome: HitOutcome) -> Impulse:
    """Return the contact by the detector; without force its impulse is unknown.

    Raises:
        RecordingError: there was none.
    """
    found = [cycle.detection for cycle in outcome.controlled if cycle.detection is not None]
    if not found:
        raise RecordingError("no impact was detected")
    nothing, nan = np.full(3, np.nan), float("nan")
    time = found[0].impact_time / NANOSECONDS
    return Impulse(nothing, time, nan, nothing, np.zeros((0, 3)), np.zeros(0), nan, nan)


def _forces(rows: Sequence[Measurement]) -> tuple[list[int], list[np.ndarray]]:
    """Return times (M) [ns] and forces (3,) [N] of the wall's sensor, up to each row."""
    steps = FORCE_PERIOD_NS * np.arange(1, SAMPLES_PER_CYCLE + 1) - CYCLE_NS
    times = [row.time_ns + step for row in rows[1:] for step in steps[: len(row.forces)].tolist()]
    return times, [force for row in rows[1:] for force in row.forces]
