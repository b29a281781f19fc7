# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""The truth about a trial with a box, from the plant: a row of trials.csv."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from impact_detector.box_parameters import torque_threshold
from impact_detector.signals.sample import TORQUE_ERROR, Detection
from impact_robots.dynamics import ArmDynamics
from impact_robots.task.box_task import ARM_JOINTS
from impact_sim.cell.cell_plant import BoxState
from impact_sim.cell.spreading_scenario import SpreadingScenario
from impact_sim.cell.watched_cell import PlateRecord, WatchedCell
from impact_sim.driver.simulation import START_NS
from impact_trials.lockstep import Cycle
from impact_trials.trial import DetectorLog, Trial, Value
from impact_trials.truth.detections import FALSE, OF_TORQUE_ERROR, TIMED, first_detection
from impact_trials.truth.trial_truth import columns

START = START_NS * 1e-9  # start of the recordings' time [s]
LOADED = 0.15  # time after first contact in which joint torques are evaluated [s]
AXES = "xyz"


def arm_columns(arm: str, dof: int) -> tuple[str, ...]:
    """Return the columns about one arm of a cell, whose namespace may be empty."""
    prefix = f"{arm}_" if arm else "plate_"
    return tuple(
        prefix + name
        for name in (
            *("touch_time_s", "contact_speed_mps", "contacts", "peak_force_n"),
            *(f"impulse_{axis}_ns" for axis in AXES),
            *(f"total_impulse_{axis}_ns" for axis in AXES),
            *("detection_time_s", "detection_delay_s", "false_detections"),
            *(f"largest_torque_{i}_nm" for i in range(1, dof + 1)),
        )
    )


BOX_COLUMNS = (
    "box_mass_kg",
    *(f"box_displacement_{axis}_m" for axis in AXES),
    *(f"box_moved_{axis}_m" for axis in AXES),
    *("box_tilt_rad", "plate_slip_m"),
)


@dataclass
class CellLog:
    """Motion of a cell during a trial, per cycle."""

    plant: WatchedCell
    detectors: tuple[DetectorLog, ...]  # one per arm
    times: list[float] = field(default_factory=list)  # since the start [s]
    boxes: list[BoxState] = field(default_factory=list)
    plate_heights: list[float] = field(default_factory=list)  # mean of the arms, world axes [m]
    torques: list[np.ndarray] = field(default_factory=list)  # sensed, shape (arms, n) [N.m]
    links: list[np.ndarray] = field(default_factory=list)  # q, dq, (arms, 2, n) [rad], [rad/s]
    joint_impulses: list[np.ndarray] = field(default_factory=list)  # so far, (arms, n) [N.m.s]

    def add(self, cycles: Sequence[Cycle]) -> None:
        """Take the cycles of all arms of one instant."""
        for log, plate, cycle in zip(self.detectors, self.plant.plates, cycles, strict=True):
            log.add(cycle, plate.contact_start is not None)
        self.times.append(cycles[0].measurement.time)
        self.boxes.append(self.plant.box)
        heights = [arm.corners[:, 2].mean() for arm in self.plant.arms]
        self.plate_heights.append(float(np.mean(heights)))
        self.torques.append(np.array([cycle.measurement.tau for cycle in cycles]))
        self.links.append(np.array([(arm.q, arm.dq) for arm in self.plant.arms]))
        self.joint_impulses.append(np.array([plate.joint_impulse for plate in self.plant.plates]))

    @property
    def tilts(self) -> np.ndarray:
        """Rotation angle of the box from its initial pose, per cycle, shape (N,) [rad]."""
        first = self.boxes[0].rotation
        traces = [np.trace(first.T @ box.rotation) for box in self.boxes]
        return np.arccos(np.clip((np.array(traces) - 1.0) / 2.0, -1.0, 1.0))

    def slip(self, since: float) -> float:
        """Return the final rise of the plates relative to the box since a time [s], [m]."""
        start = int(np.searchsorted(self.times, since))
        above = np.array(self.plate_heights) - [box.position[2] for box in self.boxes]
        return float(above[-1] - above[min(start, len(above) - 1)])

    def largest_torques(self, since: float) -> np.ndarray:
        """Return the largest sensed torques within ``LOADED`` of a time, (arms, n) [N.m]."""
        times = np.array(self.times)
        within = (times >= since) & (times <= since + LOADED)
        return np.abs(np.array(self.torques)[within]).max(axis=0)


