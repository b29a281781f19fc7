# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""A touch of a simulated arm in one process, with its driver, detection and controller."""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import inf, nan
from typing import NamedTuple

import numpy as np

from impact_predictor.contact_force.laws import Viscoelastic
from impact_qp.control.guarded import GuardedController
from impact_qp.control.plan import Plan
from impact_qp.goals.goal import CANCELED, INPUT_LOST, End
from impact_qp.limits import Contact
from impact_qp.touch.touch_goal import CURRENTS, NONE, TouchGoal
from impact_qp.touch.touch_run import TouchResult, TouchRun, begun_touch
from impact_robots import ArmDynamics, Robot, Surface
from impact_sim.arm.watched_plant import WatchedPlant
from impact_sim.driver.arm_driver import Interface
from impact_sim.driver.position_driver import PositionDriver
from impact_sim.driver.sensors import PANDA_NOISE, Noise
from impact_sim.driver.simulation import START_NS, Measurement, Simulation
from impact_sim.plant.compliant_wall import CompliantWall
from impact_sim.plant.step_records import Steps

TORQUE = "torque"
SPEED_CAP = 0.25  # of the arm's own safety settings [m/s]
DAMPED = 0.01  # of the wall: c/k, so that it loses energy as walls do [s/m]
POSITION_GAIN, VELOCITY_GAIN = 30.0, 200.0  # of servos that a robot's YAML does not define [1/s]
AFTER = 2.0  # longest time from the detection to rest [s]


@dataclass(frozen=True)
class TouchCase:
    """A simulated arm in front of a wall, and what it is asked to do."""

    robot: Robot
    q: tuple[float, ...]  # joint positions at the start, shape (n,) [rad]
    goal: TouchGoal
    interface: str = "position"  # or "velocity", "torque"
    rate: float = 125.0  # of states and commands, 1000 over a whole number [Hz]
    stiffness: float = 1e5  # of the wall [N/m]
    gap: float = 0.01  # to the wall along the direction; infinite: there is none [m]
    wall_friction: float = 0.2  # of the wall [-]
    impact_limits: str = "auto"  # that hold beside the promise, see Plan
    joint_friction: tuple[float, ...] = ()  # not in the model, in the efforts; empty: none [N.m]
    noise: Noise = PANDA_NOISE
    seed: int = 0
    cancel: float = inf  # time after which the goal is cancelled [s]
    holds: float = 0.0  # time for which it goes on after that, holding [s]
    silent: tuple[float, float] = (inf, 0.0)  # time from which, and for which, no states come [s]


class TouchTrial(NamedTuple):
    """What happened, by the controller and by the plant's numbers."""

    end: End
    result: TouchResult | None  # None: refused
    peak: float  # normal force on the wall, NaN without contact [N]
    held: float  # at the end [N]
    contact_time: float  # since the start, NaN without contact [s]
    detected_after: float  # from contact to the detection; NaN: no contact, or not detected [s]
    fastest: float  # of the contact point [m/s]
    left: float  # distance from the contact's place to the point at the end, back along the way [m]
    duration: float  # [s]
    speed: float  # of the contact point at the end [m/s]


class PeakPlant(WatchedPlant):
    """A plant that keeps the largest force, and what the caller notes of the highest speed."""

    peak, fastest = 0.0, 0.0

    def _watch(self, steps: Steps) -> None:
        super()._watch(steps)
        if self.wall is not None and len(steps.force):
            self.peak = max(self.peak, float((steps.force @ self.wall.surface.normal).max()))


def servoed(
    robot: Robot, position_gain: float = POSITION_GAIN, velocity_gain: float = VELOCITY_GAIN
) -> Robot:
    """Return an arm with a position loop around a velocity loop [1/s] on each motor."""
    motors = robot.reflected_motor_inertia
    return replace(
        robot,
        apparent_motor_inertia=motors,
        servo_damping=velocity_gain * motors,
        servo_stiffness=position_gain * velocity_gain * motors,
    )


