# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""One cycle of a grab, for those who record it."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from impact_sim.cell.cell_plant import BoxState
from impact_sim.humanoid.plant import HumanoidPlant
from impact_sim.humanoid.senses import HumanoidMeasurement
from impact_trials.grab.box_record import plant_margin
from impact_trials.grab.phases import GrabState


class GrabCycle(NamedTuple):
    """What was at a cycle's end; world axes where nothing else is said."""

    measured: HumanoidMeasurement  # by late sensors with noise; its time is the cycle's [s]
    torque: np.ndarray  # of the motors, shape (n,) [N.m]
    positions: np.ndarray  # that the joints were sent, shape (n,) [rad]
    bound: float  # on the palms' speed, as the controller had it; inf: none, nan: not known [m/s]
    state: GrabState  # of the phases
    q: np.ndarray  # true, shape (7 + n,)
    v: np.ndarray  # true, shape (6 + n,)
    soles: np.ndarray  # force of the floor and its moment about each sole's middle, (k, 6) [N; N.m]
    margin: float  # of the zero-moment point [m]
    boxes: tuple[BoxState, ...]

    @property
    def time(self) -> float:
        """Since the plant was reset [s]."""
        return self.measured.time


def sole_wrenches(plant: HumanoidPlant) -> np.ndarray:
    """Return the floor's force on each sole and its moment about the corners' middle, (k, 6)."""
    count = len(plant.layout.soles)
    forces = plant.sole_forces.reshape(count, -1, 3)
    corners = plant.sole_corners.reshape(count, -1, 3)
    levers = corners - corners.mean(axis=1, keepdims=True)
    return np.hstack([forces.sum(axis=1), np.cross(levers, forces).sum(axis=1)])


def cycle_of(
    plant: HumanoidPlant,
    measured: HumanoidMeasurement,
    positions: np.ndarray,
    bound: float,
    state: GrabState,
) -> GrabCycle:
    """Return the cycle that a plant has just done; arguments as of :class:`GrabCycle`."""
    return GrabCycle(
        measured,
        plant.motor_torque,
        positions,
        bound,
        state,
        plant.q,
        plant.v,
        sole_wrenches(plant),
        plant_margin(plant),
        tuple(plant.box(number) for number in range(len(plant.layout.boxes))),
    )