def cell_row(trial: Trial[SpreadingScenario], log: CellLog) -> dict[str, Value]:
    """Return the row of a trial.

    Args:
        trial: settings of the trial.
        log: of the whole trial.
    """
    scenario, first = trial.scenario, log.plant.first_contact_time
    row: dict[str, Value] = dict.fromkeys(columns(ARM_JOINTS))
    row |= {"scenario": scenario.name, "trial": trial.number, "seed": trial.seed}
    row |= {"duration_s": round(log.times[-1], 9)}
    row |= {"speed_reference_mps": round(scenario.reference_speed, 6)}
    row |= {"friction": scenario.plate_friction, "detector": scenario.detector}
    row |= {"detection_threshold": log.detectors[0].threshold, "box_mass_kg": scenario.box_mass}
    start, end = log.boxes[0].position, log.boxes[-1].position
    row |= _vector("box_displacement_{}_m", start - scenario.box_position)
    row |= _vector("box_moved_{}_m", end - start) | {"box_tilt_rad": float(log.tilts.max())}
    row |= {"false_detections": _false_detections(log, scenario.detector)}
    row |= {"torque_error_false_detections": _false_detections(log, TORQUE_ERROR)}
    row["torque_error_threshold_nm"] = torque_threshold(scenario)
    for number, name in enumerate(scenario.arm_names):
        prefix = f"{name}_" if name else "plate_"
        found = _arm(scenario, log, number)
        row |= {prefix + key: found[key] for key in found if key != "detection_statistic"}
    if first is None:
        return row
    return row | {"plate_slip_m": log.slip(first)} | _summed(scenario, log, first)


def _arm(scenario: SpreadingScenario, log: CellLog, number: int) -> dict[str, Value]:
    """Return the columns of one arm."""
    plate = log.plant.plates[number]
    row = _detected(log.detectors[number].of(scenario.detector), plate)
    if plate.contact_start is not None:
        into, start = scenario.direction(number), plate.contact_start
        velocity = ArmDynamics(log.plant.arms[number].robot)(start.q, start.dq).velocity
        row |= {"touch_time_s": round(START + start.time, 9), "contacts": plate.contacts}
        row |= {"contact_speed_mps": float(velocity @ into)}
        row |= {"peak_force_n": float(np.linalg.norm(plate.force, axis=1).max())}
        row |= _vector("impulse_{}_ns", plate.impulse)
        row |= _vector("total_impulse_{}_ns", plate.total_impulse)
        torques = log.largest_torques(log.plant.first_contact_time or 0.0)[number]
        row |= {f"largest_torque_{i}_nm": float(value) for i, value in enumerate(torques, 1)}
    return row


def _detected(found: Sequence[Detection], plate: PlateRecord) -> dict[str, Value]:
    """Return the columns of the first detection after a plate's contact, and of the false ones."""
    start = plate.contact_start
    return first_detection(found, None if start is None else START + start.time)


def _summed(scenario: SpreadingScenario, log: CellLog, first: float) -> dict[str, Value]:
    """Return the columns common to all kinds of trials: those of the arm with first contact."""
    times = [
        plate.contact_start.time if plate.contact_start else np.inf for plate in log.plant.plates
    ]
    number = int(np.argmin(times))
    plate, detectors = log.plant.plates[number], log.detectors[number]
    row = _arm(scenario, log, number)
    found = {key: row[key] for key in ("contact_speed_mps", "contacts", "peak_force_n")}
    found |= {"impact_time_s": round(START + first, 9)}
    found |= {"normal_impulse_ns": float(-plate.impulse @ scenario.direction(number))}
    found |= {"contact_duration_s": round(len(plate.first_contact) * plate.step, 9)}
    found |= {"largest_statistic_before": detectors.largest}
    by_torque = _detected(detectors.of(TORQUE_ERROR), plate)
    found |= {OF_TORQUE_ERROR[name]: by_torque.get(name) for name in TIMED}
    return found | {name: row.get(name) for name in TIMED}


def _false_detections(log: CellLog, detector: str) -> int:
    """Return the number of detections of all arms before contact, or without one."""
    rows = [
        _detected(each.of(detector), plate)
        for each, plate in zip(log.detectors, log.plant.plates, strict=True)
    ]
    return sum(int(row[FALSE] or 0) for row in rows)


def _vector(name: str, values: np.ndarray) -> dict[str, Value]:
    """Return one column per axis."""
    return {name.format(axis): float(value) for axis, value in zip(AXES, values, strict=True)}
