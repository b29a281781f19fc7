# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""A hit of the Franka loop as the record of an experiment."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from impact_analysis.demo.evaluation import Evaluation, evaluate_run
from impact_bags.exceptions import RecordingError
from impact_bags.run_record import RunRecord
from impact_detector.estimators.impulse import Impulse
from impact_drivers.franka.hit_process import HitOutcome
from impact_drivers.franka.loop.loop_cycle import LoopCycle
from impact_qp.limits import Contact
from impact_robots.robot import Robot
from impact_ros.messages import NANOSECONDS
from impact_sim.arm_driver import CYCLE_NS
from impact_sim.simulation import FORCE_PERIOD_NS, Measurement


@dataclass(frozen=True)
class MeasuredRows:
    """What was measured, one row a millisecond."""

    time: np.ndarray  # shape (N,) [ns]
    q: np.ndarray  # shape (N, n) [rad]
    dq: np.ndarray  # shape (N, n) [rad/s]
    tau: np.ndarray  # shape (N, n) [N.m]
    forces: tuple[
        np.ndarray, ...
    ] = ()  # of the wall up to each row, (25, 3) each [N]; none: unknown


def measured(outcome: HitOutcome, log: Sequence[Measurement] | None) -> MeasuredRows:
    """Return what was measured in a hit.

    Args:
        outcome: of the loop.
        log: of the fake arm, which also knows the forces and goes on after the motion; none: what
            the loop has seen.

    Raises:
        RecordingError: the loop never was in torque control.
    """
    if not outcome.controlled:
        raise RecordingError(outcome.fault or outcome.refusal or "the arm was never controlled")
    first = outcome.controlled[0].time
    source: Sequence[LoopCycle | Measurement]
    forces: tuple[np.ndarray, ...] = ()
    if log is None:
        source = seen = [cycle for cycle in outcome.cycles if cycle.time >= first]
        time = np.array([cycle.time for cycle in seen])
    else:
        source, time = log, np.array([first + row.time_ns for row in log])
        forces = tuple(row.forces for row in log)
    q, dq, tau = (np.array([getattr(row, name) for row in source]) for name in ("q", "dq", "tau"))
    return MeasuredRows(time, q, dq, tau, forces)


def record_of(outcome: HitOutcome, rows: MeasuredRows) -> RunRecord:
    """Return a hit as :func:`impact_bags.run_record.read_run` returns an experiment."""
    cycles = [cycle for cycle in outcome.controlled if cycle.answer is not None]
    judged = [cycle for cycle in outcome.controlled if cycle.verdict is not None]
    found = {c.detection.detection_time for c in outcome.controlled if c.detection is not None}
    answers = [
        (c.answer.normal_speed, c.answer.speed_bound, c.answer.slack) for c in cycles if c.answer
    ]
    statistics = [(c.verdict.statistic, c.verdict.threshold) for c in judged if c.verdict]
    control, statistic = np.array(answers).reshape(-1, 3), np.array(statistics).reshape(-1, 2)
    force_time, force = _forces(rows)
    return RunRecord(
        time=_seconds(rows.time),
        q=rows.q,
        dq=rows.dq,
        tau=rows.tau,
        force_time=_seconds(force_time),
        force=force,
        control_time=_seconds([cycle.time for cycle in cycles]),
        normal_speed=control[:, 0],
        speed_bound=control[:, 1],
        slack=control[:, 2],
        fault=outcome.refusal or outcome.fault,
        detector_time=_seconds([cycle.time for cycle in judged]),
        statistic=statistic[:, 0],
        threshold=float(statistic[-1, 1]) if len(statistic) else float("nan"),
        detection_times=_seconds(sorted(found)),
    )


def evaluate_hit(
    outcome: HitOutcome, record: RunRecord, robot: Robot, contact: Contact, controller: str
) -> Evaluation:
    """Evaluate a hit; after a reflex the arm brakes, and nothing is said of what follows.

    Raises:
        RecordingError: there was no impact; says why.
    """
    try:
        touch = None if len(record.force) else _felt(outcome)
        evaluation = evaluate_run(record, robot, contact, controller, touch)
    except RecordingError as error:
        why = outcome.refusal or outcome.fault
        raise RecordingError(f"{controller}: {why or error}") from None
    if not outcome.reflexes:
        return evaluation
    return replace(evaluation, gross_velocity=np.full(robot.dof, np.nan))


def _felt(outcome: HitOutcome) -> Impulse:
    """Return the contact as the detector tells it: without force its impulse is not known.

    Raises:
        RecordingError: there was none.
    """
    found = [cycle.detection for cycle in outcome.controlled if cycle.detection is not None]
    if not found:
        raise RecordingError("no impact was detected")
    nothing, nan = np.full(3, np.nan), float("nan")
    time = found[0].impact_time / NANOSECONDS
    return Impulse(nothing, time, nan, nothing, np.zeros((0, 3)), np.zeros(0), nan, nan)


def _forces(rows: MeasuredRows) -> tuple[np.ndarray, np.ndarray]:
    """Return times (M,) [ns] and forces (M, 3) [N] of the wall's sensor."""
    if not rows.forces:
        return np.zeros(0), np.zeros((0, 3))
    steps = FORCE_PERIOD_NS * np.arange(1, len(rows.forces[0]) + 1) - CYCLE_NS
    return (rows.time[1:, None] + steps).ravel(), np.concatenate(rows.forces[1:])


def _seconds(nanoseconds: Sequence[int] | np.ndarray) -> np.ndarray:
    return np.asarray(nanoseconds, dtype=float) / NANOSECONDS
