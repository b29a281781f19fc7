# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""One cycle of a grab, for those who record it."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from impact_qp.body.progress import GrabProgress
from impact_sim.cell.cell_plant import BoxState
from impact_sim.humanoid.grab_stage import sole_wrenches
from impact_sim.humanoid.plant import HumanoidPlant
from impact_sim.humanoid.senses import HumanoidMeasurement
from impact_trials.grab.box_record import plant_margin


class GrabCycle(NamedTuple):
    """What was at a cycle's end; world axes where nothing else is said."""

    measured: HumanoidMeasurement  # by late sensors with noise; its time is the cycle's [s]
    torque: np.ndarray  # of the motors, shape (n,) [N.m]
    positions: np.ndarray  # that the joints were sent, shape (n,) [rad]
    said: GrabProgress  # by the controller, with these positions
    q: np.ndarray  # true, shape (7 + n,)
    v: np.ndarray  # true, shape (6 + n,)
    soles: np.ndarray  # force of the floor and its moment about each sole's middle, (k, 6) [N; N.m]
    margin: float  # of the zero-moment point [m]
    boxes: tuple[BoxState, ...]

    @property
    def time(self) -> float:
        """Since the plant was reset [s]."""
        return self.measured.time


def cycle_of(
    plant: HumanoidPlant, measured: HumanoidMeasurement, positions: np.ndarray, said: GrabProgress
) -> GrabCycle:
    """Return the cycle that a plant has just done; arguments as of :class:`GrabCycle`."""
    return GrabCycle(
        measured,
        plant.motor_torque,
        positions,
        said,
        plant.q,
        plant.v,
        sole_wrenches(plant),
        plant_margin(plant),
        tuple(plant.box(number) for number in range(len(plant.layout.boxes))),
    )