def run_touch(case: TouchCase) -> TouchTrial:
    """Carry out a touch in simulation, from rest to rest.

    Args:
        case: arm, wall and goal. With the position and velocity interfaces the robot's YAML must
            define its servo, see :func:`servoed`.

    Raises:
        ImpactError: a number does not fit.
    """
    robot, q, u = case.robot, np.array(case.q, dtype=float), case.goal.unit
    period = 1e-3 if case.interface == TORQUE else 1.0 / case.rate
    state = ArmDynamics(robot)(q, np.zeros(robot.dof))
    contact = Contact(state.position + case.goal.distance * u, -u)
    settings = Plan(contact, case.impact_limits, interface=case.interface, speed_cap=SPEED_CAP)
    begun = begun_touch(case.goal, settings, robot, state, period)
    if isinstance(begun, End):
        return TouchTrial(begun, None, *(nan,) * 8)
    run, controller = begun
    wall = None
    if case.gap < inf:
        law = Viscoelastic(case.stiffness, DAMPED * case.stiffness)
        wall = CompliantWall(Surface(state.position + case.gap * u, -u, case.wall_friction), law)
    plant = PeakPlant(robot, wall)
    simulation = _simulation(case, plant)
    end, time = _carried_out(case, run, GuardedController(controller), simulation)
    touch, seen = plant.contact_start, run.impact_time
    began = nan if touch is None else touch.time
    late = nan if touch is None or seen is None else (seen - START_NS) * 1e-9 - began
    held = float(-u @ plant.contact_force)
    place = state.position + case.gap * u if wall is not None else plant.contact_position
    left = float((place - plant.contact_position) @ u)
    peak = nan if touch is None else plant.peak
    speed = float(np.linalg.norm(plant.contact_velocity))
    return TouchTrial(end, run.result(), peak, held, began, late, plant.fastest, left, time, speed)


def _simulation(case: TouchCase, plant: PeakPlant) -> Simulation:
    """Return the arm with its driver."""
    robot, noise, seed = case.robot, case.noise, case.seed
    if case.interface == TORQUE:
        return Simulation(robot, noise=noise, seed=seed, plant=plant)
    interface = Interface(case.interface)
    return PositionDriver(
        robot, rate=case.rate, interface=interface, noise=noise, seed=seed, plant=plant
    )


def _carried_out(
    case: TouchCase, run: TouchRun, guarded: GuardedController, simulation: Simulation
) -> tuple[End, float]:
    """Run the loop until the goal ended and the arm holds; return its end and the time [s]."""
    measured, end = simulation.reset(np.array(case.q, dtype=float)), None
    plant, longest = simulation.plant, run.controller.touch.timeout + AFTER
    assert isinstance(plant, PeakPlant)
    (begins, lasts), stands = case.silent, inf
    while True:
        time = START_NS + measured.time_ns
        command = guarded.cycle(
            time, measured.q, measured.dq, effort=_effort(case, simulation, measured)
        )
        if command is None:
            return End(INPUT_LOST, guarded.fault), measured.time
        if end is None:
            end = run.add(time, measured.q, measured.dq, command, False)
            if end is None and guarded.fault:
                end = End(INPUT_LOST, guarded.fault)
            if end is None and measured.time >= case.cancel:
                end = End(CANCELED, "cancelled")
            if end is not None and not end.success:
                guarded.stop()
        if end is not None and command.phase.value == "hold":
            stands = min(stands, measured.time)
        if end is not None and (measured.time - stands >= case.holds or measured.time > longest):
            return end, measured.time
        if measured.time > longest:
            return End(INPUT_LOST, "it never came to rest"), measured.time
        plant.fastest = max(plant.fastest, float(np.linalg.norm(plant.contact_velocity)))
        values = guarded.controller.interface.values(command)
        measured = simulation.step(values)
        while begins <= measured.time < begins + lasts:  # the last command acts
            measured = simulation.step(values)


def _effort(case: TouchCase, simulation: Simulation, measured: Measurement) -> np.ndarray | None:
    """Return the efforts that the arm reports, shape (n,) [N.m]; None: none."""
    if case.goal.effort == NONE:
        return None
    torque, sensed = measured.tau, measured.tau
    if case.goal.effort == CURRENTS and isinstance(simulation, PositionDriver):
        torque = simulation.motor_torque + (sensed - simulation.plant.joint_torque)
    if not case.joint_friction:
        return torque
    friction = np.array(case.joint_friction, dtype=float)
    return torque + friction * np.tanh(measured.dq / 1e-2)
