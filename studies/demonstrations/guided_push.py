# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""A recorded demonstration: a hand pushes the arm of a scenario through the impact with its box."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

import numpy as np

from impact_bags import BagWriter, impact_typestore
from impact_detector.signals.sample import DetectionStatus
from impact_robots.dynamics import ArmDynamics
from impact_robots.robot import Robot
from impact_sim.cell.cell_model import plate_name
from impact_sim.cell.cell_simulation import CellSimulation
from impact_sim.cell.spreading_scenario import SpreadingScenario
from impact_sim.cell.watched_cell import WatchedCell
from impact_trials.lockstep import Answer, Cycle
from impact_trials.recording.arm_topics import ArmTopics
from studies.demonstrations.guiding_hand import PERIOD, GuidingHand, Wrench

WAIT = 0.4  # before the hand moves the arm [s]
DURATIONS = (1.2, 1.6)  # of the movement that it intends [s]
STREAM = 5  # of the random numbers of a seed
AFTER = 1.2  # the planned end of its movement [s]
BEYOND = 0.14  # how far behind the box's face the movement ends [m]
DAMPING = 0.3  # of the joints by the guiding controller beside gravity compensation [N.m.s/rad]


NOT_DETECTED = DetectionStatus(0, np.nan, np.nan, armed=False, impact=False)


class TruePath(NamedTuple):
    """An arm's true motion through an impact with the box."""

    time: np.ndarray  # shape (N,) [s]
    position: np.ndarray  # of the contact point, base axes, shape (N, 3) [m]
    velocity: np.ndarray  # shape (N, 3) [m/s]
    box: np.ndarray  # centre of the box, world axes, shape (N, 3) [m]
    contact: float | None  # time of the first contact [s]; None: none


def guided_push(scenario: SpreadingScenario, seed: int, bag: Path) -> TruePath:
    """Record a demonstration.

    Args:
        scenario: of one arm; its controller does not run.
        seed: of hand, noise and place of the box.
        bag: to write.
    """
    plant = WatchedCell(scenario.layout(scenario.drawn(seed)))
    duration = float(np.random.default_rng([seed, STREAM]).uniform(*DURATIONS))
    simulation = CellSimulation(plant, seed=seed)
    (robot,), (arm,) = scenario.robots, plant.arms
    dynamics, start = ArmDynamics(robot), np.array(scenario.q_start[0])
    point = dynamics(start, np.zeros(robot.dof))
    into = scenario.direction(0)
    face = np.array(scenario.contact_point(0)) - np.array(scenario.bases[0])
    way = face - point.position + BEYOND * into
    hand = GuidingHand(point, way, duration, WAIT, seed)
    (measured,) = simulation.reset([start])
    rows: list[tuple[np.ndarray, ...]] = []
    types = impact_typestore()
    with BagWriter(bag, types) as writer:
        topics = ArmTopics(writer, robot, types, forces=False)  # a sensor would feel the hand
        for cycle in range(round((WAIT + duration + AFTER) / PERIOD)):
            point = dynamics(arm.q, arm.dq)
            command = -DAMPING * measured.dq
            answer = Answer(command, np.zeros(robot.dof), command + _gravity(robot, measured.q))
            topics.write(Cycle(measured, NOT_DETECTED, answer, (), ()))
            rows.append((point.position, point.velocity, plant.box.position))
            _hold(plant, hand.pull(cycle * PERIOD, point), point.position)
            (measured,) = simulation.step([command])
    position, velocity, box = (np.array(each) for each in zip(*rows, strict=True))
    times = PERIOD * np.arange(len(rows))
    return TruePath(times, position, velocity, box, plant.first_contact_time)


def _gravity(robot: Robot, q: np.ndarray) -> np.ndarray:
    """Return the gravity torque, shape (n,) [N.m]."""
    return ArmDynamics(robot)(q, np.zeros(robot.dof)).robot_state.g


def _hold(plant: WatchedCell, wrench: Wrench, at: np.ndarray) -> None:
    """Let a wrench act on the body of the plate during the next period.

    Args:
        plant: whose first arm is held.
        wrench: of the hand.
        at: contact point, base axes, shape (3,) [m].
    """
    placed, data = plant.layout.cell.robots[0], plant.data
    body = int(plant.model.geom(f"{plate_name(placed.name)}/0").bodyid[0])
    lever = at + np.array(placed.base) - data.xipos[body]
    data.xfrc_applied[body, :3] = wrench.force
    data.xfrc_applied[body, 3:] = wrench.moment + np.cross(lever, wrench.force)
