# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""What really happened in a trial, from the plant: a row of trials.csv."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache

import numpy as np

from impact_detector.estimators.gross_velocity import gross_velocity
from impact_detector.signals.sample import TORQUE_ERROR
from impact_predictor.contact_force.laws import HuntCrossley
from impact_robots.dynamics import ArmDynamics
from impact_robots.surface import Surface
from impact_sim.arm.direct_run import ContactStart, DirectRun
from impact_sim.arm.free_motion import FreeMotion
from impact_sim.arm.passive_impact import passive_impact
from impact_sim.arm.watched_plant import WatchedPlant
from impact_sim.driver.driver_cycle import CLEARANCE
from impact_sim.driver.simulation import START_NS
from impact_sim.exceptions import SimulationError
from impact_sim.plant.compliant_wall import CompliantWall
from impact_sim.plant.torque_loop import PERIOD
from impact_trials.trial import DETECTORS, DetectorLog, Trial, Value
from impact_trials.truth.detections import OF_TORQUE_ERROR, first_detection

START = START_NS * 1e-9  # of the recordings' time [s]
WINDOW = 0.1  # of the gross velocity [s]
LONGEST_CONTACT = 0.05  # after which an arm left alone has let go; it takes 10 to 20 ms [s]
# of the torque loop, at the speed of contact, that an arm is away from a surface which it does not
# touch within one; the velocities after the hit change by less than with half the contact step
PERIODS_AWAY = 4.0
NEAREST = 5e-5  # at least so far: an arm at rest is not there within a period, at 1600 m/s^2 [m]
AXES = "xyz"


@cache
def columns(dof: int) -> tuple[str, ...]:
    """Return the columns of trials.csv for arms of n joints."""
    joints = range(1, dof + 1)
    return (
        *("scenario", "trial", "seed", "bag", "duration_s", "speed_reference_mps"),
        *("impact_time_s", "contact_speed_mps"),
        *(f"q_{i}_rad" for i in joints),
        *(f"dq_before_{i}_radps" for i in joints),
        *(f"gross_velocity_{i}_radps" for i in joints),
        *(f"velocity_after_{i}_radps" for i in joints),
        *(f"normal_{axis}" for axis in AXES),
        *(f"impulse_{axis}_ns" for axis in AXES),
        *("normal_impulse_ns", "peak_force_n", "contact_duration_s", "contacts"),
        *("friction", "contact_stiffness", "contact_damping", "contact_exponent"),
        *("detector", "detection_threshold", "detection_time_s", "detection_delay_s"),
        *("detection_statistic", "largest_statistic_before", "false_detections"),
        *("torque_error_threshold_nm", "torque_error_time_s", "torque_error_delay_s"),
        *("torque_error_statistic_nm", "torque_error_false_detections"),
        *("payload_kg", "payload_time_s"),
    )


def impact_row(trial: Trial, plant: WatchedPlant, log: DetectorLog) -> dict[str, Value]:
    """Return the row of a trial in front of a wall.

    Args:
        trial: what was run.
        plant: at the end of the trial.
        log: of the detector.

    Raises:
        SimulationError: the plant has no wall.
    """
    if plant.wall is None:
        raise SimulationError("trial: expected a wall")
    row = _common(trial, plant.robot.dof, plant.time, log)
    row |= _wall(plant.wall) | {"speed_reference_mps": trial.scenario.reference_speed}
    if plant.contact_start is None:
        return row | _detections(log, None)
    row |= _state(plant, plant.wall, plant.contact_start) | _contact(plant, plant.wall.surface)
    return row | _detections(log, plant.contact_start.time + START)


def free_motion_row(trial: Trial, motion: FreeMotion, log: DetectorLog) -> dict[str, Value]:
    """Return the row of a free motion: no impact, and only false detections."""
    n = len(motion.moves[0].origin)
    payload = motion.payload
    row = _common(trial, n, motion.duration, log) | _detections(log, None)
    return row | {"payload_kg": payload.mass, "payload_time_s": round(START + payload.time, 9)}


