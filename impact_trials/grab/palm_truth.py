# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""True forces on the palms of a humanoid, at each step of the plant."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from impact_sim.humanoid.plant import STEP, HumanoidPlant

LASTING = 4  # consecutive steps of decreasing depth that mark the end of compression
WATCHED = 0.05  # after a palm's first contact: longer than a contact's compression [s]


@dataclass
class PalmTruth:
    """The first contact of one palm with a box."""

    time: float  # of its beginning [s]
    q: np.ndarray  # of the robot then, shape (7 + n,)
    v: np.ndarray  # shape (6 + n,)
    box_velocity: np.ndarray  # of the box's centre then, shape (3,) [m/s]
    forces: list[np.ndarray] = field(default_factory=list)  # on it, world, (3,) each a step [N]
    depths: list[float] = field(default_factory=list)  # of the palm towards the box [m]
    # torques of the motors beyond those before the first palm's contact, (n,) each a step [N.m]
    motors: list[np.ndarray] = field(default_factory=list)

    @property
    def compression(self) -> np.ndarray:
        """Impulse on the palm up to the end of compression, world axes, shape (3,) [N.s].

        That is the first point after which the palm comes out for a while: neither what the other
        palm does through the box later, nor a grip.
        """
        coming = np.diff(self.depths) < 0.0
        last = next((k for k in range(len(coming)) if coming[k : k + LASTING].all()), len(coming))
        return np.asarray(np.sum(self.forces[: last + 1], axis=0) * STEP)

    @property
    def peak(self) -> np.ndarray:
        """The largest force while it was watched, world axes, shape (3,) [N]."""
        return self.forces[int(np.argmax([np.linalg.norm(force) for force in self.forces]))]


class PalmWatch:
    """Observes a plant after each step; call :meth:`begin` before each approach.

    Attributes:
        palms: contacts of the palms, None: not yet.
        loads: change of the springs' torques since the first contact, of flexible joints, a row a
            step, shape (n,) each [N.m].
        commands: change of the motors' command since then, a row a step, shape (n,) each [N.m].
    """

    def __init__(self, plant: HumanoidPlant) -> None:
        """Prepare for one plant."""
        self._plant = plant
        self.begin(0)

    def begin(self, box: int) -> None:
        """Reset, and observe a box."""
        self.palms: list[PalmTruth | None] = [None, None]
        self.loads: list[np.ndarray] = []
        self.commands: list[np.ndarray] = []
        self._box, self._load, self._command = box, self._springs(), self._plant.control
        self._before, self._torque = self._state(), self._plant.motor_torque

    def _state(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return position and velocity of the robot, and the box's velocity."""
        return self._plant.q, self._plant.v, self._plant.box(self._box).velocity

    def _springs(self) -> np.ndarray:
        """Return the torques of the joints' springs, shape (n,) [N.m]; rigid ones have none."""
        return self._plant.load if self._plant.layout.flexible else np.zeros(0)

    def __call__(self, plant: HumanoidPlant) -> None:
        """Observe one step."""
        started = [truth for truth in self.palms if truth is not None]
        if len(started) == 2 and plant.time > max(t.time for t in started) + WATCHED:
            return
        forces = plant.palm_forces
        for k in range(2):
            self._look(plant, k, forces[k])
        if any(truth is None for truth in self.palms):
            self._before = self._state()
        if all(truth is None for truth in self.palms):
            self._torque, self._load = plant.motor_torque, self._springs()
            self._command = plant.control
        else:
            self.loads.append(self._springs() - self._load)
            self.commands.append(plant.control - self._command)

    def _look(self, plant: HumanoidPlant, k: int, force: np.ndarray) -> None:
        """Observe one palm, whose force is that of the last step."""
        truth = self.palms[k]
        if truth is None:
            if not force.any():
                return
            truth = self.palms[k] = PalmTruth(plant.time - STEP, *self._before)
        if plant.time > truth.time + WATCHED:
            return
        truth.forces.append(force)
        truth.motors.append(plant.motor_torque - self._torque)
        side = np.sign(0.5 - k)
        away = plant.palm_positions[k] - plant.box(self._box).position
        truth.depths.append(float(-side * away[1]))
