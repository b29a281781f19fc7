# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""State and integration of a robot cell."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from impact_sim.cell.cell_arm import CellArm, sensor_values
from impact_sim.cell.cell_model import SUPPORT, build_cell_model
from impact_sim.cell.layout import CellLayout
from impact_sim.exceptions import SimulationError
from impact_sim.plant.face_contacts import TIP
from impact_sim.plant.plant import FREE_STEP

CONTACT_STEP = FREE_STEP  # contacts of some 150 rad/s need no smaller one [s]


class BoxState(NamedTuple):
    """Where the box is and how it moves, world axes."""

    position: np.ndarray  # of its centre, shape (3,) [m]
    rotation: np.ndarray  # body to world axes, shape (3, 3)
    velocity: np.ndarray  # of its centre, shape (3,) [m/s]
    angular_velocity: np.ndarray  # shape (3,) [rad/s]


class CellPlant:
    """One or two flexible-joint arms, a box and its support, in world axes."""

    def __init__(self, layout: CellLayout) -> None:
        """Build the model; ``reset`` puts everything somewhere.

        Raises:
            SimulationError: MuJoCo cannot build it.
        """
        import mujoco  # loads slowly

        self.layout, self.contact_step = layout, CONTACT_STEP
        self.model = build_cell_model(layout)
        self.data = mujoco.MjData(self.model)
        self.model.opt.timestep = CONTACT_STEP
        self._positions, self._velocities = self.data.qpos, self.data.qvel  # views
        numbers = range(len(layout.cell.robots))
        self.arms = tuple(CellArm(layout, number, self.model, self.data) for number in numbers)
        supported = layout.box is not None and layout.support is not None
        nothing = np.zeros(3)
        self._support = sensor_values(self.model, self.data, SUPPORT) if supported else nothing
        self._at = self.model.nq - 7, self.model.nv - 6  # of the box, which comes last

    def reset(self, q: Sequence[np.ndarray], dq: Sequence[np.ndarray] | None = None) -> None:
        """Put each arm at its ``q`` (n,) [rad] with ``dq`` (n,) [rad/s], and the box in its place.

        The box begins as deep in its support as its weight presses it.

        Raises:
            SimulationError: another number of arms or joints; nothing has moved.
        """
        import mujoco  # loads slowly

        if len(q) != len(self.arms):
            raise SimulationError(f"q: expected {len(self.arms)} arms, got {len(q)}")
        for arm, positions in zip(self.arms, q, strict=True):
            arm.check(positions)
        mujoco.mj_resetData(self.model, self.data)
        for number, arm in enumerate(self.arms):
            arm.place(q[number], None if dq is None else dq[number])
        if self.layout.box is not None and self.layout.support is not None:
            depth = -self.model.opt.gravity[2] / self.layout.support_contact.frequency**2
            self.data.qpos[self._at[0] + 2] -= depth
        mujoco.mj_forward(self.model, self.data)

    @property
    def time(self) -> float:
        """Simulated time since ``reset`` [s]."""
        return float(self.data.time)

    @property
    def state(self) -> tuple[np.ndarray, np.ndarray]:
        """All positions (nq,) and velocities (nv,) in the order of MuJoCo, copies."""
        return self._positions.copy(), self._velocities.copy()

    @property
    def box(self) -> BoxState:
        """Pose and velocity of the box.

        Raises:
            SimulationError: there is no box.
        """
        import mujoco  # loads slowly

        if self.layout.box is None:
            raise SimulationError("cell: there is no box")
        position = self.data.qpos[self._at[0] : self._at[0] + 3]
        turned = np.empty(9)
        mujoco.mju_quat2Mat(turned, self.data.qpos[self._at[0] + 3 :])
        rotation, velocity = turned.reshape(3, 3), self.data.qvel[self._at[1] :]
        return BoxState(position.copy(), rotation, velocity[:3].copy(), rotation @ velocity[3:])

    @property
    def support_force(self) -> np.ndarray:
        """Net force of the box on its support in the last step, world axes, shape (3,) [N]."""
        return self._support.copy()

    @property
    def gap(self) -> float:
        """Lower bound of the distance between plates and box [m]; infinite without a box."""
        if self.layout.box is None:
            return float("inf")
        box, half = self.box, np.array(self.layout.box.size) / 2.0
        corners = np.concatenate([arm.corners for arm in self.arms])
        beyond = np.abs((corners - box.position) @ box.rotation) - half
        return float(np.linalg.norm(np.maximum(beyond, 0.0), axis=1).min()) - TIP

    def advance_free(self, duration: float) -> None:
        """Integrate ``duration`` [s] at once."""
        import mujoco  # loads slowly

        mujoco.mj_step(self.model, self.data, nstep=round(duration / CONTACT_STEP))

    def advance_contact(self) -> None:
        """Integrate one step, after which each arm's ``plate_force`` is that of this step."""
        import mujoco  # loads slowly

        mujoco.mj_step(self.model, self.data)