def _common(trial: Trial, dof: int, duration: float, log: DetectorLog) -> dict[str, Value]:
    """Return all columns, filled as far as every trial has them."""
    row: dict[str, Value] = dict.fromkeys(columns(dof))
    row |= {"scenario": trial.scenario.name, "trial": trial.number, "seed": trial.seed}
    row["duration_s"] = round(duration, 9)
    row |= {"detector": DETECTORS[0], "detection_threshold": log.threshold}
    row["largest_statistic_before"] = log.largest
    row["torque_error_threshold_nm"] = trial.scenario.detection_threshold
    return row


def _wall(wall: CompliantWall) -> dict[str, Value]:
    """Return where the wall faces and what its contact is like."""
    row: dict[str, Value] = {"friction": wall.friction}
    row |= _numbered([f"normal_{axis}" for axis in AXES], wall.surface.normal)
    if isinstance(wall.law, HuntCrossley):
        law = wall.law
        row |= {"contact_stiffness": law.stiffness, "contact_damping": law.damping}
        row["contact_exponent"] = law.exponent
    return row


def _state(plant: WatchedPlant, wall: CompliantWall, start: ContactStart) -> dict[str, Value]:
    """Return the state at contact, and what an arm left alone from then on does."""
    joints = range(1, plant.robot.dof + 1)
    speed = wall.surface.approach_speed(ArmDynamics(plant.robot)(start.q, start.dq).velocity)
    passive = passive_impact(
        plant.robot,
        start.q,
        start.dq,
        wall.surface.normal,
        wall.law,
        friction=wall.friction,
        after_contact=WINDOW + LONGEST_CONTACT,
        after_release=WINDOW,
        contact_motion=False,
        clearance=min(max(NEAREST, PERIODS_AWAY * speed * PERIOD), CLEARANCE),
    )
    gross = gross_velocity(passive.t, passive.q, passive.contact_start.time, WINDOW).velocity
    return {
        "impact_time_s": round(START + start.time, 9),
        "contact_speed_mps": speed,
        **_numbered([f"q_{i}_rad" for i in joints], start.q),
        **_numbered([f"dq_before_{i}_radps" for i in joints], start.dq),
        **_numbered([f"gross_velocity_{i}_radps" for i in joints], gross),
        **_numbered([f"velocity_after_{i}_radps" for i in joints], _velocity_after(passive)),
    }


def _velocity_after(passive: DirectRun) -> np.ndarray | None:
    """Return the joint velocities at the release, vibration taken out, (n,) [rad/s].

    The same fit as for the gross velocity, but from the release instead of contact: a window
    that holds the contact too takes 9 to 21 % off the jump (doc/simulate.md). None if the arm does
    not let go in time.
    """
    released = np.flatnonzero(~passive.contact_force.any(axis=1))
    if not released.size or released[0] * passive.contact_step > LONGEST_CONTACT:
        return None
    release = float(passive.contact_t[released[0]])
    return gross_velocity(passive.t, passive.q, release, WINDOW).velocity


def _contact(plant: WatchedPlant, surface: Surface) -> dict[str, Value]:
    """Return what the first contact did, impulse in contact axes."""
    impulse = surface.rotation.T @ plant.impulse
    return {
        **_numbered([f"impulse_{axis}_ns" for axis in AXES], impulse),
        "normal_impulse_ns": float(impulse[2]),
        "peak_force_n": float((plant.force @ surface.normal).max()),
        "contact_duration_s": round(plant.contact_duration, 9),
        "contacts": plant.contacts,
    }


def _detections(log: DetectorLog, impact_time: float | None) -> dict[str, Value]:
    """Return what the first detector and that of torque errors found, times in seconds.

    Args:
        log: of all detectors.
        impact_time: what was found before is false; None: all is.
    """
    by_torque = first_detection(log.of(TORQUE_ERROR), impact_time)
    row = first_detection(log.of(DETECTORS[0]), impact_time)
    return row | {OF_TORQUE_ERROR[name]: value for name, value in by_torque.items()}


def _numbered(names: Iterable[str], values: np.ndarray | None) -> dict[str, Value]:
    return {} if values is None else dict(zip(names, values.tolist(), strict=True))
