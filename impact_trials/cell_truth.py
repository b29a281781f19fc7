# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""What really happened in a trial with a box, from the plant: a row of trials.csv."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from impact_robots.dynamics import ArmDynamics
from impact_sim.cell.cell_plant import BoxState
from impact_sim.cell.spreading_scenario import SpreadingScenario
from impact_sim.cell.watched_cell import PlateRecord, WatchedCell
from impact_sim.simulation import START_NS
from impact_trials.lockstep import Cycle
from impact_trials.trial import DetectorLog, Trial, Value

START = START_NS * 1e-9  # of the recordings' time [s]
LOADED = 0.15  # after the first touch, within which joint torques are looked at [s]
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
    """What a cell did in the course of a trial, once a cycle."""

    plant: WatchedCell
    detectors: tuple[DetectorLog, ...]  # one an arm
    times: list[float] = field(default_factory=list)  # since the start [s]
    boxes: list[BoxState] = field(default_factory=list)
    plate_heights: list[float] = field(default_factory=list)  # mean of the arms, world axes [m]
    torques: list[np.ndarray] = field(default_factory=list)  # sensed, shape (arms, n) [N.m]

    def add(self, cycles: Sequence[Cycle]) -> None:
        """Take the cycles of all arms of one instant."""
        for log, plate, cycle in zip(self.detectors, self.plant.plates, cycles, strict=True):
            log.add(cycle, plate.touch is not None)
        self.times.append(cycles[0].measurement.time)
        self.boxes.append(self.plant.box)
        heights = [arm.corners[:, 2].mean() for arm in self.plant.arms]
        self.plate_heights.append(float(np.mean(heights)))
        self.torques.append(np.array([cycle.measurement.tau for cycle in cycles]))

    @property
    def tilts(self) -> np.ndarray:
        """Angle by which the box is turned from where it was, one a cycle, shape (N,) [rad]."""
        first = self.boxes[0].rotation
        traces = [np.trace(first.T @ box.rotation) for box in self.boxes]
        return np.arccos(np.clip((np.array(traces) - 1.0) / 2.0, -1.0, 1.0))

    def slip(self, since: float) -> float:
        """Return by how much plates rose above the box since a time [s], at the end [m]."""
        start = int(np.searchsorted(self.times, since))
        above = np.array(self.plate_heights) - [box.position[2] for box in self.boxes]
        return float(above[-1] - above[min(start, len(above) - 1)])

    def largest_torques(self, since: float) -> np.ndarray:
        """Return the largest sensed torques within ``LOADED`` of a time, (arms, n) [N.m]."""
        times = np.array(self.times)
        within = (times >= since) & (times <= since + LOADED)
        return np.abs(np.array(self.torques)[within]).max(axis=0)


def cell_row(trial: Trial[SpreadingScenario], log: CellLog) -> dict[str, Value]:
    """Return the row of a trial, without columns that mean nothing here.

    Args:
        trial: what was run.
        log: of the whole trial.
    """
    scenario, first = trial.scenario, log.plant.first_touch
    row: dict[str, Value] = {"scenario": scenario.name, "trial": trial.number, "seed": trial.seed}
    row |= {"duration_s": round(log.times[-1], 9)}
    row |= {"speed_reference_mps": round(scenario.reference_speed, 6)}
    row |= {"friction": scenario.plate_friction, "detector": scenario.detector}
    row |= {"detection_threshold": log.detectors[0].threshold, "box_mass_kg": scenario.box_mass}
    start, end = log.boxes[0].position, log.boxes[-1].position
    row |= _vector("box_displacement_{}_m", start - scenario.box_position)
    row |= _vector("box_moved_{}_m", end - start) | {"box_tilt_rad": float(log.tilts.max())}
    for number in range(len(log.plant.arms)):
        row |= _arm(scenario, log, number)
    if first is None:
        return row | {"false_detections": sum(len(each.detections) for each in log.detectors)}
    return row | {"plate_slip_m": log.slip(first)} | _summed(log, row, first)


def _arm(scenario: SpreadingScenario, log: CellLog, number: int) -> dict[str, Value]:
    """Return the columns about one arm, with their prefix."""
    plate, name = log.plant.plates[number], scenario.arm_names[number]
    row = _detected(log.detectors[number], plate)
    if plate.touch is not None:
        into, touch = scenario.direction(number), plate.touch
        velocity = ArmDynamics(log.plant.layout.robot)(touch.q, touch.dq).velocity
        row |= {"touch_time_s": round(START + touch.time, 9), "contacts": plate.contacts}
        row |= {"contact_speed_mps": float(velocity @ into)}
        row |= {"peak_force_n": float(np.linalg.norm(plate.force, axis=1).max())}
        row |= _vector("impulse_{}_ns", plate.impulse)
        row |= _vector("total_impulse_{}_ns", plate.total_impulse)
        torques = log.largest_torques(log.plant.first_touch or 0.0)[number]
        row |= {f"largest_torque_{i}_nm": float(value) for i, value in enumerate(torques, 1)}
    prefix = f"{name}_" if name else "plate_"
    return {prefix + key: value for key, value in row.items()}


def _detected(log: DetectorLog, plate: PlateRecord) -> dict[str, Value]:
    """Return the first detection after the touch, and how many came before it."""
    touched = float("inf") if plate.touch is None else START + plate.touch.time
    after = [found for found in log.detections if found.detection_time * 1e-9 > touched]
    row: dict[str, Value] = {"false_detections": len(log.detections) - len(after)}
    if after:
        time = round(after[0].detection_time * 1e-9, 9)
        row |= {"detection_time_s": time, "detection_delay_s": round(time - touched, 9)}
    return row


def _summed(log: CellLog, row: dict[str, Value], first: float) -> dict[str, Value]:
    """Return what the columns of all kinds of trials say: of the arm that touches first."""
    times = [plate.touch.time if plate.touch else np.inf for plate in log.plant.plates]
    name = log.plant.arms[int(np.argmin(times))].name
    prefix = f"{name}_" if name else "plate_"
    keys = ("contact_speed_mps", "contacts", "peak_force_n", "detection_time_s")
    found = {key: row.get(prefix + key) for key in (*keys, "detection_delay_s")}
    plate = log.plant.plates[int(np.argmin(times))]
    found |= {"impact_time_s": round(START + first, 9), "largest_statistic_before": None}
    found |= {"normal_impulse_ns": float(np.abs(plate.impulse).max())}
    found |= {"contact_duration_s": round(len(plate.first_contact) * plate.step, 9)}
    counted = [row[key] for key in row if key.endswith("_false_detections")]
    return found | {"false_detections": sum(int(each or 0) for each in counted)}


def _vector(name: str, values: np.ndarray) -> dict[str, Value]:
    """Return one column an axis."""
    return {name.format(axis): float(value) for axis, value in zip(AXES, values, strict=True)}
