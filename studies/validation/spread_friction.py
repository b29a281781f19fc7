# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Learns the friction of a scenario's arms in motions without the object."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from impact_qp.arms.plans import USUAL, Frictions, SpreadChoice, spread_plans
from impact_qp.references import Quintics, free_motions
from impact_qp.spreading import (
    SpreadingController,
    SpreadPlan,
    Variant,
    learn_friction,
)
from impact_qp.spreading.friction import POSITION, TASKS
from impact_sim.cell.cell_plant import CellPlant
from impact_sim.cell.cell_simulation import CellSimulation
from impact_sim.cell.spreading_scenario import SpreadingScenario
from impact_sim.driver.sensors import PANDA_NOISE, Noise

BEYOND = 0.1  # after a motion's end, how long it is watched [s]


def learned_frictions(
    scenario: SpreadingScenario,
    choice: SpreadChoice = USUAL,
    *,
    trials: int = 1,
    seed: int = 0,
    noise: Noise = PANDA_NOISE,
    position_only: bool = False,
) -> tuple[Frictions, ...]:
    """Return the friction feed-forward of each arm.

    Args:
        scenario: whose arms move, without its box.
        choice: of the references.
        trials: of each motion, at least one.
        seed: of the first trial's noise, the next ones count on.
        noise: of the sensors.
        position_only: learn what the position alone needs, as published.

    Raises:
        ImpactError: the scenario's arms are not where they can hit the object.
        OutOfRangeError: no trial.
    """
    plans = spread_plans(scenario.task, choice)
    plant = CellPlant(replace(scenario.layout(), box=None, support=None))
    motions = [free_motions(plan.reference) for plan in plans]
    learned, rows = [], POSITION if position_only else TASKS
    for kind in range(2):
        moves = [pair[kind] for pair in motions]
        runs = [
            _feedback(plant, plans, moves, scenario, CellSimulation(plant, noise=noise, seed=each))
            for each in range(seed, seed + trials)
        ]
        time = 1e-3 * np.arange(len(runs[0][0])) if runs else np.zeros(0)
        learned.append(
            [
                learn_friction(time, [run[arm, :, :rows] for run in runs])
                for arm in range(len(plans))
            ]
        )
    return tuple(zip(*learned, strict=True))


def _feedback(
    plant: CellPlant,
    plans: tuple[SpreadPlan, ...],
    motions: list[Quintics],
    scenario: SpreadingScenario,
    simulation: CellSimulation,
) -> np.ndarray:
    """Return all tasks' feedback in one motion, (arms, k, 7) [m/s^2], [rad/s^2]."""
    controllers = [
        SpreadingController(
            arm.robot,
            replace(
                plan,
                variant=Variant.CONTINUOUS,
                smooth=motion,
                ante_friction=None,
                post_friction=None,
            ),
        )
        for arm, plan, motion in zip(plant.arms, plans, motions, strict=True)
    ]
    measurements = simulation.reset([np.array(q) for q in scenario.q_start])
    end, rows = max(motion.end for motion in motions) + BEYOND, []
    while measurements[0].time <= end:
        commands = [
            controller.update(each.time, each.q, each.dq)
            for controller, each in zip(controllers, measurements, strict=True)
        ]
        rows.append([command.task_feedback for command in commands])
        measurements = simulation.step([command.driver_torque for command in commands])
    return np.array(rows).transpose(1, 0, 2)
