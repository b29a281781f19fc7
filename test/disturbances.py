# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""The controller with deviations from the announcement: simulated disturbances."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import pinocchio as pin

from impact_detector.signals.sample import DetectionStatus
from impact_qp.control.command import Command
from impact_qp.control.controller import ImpactController
from impact_qp.parameters import ControllerParameters
from impact_robots import ArmDynamics, Robot, load_robot
from impact_ros.parameters import from_values
from impact_sim.arm.watched_plant import WatchedPlant
from impact_sim.driver.simulation import Measurement, Simulation
from impact_sim.plant.compliant_wall import CompliantWall
from impact_sim.scenarios import Scenario, load_scenario
from impact_trials.lockstep import Answer, lockstep
from impact_trials.trial import detector_session

SCENARIO = "qp_panda_demo"
LONGEST, AFTER = 4.0, 5.0  # without a touch, after it [s]
IMPACT = 0.02  # what comes later is a push, no impact [s]
NORMAL = np.array([-1.0, 0.0, 0.0])


@dataclass(frozen=True)
class Disturbance:
    """What is different from what was announced."""

    shift: float = 0.0  # of the surface along its normal, towards the robot [m]
    tilt: tuple[float, float] = (0.0, 0.0)  # of the surface about its tangents [rad]
    missed: bool = False  # the detector reports no impact
    false_alarm: float = np.inf  # gap at which it reports an impact that was none [m]
    speed: float = 0.5  # asked for [m/s]
    moving: float = 0.0  # approach speed when the controller takes over [m/s]
    gap: float = 0.0  # there, if it is moving [m]


DISTURBANCES = {
    "as announced": Disturbance(),
    "surface 20 mm nearer": Disturbance(shift=0.02),
    "surface 20 mm farther": Disturbance(shift=-0.02),
    "surface tilted 10 degrees, up": Disturbance(tilt=(np.radians(10), 0.0)),
    "surface tilted 10 degrees, down": Disturbance(tilt=(np.radians(-10), 0.0)),
    "surface tilted 10 degrees, left": Disturbance(tilt=(0.0, np.radians(10))),
    "surface tilted 10 degrees, right": Disturbance(tilt=(0.0, np.radians(-10))),
    "impact not detected": Disturbance(missed=True),
    "false alarm 50 mm before": Disturbance(false_alarm=0.05),
    "5 m/s asked for": Disturbance(speed=5.0),
    "taken over at 0.2 m/s, 60 mm before": Disturbance(moving=0.2, gap=0.06),
    "taken over at 0.3 m/s, 20 mm before": Disturbance(moving=0.3, gap=0.02),
}


@dataclass
class DisturbanceOutcome:
    """Outcome of a run."""

    touched: bool = False
    contact_speed: float = float("nan")  # along the announced normal [m/s]
    bound: float = float("nan")  # closed form, at the contact [m/s]
    impulsive_torque: float = 0.0  # a/delta_t J^T iota over its limit, worst joint [-]
    torque: float = 0.0  # commanded, over its limit, worst joint and cycle [-]
    contacts: int = 0
    gave_way: float = 0.0  # of the impact limit, most [m/s]
    phases: list[str] = field(default_factory=list)
    final_speed: float = float("nan")  # of the fastest joint at the end [rad/s]
    final_gap: float = float("nan")  # to the announced surface [m]


def run_disturbance(disturbance: Disturbance, *, seed: int = 0) -> DisturbanceOutcome:
    """Simulate one approach of the demo with robust limits."""
    scenario, robot = load_scenario(SCENARIO), load_robot("panda")
    scenario = replace(scenario, reference_speed=disturbance.speed)
    controller = _controller(scenario.controller_parameters(robot))
    plant = WatchedPlant(robot, _wall(scenario.wall(robot), disturbance))
    session, outcome = detector_session(scenario, robot), DisturbanceOutcome()
    start, velocity = _start(scenario, robot, disturbance)
    simulation = Simulation(robot, seed=seed, plant=plant)
    commands: list[Command] = []

    def answer(measurement: Measurement, status: DetectionStatus) -> Answer:
        alarm = bool(commands) and commands[-1].gap < disturbance.false_alarm < np.inf
        impact = (status.impact or alarm) and not disturbance.missed
        # who takes over a moving arm has had the detector running before
        ready = status.ready or disturbance.moving > 0.0
        command = controller.update(measurement.q, measurement.dq, impact=impact, ready=ready)
        commands.append(command)
        return Answer(command.driver_torque, command.velocity, command.reference_torque)

    for cycle in lockstep(simulation, answer, session, start, velocity):
        end = LONGEST if plant.contact_start is None else plant.contact_start.time + AFTER
        if cycle.measurement.time >= end:
            break
    _judge(outcome, controller, plant, commands)
    outcome.final_speed = float(np.abs(plant.dq).max())
    outcome.final_gap = commands[-1].gap
    return outcome


def _controller(values: dict[str, Any]) -> ImpactController:
    parameters = from_values(ControllerParameters, values | {"impact_limits": "robust"})
    return ImpactController(load_robot("panda"), parameters.plan())


def _wall(announced: CompliantWall, disturbance: Disturbance) -> CompliantWall:
    """Return the wall that is really there."""
    surface = announced.surface.moved(disturbance.shift)
    tilt = pin.exp3(np.array([0.0, *disturbance.tilt]))
    return replace(announced, surface=replace(surface, normal=tilt @ surface.normal))


def _start(
    scenario: Scenario, robot: Robot, disturbance: Disturbance
) -> tuple[np.ndarray, np.ndarray]:
    """Return where the arm is and how it moves when the controller takes over."""
    if not disturbance.moving:
        return scenario.start(robot), np.zeros(robot.dof)
    near = replace(scenario, run_up=disturbance.gap)
    q = near.start(robot)
    J = ArmDynamics(robot)(q, np.zeros(robot.dof)).J
    return q, np.linalg.pinv(J) @ np.append(-disturbance.moving * NORMAL, np.zeros(3))


def _slack_of_impact(command: Command) -> float:
    """Return the slack of the impact limit [m/s]; a rebound may be faster than the envelope."""
    alone = all(name.startswith("envelope") for name in command.relaxed)
    return 0.0 if alone else command.slack


def _judge(
    outcome: DisturbanceOutcome,
    controller: ImpactController,
    plant: WatchedPlant,
    commands: list[Command],
) -> None:
    robot = controller.robot
    torques = np.array([command.torque for command in commands])
    outcome.torque = float((np.abs(torques) / robot.limits.torque).max())
    outcome.gave_way = max(map(_slack_of_impact, commands))
    for command in commands:
        if not outcome.phases or outcome.phases[-1] != command.phase.value:
            outcome.phases.append(command.phase.value)
    if plant.contact_start is None or controller.impact_limit is None:
        return
    outcome.touched, outcome.contacts = True, plant.contacts
    state = ArmDynamics(robot)(plant.contact_start.q, plant.contact_start.dq)
    contact = controller.plan.contact
    outcome.contact_speed = contact.approach_speed(state.velocity)
    outcome.bound = controller.impact_limit.speed_bound(state).speed
    push = plant.force[: round(IMPACT / plant.contact_step)].sum(axis=0) * plant.contact_step
    load = contact.peak_factor / contact.impact_duration * state.J[:3].T @ push
    outcome.impulsive_torque = float((np.abs(load) / robot.limits.impulsive_torque).max())
