# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""One exact impact of plant and torque loop under any command: no driver, no noise, no ROS."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import inf

import numpy as np

from impact_robots import ArmDynamics, PointState
from impact_sim.driver.driver_cycle import CLEARANCE, integrate_cycle
from impact_sim.exceptions import SimulationError
from impact_sim.plant.plant import FlexibleJointPlant
from impact_sim.plant.step_records import Steps
from impact_sim.plant.torque_loop import TorqueLoop

TIMEOUT = 2.0  # without contact [s]

# time since the start [s], dynamics of the links, whether contact has begun: torque (n,)
Command = Callable[[float, PointState, bool], np.ndarray]


@dataclass(frozen=True)
class ContactStart:
    """The instant of the first contact."""

    time: float  # since the start [s]
    q: np.ndarray  # link positions, shape (n,) [rad]
    dq: np.ndarray  # link velocities, shape (n,) [rad/s]


@dataclass(frozen=True)
class DirectRun:
    """Result of the run, without noise.

    The arrays of motion have one row per command cycle. Those of the contact have one row per
    plant step, from first contact on, while the point is near the surface.
    """

    t: np.ndarray  # since the start, shape (N,) [s]
    q: np.ndarray  # link positions, shape (N, n) [rad]
    dq: np.ndarray  # link velocities, shape (N, n) [rad/s]
    tau: np.ndarray  # torque in the joints' springs, shape (N, n) [N.m]
    torque: np.ndarray  # commanded, gravity included, shape (N, n) [N.m]
    contact_start: ContactStart
    contact_t: np.ndarray  # since the start, shape (K,) [s]
    contact_force: np.ndarray  # on the robot, base axes, shape (K, 3) [N]
    # of the contact point, base axes, shape (K, 3) [m/s]; without ``contact_motion`` (0, 3)
    contact_velocity: np.ndarray
    normal: np.ndarray  # of the surface, towards the robot, base axes, shape (3,)
    contact_step: float  # between rows of the contact [s]

    @property
    def approach_speed(self) -> float:
        """Normal speed at first contact, positive [m/s]."""
        return float(-self.normal @ self.contact_velocity[0])

    @property
    def compression_impulse(self) -> float:
        """Normal impulse up to the end of the compression [N.s].

        Raises:
            SimulationError: the compression does not end within the run.
        """
        during = self.contact_force[: self._compression_steps()] @ self.normal
        return float(during.sum() * self.contact_step)

    @property
    def compression_time(self) -> float:
        """Time from first contact to the end of the compression [s].

        Raises:
            SimulationError: the compression does not end within the run.
        """
        return self._compression_steps() * self.contact_step

    def _compression_steps(self) -> int:
        """Return the number of steps until the normal velocity has vanished."""
        ended = np.flatnonzero(self.contact_velocity @ self.normal >= 0.0)
        if not ended.size:
            raise SimulationError("direct run: the compression does not end within the run")
        return int(ended[0])


def direct_run(
    plant: FlexibleJointPlant,
    command: Command,
    *,
    after_contact: float,
    after_release: float = inf,
    torque_loop: bool = True,
    contact_motion: bool = True,
    clearance: float = CLEARANCE,
) -> DirectRun:
    """Run the plant from its present state until ``after_contact`` [s] after first contact.

    Args:
        plant: with a wall, already ``reset``.
        command: called once a cycle of 1 ms; returns the desired torque, gravity included.
        after_contact: duration after contact [s].
        after_release: largest duration after the first release [s].
        torque_loop: False: the motors apply the desired torque directly.
        contact_motion: False: leave out the velocities of the contact, in less time.
        clearance: from the surface, up to which steps are small; has to exclude a contact within a
            period of the torque loop [m].

    Raises:
        SimulationError: no wall, or no contact within ``TIMEOUT``.
    """
    if plant.wall is None:
        raise SimulationError("direct run: expected a wall")
    loop = TorqueLoop(plant.robot, enabled=torque_loop)
    recorder = _Recorder(plant, loop, clearance, contact_motion=contact_motion)
    dynamics = ArmDynamics(plant.robot, compiled=True)
    while recorder.contact_start is None or plant.time < min(
        recorder.contact_start.time + after_contact, recorder.release + after_release
    ):
        if recorder.contact_start is None and plant.time > TIMEOUT:
            raise SimulationError(f"direct run: no contact within {TIMEOUT:g} s")
        state = dynamics.given(plant.q, plant.dq)
        recorder.cycle(state, command(plant.time, state, recorder.contact_start is not None))
    return recorder.run(plant.wall.surface.normal)


class _Recorder:
    """Advances the plant by cycles and records the data of a :class:`DirectRun`."""

    def __init__(
        self, plant: FlexibleJointPlant, loop: TorqueLoop, clearance: float, *, contact_motion: bool
    ) -> None:
        self._plant, self._loop, self._contact_motion = plant, loop, contact_motion
        self._clearance = clearance
        self._loop.reset(plant.joint_torque)
        self._motion: list[tuple[float, np.ndarray, np.ndarray, np.ndarray, np.ndarray]] = []
        self._contact: list[tuple[np.ndarray, np.ndarray, np.ndarray]] = []
        self.contact_start: ContactStart | None = None
        plant.looks_at_motion = True  # until the first contact
        self.release = inf  # time of the first step without a force after it [s]

    def cycle(self, state: PointState, torque: np.ndarray) -> None:
        """Advance one cycle from the ``state`` of the links with a desired torque (n,) [N.m]."""
        plant = self._plant
        self._motion.append((plant.time, state.q, state.dq, plant.joint_torque, torque))
        if plant.compiled:
            for near, steps in plant.advance_cycle_within(self._loop, torque, self._clearance):
                if near:
                    self._take(steps)
            return
        integrate_cycle(
            plant,
            [(plant, self._loop, torque)],
            is_near=lambda: plant.gap <= self._clearance,
            contact_steps=lambda steps: self._take(plant.advance_contact(steps)),
        )

    def _take(self, found: Steps) -> None:
        """Record small steps, from first contact on."""
        first = 0
        if self.release == inf:
            pushed = np.any(found.force, axis=1)
            if self.contact_start is None:
                if not pushed.any():
                    return
                first = self._start(found, int(pushed.argmax()))
            if not pushed[first:].all():
                self.release = float(found.time[first + int(pushed[first:].argmin())])
        velocity = found.velocity[first if self._contact_motion else len(found.velocity) :]
        self._contact.append((found.time[first:], found.force[first:], velocity))

    def _start(self, found: Steps, first: int) -> int:
        """Note the first contact, at a step; return its number."""
        self.contact_start = ContactStart(float(found.time[first]), found.q[first], found.dq[first])
        self._plant.looks_at_motion = self._contact_motion
        return first

    def run(self, normal: np.ndarray) -> DirectRun:
        """Return the record.

        Raises:
            SimulationError: there was no contact.
        """
        if self.contact_start is None:
            raise SimulationError("direct run: no contact")
        t, q, dq, tau, torque = (np.array(column) for column in zip(*self._motion, strict=True))
        contact_t, force, velocity = (
            np.concatenate(column) for column in zip(*self._contact, strict=True)
        )
        step = self._plant.contact_step
        return DirectRun(
            t, q, dq, tau, torque, self.contact_start, contact_t, force, velocity, normal, step
        )
