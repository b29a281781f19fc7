# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Runs a scenario with a box under the controller by reference spreading, all in one process."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from impact_detector.detectors.torque_error import TorqueErrorDetector
from impact_detector.session import DetectorSession
from impact_qp.spreading import Trigger
from impact_robots import load_robot
from impact_sim.cell.cell_plant import CellPlant
from impact_sim.cell.cell_simulation import CellSimulation
from impact_sim.cell.spreading_file import load_spreading
from impact_trials.lockstep import ArmTurn, cell_lockstep
from impact_trials.spread_controller import spread_answers
from impact_trials.spread_figures import feedback_figures, hold_figures
from impact_trials.spread_plans import USUAL

LONGEST = 1.0  # without a touch [s]
LONG_AFTER = {"push": 0.5, "grab": 0.9}  # the first touch [s]


@dataclass
class SpreadTrial:
    """What happened; one row a cycle, then one an arm."""

    kind: str
    time: np.ndarray
    commands: list
    touch: list[float]  # of each arm's plate [s]
    plates: np.ndarray
    position: np.ndarray
    rotation: np.ndarray
    torque: np.ndarray
    force: np.ndarray  # largest of any plate [N]

    @property
    def feedback(self):
        axis = 1  # of the approach
        rows = np.array([[each.feedback for each in row] for row in self.commands])
        return feedback_figures(self.time, rows, min(self.touch), axis)

    @property
    def held(self):
        return hold_figures(
            self.time, min(self.touch), self.plates, self.position, self.rotation, self.torque
        )

    @property
    def sent(self):
        """Torques that the drivers are sent, shape (k, arms, n)."""
        return np.array([[each.driver_torque for each in row] for row in self.commands])


def spread_trial(name, choice=USUAL, *, seed=0, trigger=Trigger.PER_ARM, shift=None):
    """Run a trial; ``shift`` of the box along y instead of the drawn one [m]."""
    scenario, robot = load_spreading(name), load_robot("panda_plate")
    moved = scenario.drawn(seed) if shift is None else np.array([0.0, shift, 0.0])
    plant = CellPlant(scenario.layout(robot, moved))
    simulation = CellSimulation(plant, seed=seed)
    answers = spread_answers(scenario, robot, choice, trigger=trigger)
    turns = [ArmTurn(each, no_detector(robot)) for each in answers]
    touch, rows, most = [np.nan] * len(turns), [], 0.0
    for cycles in cell_lockstep(simulation, turns, scenario.q_start):
        time = cycles[0].measurement.time
        forces = [float(np.linalg.norm(arm.plate_force)) for arm in plant.arms]
        touch = [
            time if np.isnan(at) and force > 0.0 else at
            for at, force in zip(touch, forces, strict=True)
        ]
        most = max([most, *forces])
        rows.append(observed(time, plant))
        if time >= np.nanmin([*touch, LONGEST]) + LONG_AFTER[scenario.kind]:
            break
    time, plates, position, rotation, torque = (np.array(each) for each in zip(*rows, strict=True))
    commands = list(zip(*(each.commands for each in answers), strict=True))
    return SpreadTrial(
        scenario.kind, time, commands, touch, plates, position, rotation, torque, most
    )


def no_detector(robot):
    """A detector that never detects: the arms watch their velocities."""
    return DetectorSession(
        TorqueErrorDetector(robot.detection_joints, threshold=1e3), lockstep=True
    )


def observed(time, plant):
    return (
        time,
        [arm.corners.mean(axis=0) for arm in plant.arms],
        plant.box.position,
        plant.box.rotation,
        [arm.joint_torque for arm in plant.arms],
    )
