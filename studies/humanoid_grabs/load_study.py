# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Drawn grabs of a humanoid with flexible joints: loads as simulated, beside predicted ones.

Joints, box and contact are anywhere in their announced ranges, and the box stands aside, so that
one palm is late; the controller keeps the limits ``joint_load`` and knows none of it. The
prediction knows what was drawn, and the state at the first contact.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import cache
from typing import NamedTuple

import numpy as np

from impact_bags.exceptions import AnalysisError
from impact_predictor.contact_force.linear_contact import linear_contact
from impact_predictor.joint_load.load import DURATION
from impact_predictor.joint_load.load_case import scale_ends, viscoelastic
from impact_predictor.joint_load.object_load import FaceContact, ObjectLoad
from impact_predictor.multicontact.bodies import box
from impact_predictor.multicontact.contacts import face_points
from impact_qp.body.palms.coupled_palms import standing_inverse
from impact_qp.body.palms.palm_loads import palm_load_bound, palm_plate
from impact_qp.limits import SpeedBound
from impact_robots import ArmDynamics, Robot, RobotState, load_robot
from impact_robots.task.palm_task import FORWARD, PALM_HALF, PALMS, PalmTask
from impact_sim.humanoid.grab_file import load_grab
from impact_sim.humanoid.grab_scenario import GrabScenario
from impact_sim.humanoid.plant import STEP
from impact_trials.grab.grab_trial import GrabTrial, guarded_grab
from studies.in_turn import made_in_turn

GRABS = 50
SCENARIO, STREAM = "qp_hrp4_grab", 41
FRICTION = (0.5, 0.79)  # announced [-]
LEAST_RESTITUTION = 0.05  # of drawn ones: below it the plant's dampers are very stiff [-]
SPEEDS = (0.1, 0.4)  # asked of the palms [m/s]
ASIDE = 0.0025  # the box, at most [m]
LONGEST = 4.0  # of a trial after settling [s]


class DrawnLoad(NamedTuple):
    """One grab: the joint that is loaded most, as simulated and as predicted."""

    key: str  # its number
    asked: float  # speed of the palms [m/s]
    bound: float  # by joint loads [m/s]
    speed: float  # of the faster palm at its contact [m/s]
    delay: float  # between the palms' contacts [s]; NaN: one did not touch
    joint: str  # with the largest load over its limit
    used: float  # that fraction [-]
    predicted_joint: str
    predicted: float  # [-]
    as_planned: float  # predicted for servos whose positions go on, as a plan takes them to [-]


class DrawnWorld(NamedTuple):
    """What is drawn of a grab."""

    scenario: GrabScenario
    scale: np.ndarray  # of joint stiffness, damping and motor inertia, shape (3, n) [-]
    contact: FaceContact


def run(
    grabs: int, seed: int, jobs: int, progress: Callable[[float, str], None]
) -> list[DrawnLoad]:
    """Return the grabs; the number of processes changes nothing.

    Args:
        grabs: how many; those of fewer stay as they are with more.
        seed: of everything that is drawn.
        jobs: processes; with 1 it is this one.
        progress: called with the fraction done and a note.

    Raises:
        AnalysisError: a process died.
    """
    work = [(seed, number) for number in range(grabs)]
    return made_in_turn(drawn_grab, work, jobs, progress, study="hrp4", what="loads")


@cache
def announced() -> tuple[Robot, PalmTask]:
    """Return the robot and the task as announced."""
    scenario = load_grab(SCENARIO)
    task = replace(scenario.task, friction_range=FRICTION, tosses=False, impact_limits="joint_load")
    return load_robot(task.robot), task


@cache
def announced_bound() -> SpeedBound:
    """Return the speed that joint loads allow of what was announced; takes seconds."""
    return palm_load_bound(*announced())


def drawn_world(seed: int, number: int) -> DrawnWorld:
    """Draw the world of a grab."""
    robot, task = announced()
    random = np.random.default_rng([seed, STREAM, number])
    low, high = scale_ends(robot.joint_ranges, robot.dof)
    scale = random.uniform(low, high)
    mass = float(random.uniform(min(task.box_masses), max(task.box_masses)))
    stiffness = float(np.exp(random.uniform(*np.log(task.stiffness))))
    restitution = float(random.uniform(LEAST_RESTITUTION, task.restitution[1]))
    contact = FaceContact(stiffness, restitution, float(random.uniform(*FRICTION)))
    speed = float(random.uniform(*SPEEDS))
    spring = linear_contact(viscoelastic(stiffness, restitution, speed), _closing_mass(mass), speed)
    scenario = replace(
        load_grab(SCENARIO),
        box_masses=(mass,),
        tosses=False,
        reference_speed=speed,
        friction=contact.friction,
        contact_stiffness=spring.stiffness,
        contact_damping=spring.damping,
        box_offset=(0.0, float(random.uniform(-ASIDE, ASIDE)), 0.0),
        variation={},
    )
    return DrawnWorld(scenario, scale, contact)


