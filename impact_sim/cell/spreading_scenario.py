# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""One experiment in which plates hit a box: a task, and the simulated world."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Annotated, Any

import numpy as np

from impact_robots.cell import turned
from impact_robots.entry import entry
from impact_robots.task.box_task import ARM_JOINTS, BoxTask
from impact_sim.cell.layout import BoxObject, CellLayout, PairContact, Support
from impact_sim.plant.motor_friction import MotorFriction

STREAM = 1  # of the random numbers of a seed, as of the other scenarios' variation
TRUTHS = (  # entries of a task that may be announced with wrong values
    *("box_size", "box_yaw", "box_mass", "support_z", "plate_friction", "support_friction"),
    "contact_frequency",
)


@dataclass(frozen=True)
class SpreadingScenario(BoxTask):
    """A task with its true values, and the parameters of the simulated world.

    Controllers get :attr:`task`, in which announced values replace the true ones.
    """

    pedestal_half: tuple[float, float] | None  # half edges of a pedestal [m]; none: a table
    box_offset: tuple[float, float, float]  # of the box from its announced place [m]
    variation: dict[str, Any]  # box: largest displacement along x, y, z from trial to trial [m]
    contact_damping: float  # damping ratio of the contacts' springs [-]
    motor_friction: dict[str, Any]  # coulomb [N.m], viscous [N.m.s/rad]; one number or one a joint
    after_contact: Annotated[float, entry("Time after the first contact", unit="s", above=0.0)]
    announced: dict[str, Any]  # of TRUTHS, with values for the controllers

    @property
    def task(self) -> BoxTask:
        """The task as announced to controllers."""
        known = {each.name: getattr(self, each.name) for each in fields(BoxTask)}
        return BoxTask(**known | self.announced)

    @property
    def box_rotation(self) -> np.ndarray:
        """Axes of the box at its announced pose, in the world, shape (3, 3)."""
        return turned(self.announced.get("box_yaw", self.box_yaw))

    @property
    def box_position(self) -> np.ndarray:
        """Announced centre of the box, world axes, shape (3,) [m].

        Raises:
            TaskError: plates are not flat on its faces.
        """
        return self.task.box_position

    def of_trial(self, trial: int) -> SpreadingScenario:
        """Return the scenario of a trial: all are alike."""
        return self

    def layout(self, displacement: np.ndarray | None = None) -> CellLayout:
        """Return the cell, with the box at its true place.

        Args:
            displacement: of the box from ``box_offset``, see :meth:`drawn`, shape (3,) [m].

        Raises:
            TaskError: plates are not flat on the box.
            SimulationError: an invalid number.
        """
        at = self.standing + np.array(self.box_offset)
        at = at if displacement is None else at + displacement
        x, y = self.standing[:2].tolist()
        friction = self.motor_friction and MotorFriction.of(ARM_JOINTS, **self.motor_friction)
        springs = self.contact_frequency, self.contact_damping
        return CellLayout(
            self.cell,
            BoxObject(self.box_size, self.box_mass, tuple(at.tolist()), self.box_yaw),
            Support(self.support_z, self.pedestal_half, (x, y)),
            self.plate,
            PairContact(self.plate_friction, *springs),
            PairContact(self.support_friction, *springs),
            friction or None,
        )

    @property
    def standing(self) -> np.ndarray:
        """Centre of the box on its support below the announced place, shape (3,) [m]."""
        expected = self.box_position
        return np.array([*expected[:2], self.support_z + self.box_size[2] / 2.0])

    def drawn(self, seed: int) -> np.ndarray:
        """Return the box's displacement in a trial, uniform within ``variation``, (3,) [m]."""
        largest = np.array(self.variation.get("box", (0.0, 0.0, 0.0)), dtype=float)
        return largest * np.random.default_rng([seed, STREAM]).uniform(-1.0, 1.0, 3)
