# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""A trial in which the arm hits a surface."""

from __future__ import annotations

from impact_detector.attribution.expectation import Announcement
from impact_detector.signals.sample import DetectionStatus
from impact_qp.control.controller import ImpactController
from impact_qp.parameters import ControllerParameters
from impact_robots.cell import robot_named
from impact_robots.robot import Robot
from impact_ros.parameters import from_values
from impact_sim.arm.glide import Glide
from impact_sim.arm.variation import draw
from impact_sim.arm.watched_plant import WatchedPlant
from impact_sim.driver.simulation import START_NS, Measurement, Simulation
from impact_sim.scenarios import Scenario
from impact_trials.in_process.guarded_answers import GuardedAnswers
from impact_trials.lockstep import Answer, Controller, lockstep
from impact_trials.trial import DetectorLog, Record, Trial, TrialResult, detector_session
from impact_trials.truth.trial_truth import impact_row

GLIDE = "glide"  # controller of a scenario
AFTER_CONTACT = 0.3  # how long a trial goes on after first contact [s]
LONGEST = 10.0  # without contact [s]


def run_impact(trial: Trial, record: Record) -> TrialResult:
    """Run a trial until some time after first contact, or for long enough without one."""
    scenario, robot = trial.scenario, robot_named(trial.scenario.robot)
    drawn, log = draw(scenario, trial.seed), DetectorLog()
    plant = WatchedPlant(robot, scenario.wall(robot, drawn.friction))
    if scenario.controller == GLIDE:
        glide = Glide(robot, scenario, drawn.shift)
        controller, start = glide_controller(scenario, glide), glide.start
    else:
        controller, start = qp_controller(scenario, robot), scenario.start(robot, drawn.shift)
    simulation = Simulation(robot, seed=trial.seed, plant=plant)
    cycles = lockstep(simulation, controller, detector_session(scenario, robot), start)
    for cycle in cycles:
        contact = plant.contact_start is not None
        log.add(cycle, contact)
        record(cycle, contact)
        end = LONGEST if plant.contact_start is None else plant.contact_start.time + AFTER_CONTACT
        if cycle.measurement.time >= end:
            break
    return TrialResult(impact_row(trial, plant, log), tuple(log.detections))


def qp_controller(scenario: Scenario, robot: Robot) -> Controller:
    """Return the controller that its node would create for a scenario: defaults, in lockstep."""
    values = scenario.controller_parameters(robot) | {"impact_limits": scenario.controller}
    parameters = from_values(ControllerParameters, values)
    period = 1.0 / parameters.rate
    return GuardedAnswers(ImpactController(robot, parameters.plan(), period=period))


def glide_controller(scenario: Scenario, glide: Glide) -> Controller:
    """Return the controller that accelerates the arm, releases it, and announces the contact."""
    surface, announced = scenario.surface(glide.robot), False

    def answer(measurement: Measurement, _status: DetectionStatus) -> Answer:
        nonlocal announced
        command = glide.command(measurement.time, measurement.q, measurement.dq)
        news, time = None, START_NS + measurement.time_ns
        if not announced:
            news = Announcement(time, surface, start=time)
        announced = True
        return Answer(command.driver_torque, command.velocity, command.reference_torque, news)

    return answer
