# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""One cycle of a grab for recorders, and the notes about one box."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from impact_qp.body.guarded_grab import GrabAnswer
from impact_qp.body.progress import GrabProgress
from impact_sim.cell.cell_plant import BoxState
from impact_sim.humanoid.grab_stage import sole_wrenches
from impact_sim.humanoid.plant import HumanoidPlant
from impact_sim.humanoid.senses import HumanoidMeasurement
from impact_trials.grab.outcome import BoxOutcome, PalmOutcome

EARLY = ("approach", "clamp", "grip", "lift")  # before the toss


class BoxRecord:
    """Notes of one box."""

    def __init__(self, plant: HumanoidPlant, number: int) -> None:
        """Begin; the box is at its place."""
        self._plant, self.number = plant, number
        self._height = plant.box(number).position[2]
        self._margins = dict[str, float]()
        self._lifted, self._slipped = 0.0, np.nan
        self.touched = (np.nan, np.nan)  # when contact was detected, since the first state [s]

    def note(self, said: GrabProgress) -> None:
        """Note the last cycle."""
        margin, plant = plant_margin(self._plant), self._plant
        self._margins[said.phase] = min(self._margins.get(said.phase, np.inf), margin)
        self.touched = said.touched
        if said.phase == "lift":
            at = plant.box(self.number).position
            self._lifted = float(at[2] - self._height)
            self._slipped = float(np.linalg.norm(at - plant.palm_positions.mean(axis=0)))

    def outcome(self, palms: tuple[PalmOutcome, ...]) -> BoxOutcome:
        """Return the result of the box; call it at the trial's end.

        Args:
            palms: force on each palm that touched it.
        """
        early = [value for phase, value in self._margins.items() if phase in EARLY]
        late = [value for phase, value in self._margins.items() if phase not in EARLY]
        away = float(np.linalg.norm(self._plant.box(self.number).position[:2]))
        toss = min(late, default=np.nan)
        return BoxOutcome(palms, self._lifted, self._slipped, away, min(early), toss)


def plant_margin(plant: HumanoidPlant) -> float:
    """Return the margin of the zero-moment point; 0 for a robot in the air [m]."""
    margin = plant.balance.margin
    return 0.0 if np.isnan(margin) else margin


class GrabCycle(NamedTuple):
    """The state at the end of a cycle; in world axes unless stated otherwise."""

    measured: HumanoidMeasurement  # by late sensors with noise; its time is the cycle's [s]
    torque: np.ndarray  # of the motors, shape (n,) [N.m]
    answer: GrabAnswer  # of the controller
    q: np.ndarray  # true, shape (7 + n,)
    v: np.ndarray  # true, shape (6 + n,)
    soles: np.ndarray  # force of the floor and its moment about each sole's middle, (k, 6) [N; N.m]
    margin: float  # of the zero-moment point [m]
    boxes: tuple[BoxState, ...]

    @property
    def positions(self) -> np.ndarray:
        """Commanded joint positions, shape (n,) [rad]."""
        return self.answer.positions

    @property
    def said(self) -> GrabProgress:
        """Progress that the controller reported with them."""
        return self.answer.said

    @property
    def sent(self) -> np.ndarray | None:
        """Commanded torques, shape (n,) [N.m]; None: positions."""
        return self.answer.torques

    @property
    def time(self) -> float:
        """Time since the reset of the plant [s]."""
        return self.measured.time


def cycle_of(plant: HumanoidPlant, measured: HumanoidMeasurement, answer: GrabAnswer) -> GrabCycle:
    """Return the last cycle of a plant; arguments as of :class:`GrabCycle`."""
    return GrabCycle(
        measured,
        plant.motor_torque,
        answer,
        plant.q,
        plant.v,
        sole_wrenches(plant),
        plant_margin(plant),
        tuple(plant.box(number) for number in range(len(plant.layout.boxes))),
    )