def _closing_mass(box_mass: float) -> float:
    """Return the effective mass of a palm and a box that close [kg]."""
    robot, task = announced()
    state = ArmDynamics(robot, "all").state(task.grabbing(robot), np.zeros(robot.nv))
    row = state.at(PALMS[0]).J[1]  # along y
    return float(1.0 / (row @ standing_inverse(robot, state) @ row + 1.0 / box_mass))


def drawn_grab(seed: int, number: int) -> DrawnLoad:
    """Draw a grab and simulate it up to 30 ms after the last palm's contact."""
    (robot, task), bound = announced(), announced_bound()
    world = drawn_world(seed, number)
    task = replace(task, reference_speed=world.scenario.reference_speed)
    trial = GrabTrial(
        world.scenario,
        seed=number,
        controller=lambda _: guarded_grab(task),
        joint_scale=world.scale,
    )
    seen = trial.begin()
    watch, end = trial.notes.watch, trial.plant.time + LONGEST
    while not trial.stage.over and trial.plant.time < end:
        seen = trial.cycle(seen)
        times = [each.time for each in watch.palms if each is not None]
        if len(times) == len(PALMS) and trial.plant.time > max(times) + DURATION:
            break
    if not any(watch.palms):
        raise AnalysisError(f"grab {number}: no palm reached the box")
    truths = {name: each for name, each in zip(PALMS, watch.palms, strict=True) if each is not None}
    first = min(truths.values(), key=lambda each: each.time)
    dynamics = ArmDynamics(robot, "all")
    state = dynamics.state(first.q, first.v)
    last = max(each.time for each in truths.values())
    rows = round((last - first.time + DURATION) / STEP)
    loads = np.abs(np.array(watch.loads[:rows])).max(axis=0)
    used = loads / robot.limits.impulsive_torque
    uniform = np.outer(STEP * np.arange(1, rows + 1), robot.servo_stiffness * state.dq[6:])
    predicted = predict(world, state, np.array(watch.commands[:rows]) - uniform)
    as_planned = predict(world, state, np.zeros((1, robot.dof)))
    delay = last - first.time if len(truths) == len(PALMS) else np.nan
    speeds = [
        abs(float(dynamics.state(each.q, each.v).at(name).velocity[1]))
        for name, each in truths.items()
    ]
    joint, own = int(used.argmax()), int(predicted.argmax())
    return DrawnLoad(
        str(number),
        world.scenario.reference_speed,
        bound.speed,
        max(speeds),
        delay,
        robot.joint_names[joint],
        float(used[joint]),
        robot.joint_names[own],
        float(predicted[own]),
        float(as_planned.max()),
    )


def predict(world: DrawnWorld, state: RobotState, commands: np.ndarray) -> np.ndarray:
    """Return each joint's load over its limit, shape (n,) [-], of a world from a first contact.

    Args:
        world: as drawn.
        state: of the robot at the first palm's contact, when the box is at rest.
        commands: to the servos since then, beside that of a motion that goes on, a row for each
            250 us, shape (m, n) [N.m].
    """
    robot, _ = announced()
    scenario = world.scenario
    middle = scenario.box_position + np.array(scenario.box_offset)
    plates, delays = {}, {}
    for name, side in zip(PALMS, (1.0, -1.0), strict=True):
        normal = np.array([0.0, side, 0.0])
        plates[name] = palm_plate(state, name, normal)
        point = state.at(name)
        turned = point.rotation @ FORWARD.T @ plates[name].axes  # palms are not quite flat
        corners = face_points(point.position, turned, PALM_HALF)
        gaps = (corners - middle) @ normal - scenario.half_width
        delays[name] = np.maximum(gaps, 0.0) / -(normal @ point.velocity)
    system = ObjectLoad(
        dict.fromkeys(PALMS, robot),
        plates,
        box(scenario.box_masses[0], scenario.box_size, middle),
        dict.fromkeys(PALMS, world.scale),
        "position",
    )
    contact = world.contact._replace(
        stiffness=scenario.contact_stiffness, damping=scenario.contact_damping
    )
    load = system.loads(contact, delays=delays, command={PALMS[0]: commands})[PALMS[0]]
    return np.maximum(load.highest, -load.lowest) / robot.limits.impulsive_torque
