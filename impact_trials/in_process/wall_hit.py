# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""One approach and its hit in the closed loop: the recorded sensor data, and the truth."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from impact_detector.session import DetectorSession
from impact_detector.signals.sample import FUSED, Detection, DetectionStatus
from impact_predictor.joint_load.load import DURATION
from impact_predictor.joint_load.load_limits import load_limits
from impact_predictor.recorded_hit import HitTruth, RecordedHit
from impact_qp.learning.wall_approach import WallApproach
from impact_robots.dynamics import ArmDynamics
from impact_sim.arm.loaded_plant import LoadedPlant
from impact_sim.driver.simulation import START_NS, Measurement, Simulation
from impact_trials.lockstep import Answer, lockstep

SAMPLES = 150  # largest number of samples of a recording
DUE = 0.02  # largest time between a detection and reaching the announced surface [s]
AFTER = max(DURATION, 0.04)  # contact [s]
LONGEST = 10.0  # without contact [s]


def wall_hit(
    approach: WallApproach, speed: float, simulation: Simulation, session: DetectorSession
) -> RecordedHit | None:
    """Return one hit, with its truth; None if the approach ended before it, e.g. by a false alarm.

    The controller is :meth:`~impact_qp.learning.wall_approach.WallApproach.controller`.

    Args:
        approach: start and surface of the approach.
        speed: highest along the announced normal, reached if possible [m/s].
        simulation: with a :class:`LoadedPlant`.
        session: of the detector, new.
    """
    plant, log = simulation.plant, _Log([], [])
    assert isinstance(plant, LoadedPlant)
    controller = approach.controller(speed)

    def answer(measurement: Measurement, status: DetectionStatus) -> Answer:
        command = controller.update(
            measurement.q, measurement.dq, impact=status.impact, ready=status.ready
        )
        log.add(measurement, command.driver_torque)
        return Answer(command.driver_torque, command.velocity, command.reference_torque)

    for cycle in lockstep(simulation, answer, session, approach.start):
        log.found.extend(each for each in cycle.detections if each.detector == FUSED)
        end = LONGEST if plant.contact_start is None else plant.contact_start.time + AFTER
        if cycle.measurement.time >= end:
            break
    return None if plant.contact_start is None else _judged(approach, plant, log)


class _Log(NamedTuple):
    """Data of a recording."""

    rows: list[tuple[np.ndarray, ...]]  # time, position, velocity, torque, command
    found: list[Detection]

    def add(self, measured: Measurement, command: np.ndarray) -> None:
        """Append one cycle."""
        row = measured.time, measured.q, measured.dq, measured.tau, command
        self.rows.append(tuple(np.array(each) for each in row))


def _contact_time(
    approach: WallApproach, log: _Log, time: np.ndarray, position: np.ndarray
) -> tuple[float, bool]:
    """Return the time of contact [s], and whether the detector reported it near the surface.

    Otherwise it is the time at which the point reached the announced surface.
    """
    arm, at = ArmDynamics(approach.robot), approach.point.position
    gaps = np.array([approach.surface.normal @ (arm.position(q) - at) for q in position])
    reached = float(time[int(np.argmax(gaps <= max(0.0, gaps.min())))])
    times = [(each.impact_time - START_NS) * 1e-9 for each in log.found]
    near = [each for each in times if abs(each - reached) < DUE]
    return (near[0], True) if near else (reached, False)


def _judged(approach: WallApproach, plant: LoadedPlant, log: _Log) -> RecordedHit:
    """Return a hit with its truth."""
    assert plant.contact_start is not None
    columns = zip(*log.rows[-SAMPLES:], strict=True)
    time, position, velocity, torque, command = (np.array(each) for each in columns)
    contact, detected = _contact_time(approach, log, time, position)
    robot, before = approach.robot, plant.torque_before
    point = ArmDynamics(robot)(plant.contact_start.q, plant.contact_start.dq)
    truth = HitTruth(
        point,
        approach.surface.approach_speed(point.velocity),
        load_limits(robot, before).used(plant.load)[: 2 * robot.dof],
        contact - plant.contact_start.time,
    )
    return RecordedHit(
        time - contact, position, velocity, torque, command, detected=detected, truth=truth
    )
