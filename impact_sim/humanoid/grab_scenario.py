# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""One experiment in which a humanoid grabs boxes: a task, and the simulated world."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any

import numpy as np

from impact_robots.robot import Robot
from impact_robots.task.palm_task import PalmTask
from impact_sim.cell.layout import Support
from impact_sim.humanoid.layout import HumanoidLayout, Ramp, SpringFace, WeightedBox, servos_of

PARKED = (-1.5, 0.0)  # where boxes wait, on the floor behind the robot [m]
STREAM = 1  # of the random numbers of a seed, as of the other scenarios' variation
TRUTHS = ("half_width", "box_edges", "friction")  # may be announced with wrong values


@dataclass(frozen=True)
class GrabScenario(PalmTask):
    """A task with its true values, and the parameters of the simulated world; see grabs.yaml.

    Controllers get :attr:`task`, in which announced values replace the true ones.
    """

    box_offset: tuple[float, float, float]
    box_yaw: float
    box_com: tuple[float, float, float]
    variation: dict[str, Any]
    pedestal_half: tuple[float, float]
    floor_friction: float
    contact_stiffness: float
    contact_damping: float
    ramp: tuple[float, float, float]
    announced: dict[str, Any]  # of TRUTHS, with values for the controller

    @property
    def task(self) -> PalmTask:
        """The task as announced to the controller."""
        known = {each.name: getattr(self, each.name) for each in fields(PalmTask)}
        return PalmTask(**known | self.announced)

    def drawn(self, seed: int) -> tuple[np.ndarray, float]:
        """Return the true places, shape (3,) [m], and angles [rad] of a trial's boxes.

        Uniform within ``variation`` about the scenario's offset.
        """
        rng = np.random.default_rng([seed, STREAM])
        most = np.array(self.variation.get("box", (0.0, 0.0, 0.0)), dtype=float)
        turn = float(self.variation.get("yaw", 0.0)) * rng.uniform(-1.0, 1.0)
        shift = most * rng.uniform(-1.0, 1.0, 3)
        return self.box_position + np.array(self.box_offset) + shift, self.box_yaw + turn

    def layout(self, robot: Robot, seed: int = 0, *, flexible: bool = False) -> HumanoidLayout:
        """Return the robot and its surroundings; all boxes but the first wait behind it.

        Args:
            robot: of the scenario.
            seed: of the variation between trials.
            flexible: joints have the robot's stiffness and damping; no: they are rigid.

        Raises:
            SimulationError: an invalid number.
        """
        at, yaw = self.drawn(seed)
        parked = [np.array([*PARKED, self.box_size[2] / 2.0]) for _ in self.box_masses[1:]]
        for number, place in enumerate(parked):
            place[0] -= 2.0 * number * self.box_size[0]
        places = [(tuple(at.tolist()), yaw), *((tuple(p.tolist()), 0.0) for p in parked)]
        top = self.palm_z - self.box_size[2] / 2.0
        return HumanoidLayout(
            robot,
            servos_of(robot),
            tuple(
                WeightedBox(self.box_size, mass, place, turn, self.box_com)
                for mass, (place, turn) in zip(self.box_masses, places, strict=True)
            ),
            Support(top, self.pedestal_half, (self.palm_x, 0.0)),
            self._ramp(),
            palm_contact=SpringFace(self.friction, self.contact_stiffness, self.contact_damping),
            floor_contact=SpringFace(self.floor_friction, 3e5, 3e3),
            flexible=flexible,
        )

    def _ramp(self) -> Ramp:
        """Return the ramp, in the direction of the toss."""
        distance, height, slope = self.ramp
        direction = np.array([np.cos(self.toss_yaw), np.sin(self.toss_yaw)])
        middle = *(distance * direction).tolist(), self.palm_z + height
        return Ramp(middle, heading=self.toss_yaw, slope=slope)
