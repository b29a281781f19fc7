# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""One hit of an arm on a wall: what sensors record, and what was true."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass

import numpy as np

from impact_robots import Robot
from studies.foreign.arm import ForeignArm
from studies.foreign.disturbances import Disturbance
from studies.foreign.first_contact import ContactLog, Truth
from studies.foreign.line_controller import DUE, LineController
from studies.foreign.sensors import PERIOD, Clock, ForceSensor, JointSensors
from studies.foreign.setups import ForeignSetup

STEP, FINE_STEP = 1e-4, 2.5e-5  # away from the wall and near it [s]
NEAR = 1e-3  # distance that is near [m]
COAST = 0.15  # after the touch, to the end [s]
SOFT_COAST = 1.5  # of the time of a contact on a soft wall, longer
PATIENCE = 0.6  # after the touch was due [s]
_START = 1e-3  # deviation of the start in each joint [rad]


@dataclass(frozen=True)
class SimulatedHit:
    """What is recorded of one hit, and its truth; k samples, n joints."""

    t: np.ndarray  # shape (k,) [s]
    q: np.ndarray  # shape (k, n) [rad]
    dq: np.ndarray  # shape (k, n) [rad/s]
    tau: np.ndarray  # gravity included, shape (k, n) [N.m]
    force_t: np.ndarray  # shape (f,) [s]
    force: np.ndarray  # on the arm, base axes, shape (f, 3) [N]
    truth: Truth


class Commands:
    """Commands on their way to the motors: late, and less often than they are made."""

    def __init__(self, disturbance: Disturbance, dof: int) -> None:
        """Take what disturbs n joints."""
        waiting = round(disturbance.late / PERIOD)
        self._queue = deque([np.zeros(dof)], maxlen=1 + waiting)
        self._every = max(1, round(disturbance.command_every / PERIOD))
        self._count = 0

    def __call__(self, torque: np.ndarray) -> np.ndarray:
        """Take a command each period, shape (n,) [N.m], and return the one that is in force."""
        if self._count == 0:
            self._queue.extend([torque] * self._queue.maxlen)  # type: ignore[operator]
        elif self._count % self._every == 0:
            self._queue.append(torque)
        else:
            self._queue.append(self._queue[-1])
        self._count += 1
        return self._queue[0]


def simulate_hit(thought: Robot, setup: ForeignSetup, number: int) -> SimulatedHit:
    """Return one hit.

    Args:
        thought: the robot as its controller and its analysis know it.
        setup: what is true.
        number: of the hit: motions take turns, noise, start and sampling phases differ.

    Raises:
        ValueError: the arm did not reach the wall.
    """
    random = np.random.default_rng([setup.seed, 11, number])
    motion = setup.motions[number % len(setup.motions)]
    controller = LineController(thought, setup, motion)
    off = setup.disturbance
    arm = ForeignArm(setup.robot, setup.joint_friction, motion.wall, off)
    arm.reset(controller.reference(0.0)[0] + random.normal(0.0, _START, thought.dof))
    joints, log = JointSensors(random, off), ContactLog(arm)
    forces = ForceSensor(setup.force_rate, setup.force_offset, random, off.late)
    clock, commands = Clock(PERIOD, random), Commands(off, thought.dof)
    sensed = torque = np.zeros(thought.dof)
    coast = COAST + SOFT_COAST * off.contact_time
    while arm.time < (DUE + PATIENCE if log.touch is None else log.touch + coast):
        if clock(arm.time):
            measured = joints.sample(arm.time, arm.q, arm.dq, sensed)
            since = -1.0 if log.touch is None else arm.time - log.touch
            torque = commands(controller.torque(arm.time, *measured, since))
        near = arm.depth(arm.q) > -NEAR
        if near:
            log.before_step()
        h = FINE_STEP if near else STEP
        step = arm.step(torque, h)
        log.after_step(step, h)
        sensed = step.joint_torque
        forces.look(arm.time, step.force)
    t, q, dq, tau = (np.array(column) for column in zip(*joints.rows, strict=True))
    force_t = np.array([time for time, _ in forces.rows])
    force = np.array([value for _, value in forces.rows]).reshape(-1, 3)
    return SimulatedHit(t, q, dq, tau, force_t, force, log.truth(setup.robot))
