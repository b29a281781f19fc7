# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""One experiment in one process, without ROS: the figures of the experiment over DDS."""

from __future__ import annotations

from impact_bags import BagWriter
from impact_bags.reading.run_record import Run
from impact_bags.writing.scene import Scene
from impact_detector.parameters import DetectorParameters, session_for
from impact_qp.control.controller import ImpactController
from impact_qp.control.state_machine import Fault
from impact_qp.control.status import BLIND, remark
from impact_qp.parameters import ControllerParameters
from impact_robots.description.loader import load_robot
from impact_robots.robot import Robot
from impact_ros.messages import NANOSECONDS
from impact_ros.parameters import from_values
from impact_sim.driver.sensors import NO_NOISE, PANDA_NOISE
from impact_sim.driver.simulation import Simulation
from impact_sim.scenarios import Scenario
from impact_sim.suite_settings import suite_settings
from impact_trials.in_process.guarded_answers import GuardedAnswers
from impact_trials.lockstep import lockstep
from impact_trials.recording.run_bag import RunBag

AFTER_CONTACT_NS = 500_000_000  # duration of a run after the first contact, as over DDS


def _answers(robot: Robot, parameters: ControllerParameters) -> GuardedAnswers:
    """Return the answers of the controller that its node would create."""
    plan = parameters.plan()
    answers = GuardedAnswers(ImpactController(robot, plan, period=1.0 / parameters.rate))
    plan.prepare(robot)
    return answers


def run_in_process(run: Run[Scenario]) -> float:
    """Run one experiment from start to recording and return the simulated time [s].

    Plant, detector and controller take their turns in the order of the nodes in lockstep, with the
    parameters of the nodes: the recording contains the messages of the suite's own topics.

    Raises:
        RecordingError: the recording exists already.
        AnalysisError: the controller stopped responding.
    """
    robot = load_robot(run.scenario.robot)
    settings = suite_settings(run.scenario, run.controller, lockstep=True)
    session = session_for(from_values(DetectorParameters, settings["impact_detector"]), robot)
    answers = _answers(robot, from_values(ControllerParameters, settings["impact_qp"]))
    noise, end = PANDA_NOISE if run.noise else NO_NOISE, run.duration * NANOSECONDS
    simulation = Simulation(robot, run.scenario.wall(robot), noise=noise, seed=run.seed)
    contact_ns: int | None = None
    scene = Scene(robot, run.scenario.surface(robot))
    with BagWriter(run.bag, tap=run.tap) as writer:
        guarded = answers.guarded
        bag = RunBag(writer, robot, guarded.controller.plan.impact_limits)
        for cycle in lockstep(simulation, answers, session, run.scenario.start(robot)):
            for found in cycle.detections:
                bag.add_event(found, session.assess(found))
            fault, waits = guarded.fault, "" if cycle.status.ready else BLIND
            text = remark(answers.command, fault=fault, waits=waits)
            kind = Fault.STOPPED if fault else Fault.NONE
            bag.add(cycle, answers.command, text, kind)
            scene.add(cycle.time, cycle.measurement.q, cycle.measurement.dq)
            run.progress(cycle.measurement.time, simulation.plant.gap)
            now = simulation.time_ns
            if contact_ns is None and simulation.plant.contact_force.any():
                contact_ns = now
            if now >= end or (contact_ns is not None and now - contact_ns >= AFTER_CONTACT_NS):
                break
        scene.write(writer)
    return simulation.time_ns * 1e-9
