# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""A trial of free motion, in which every detection is a false alarm."""

from __future__ import annotations

from impact_detector.signals.sample import DetectionStatus
from impact_robots.cell import robot_named
from impact_robots.robot import Robot
from impact_sim.arm.computed_torque import ComputedTorque
from impact_sim.arm.free_motion import FreeMotion, draw_free_motion
from impact_sim.arm.payload import Carrier
from impact_sim.driver.simulation import Measurement, Simulation
from impact_sim.plant.plant import FlexibleJointPlant
from impact_trials.lockstep import Answer, Controller, lockstep
from impact_trials.trial import DetectorLog, Record, Trial, TrialResult, detector_session
from impact_trials.truth.trial_truth import free_motion_row


def run_free_motion(trial: Trial, record: Record) -> TrialResult:
    """Run a trial for the duration of its scenario."""
    scenario, robot = trial.scenario, robot_named(trial.scenario.robot)
    motion, log = draw_free_motion(scenario, robot, trial.seed), DetectorLog()
    plant = FlexibleJointPlant(robot)
    carrier = Carrier(plant, motion.payload)
    cycles = lockstep(
        Simulation(robot, seed=trial.seed, plant=plant),
        _follower(motion, robot),
        detector_session(scenario, robot),
        motion.moves[0].origin,
    )
    for cycle in cycles:
        log.add(cycle, False)
        record(cycle, True)
        if cycle.measurement.time >= motion.duration:
            break
        carrier.update(cycle.measurement.time)
    return TrialResult(free_motion_row(trial, motion, log), tuple(log.detections))


def _follower(motion: FreeMotion, robot: Robot) -> Controller:
    """Return the controller that tracks the motion, without knowledge of the payload."""
    control, reference = ComputedTorque(robot), motion.reference()

    def answer(measurement: Measurement, _status: DetectionStatus) -> Answer:
        wanted = reference(measurement.time)
        command = control(measurement.q, measurement.dq, wanted)
        return Answer(command.driver_torque, command.velocity, command.reference_torque)

    return answer
