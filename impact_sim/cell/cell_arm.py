# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""One arm of a robot cell, and the forces on its plate."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from impact_sim.cell.cell_model import arm_prefix, plate_name
from impact_sim.cell.layout import CellLayout
from impact_sim.plant.face_contacts import CORNERS
from impact_sim.plant.flexible_arm import FlexibleArm

if TYPE_CHECKING:
    import mujoco


class CellArm(FlexibleArm):
    """An arm of a cell, with its plate."""

    def __init__(
        self, layout: CellLayout, number: int, model: mujoco.MjModel, data: mujoco.MjData
    ) -> None:
        """Find the arm's joints and its plate in the cell's model.

        Raises:
            RobotError: the arm's tool has a cover.
        """
        self.placed = layout.cell.robots[number]
        name = self.placed.name
        robot = self.placed.load()
        robot.require_no_cover("a cell's simulation")
        super().__init__(robot, model, data, arm_prefix(name))
        plate = plate_name(name)
        self._sensed = np.zeros(3) if layout.box is None else sensor_values(model, data, plate)
        self._constraint, self._positions = data.qfrc_constraint, data.geom_xpos
        self._corners = [model.geom(f"{plate}/{corner}").id for corner in range(CORNERS)]

    @property
    def plate_force(self) -> np.ndarray:
        """Net force of the box on the plate in the last step, world axes, shape (3,) [N]."""
        return self._sensed.copy()

    @property
    def in_contact(self) -> bool:
        """Whether the box pushed the plate in the last step."""
        return any(self._sensed.tolist())

    @property
    def contact_torque(self) -> np.ndarray:
        """Torques J^T f of the contacts in the last step, shape (n,) [N.m]."""
        return self._constraint[self._spring]

    @property
    def corners(self) -> np.ndarray:
        """Corners of the plate, just behind its face, world axes, shape (4, 3) [m]."""
        return self._positions[self._corners]


def sensor_values(model: mujoco.MjModel, data: mujoco.MjData, name: str) -> np.ndarray:
    """Return a view of the reading of a sensor with three numbers, shape (3,)."""
    first = model.sensor(name).adr[0]
    return data.sensordata[first : first + 3]
