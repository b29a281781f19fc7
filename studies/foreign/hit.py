# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""One hit of an arm on a wall: what sensors record, and what was true."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from impact_robots import Robot
from studies.foreign.arm import ForeignArm
from studies.foreign.first_contact import ContactLog, Truth
from studies.foreign.line_controller import DUE, LineController
from studies.foreign.sensors import PERIOD, Clock, ForceSensor, JointSensors
from studies.foreign.setups import ForeignSetup

STEP, FINE_STEP = 1e-4, 2.5e-5  # away from the wall and near it [s]
NEAR = 1e-3  # distance that is near [m]
COAST = 0.15  # after the touch, to the end [s]
PATIENCE = 0.15  # after the touch was due [s]
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
    arm = ForeignArm(setup.robot, setup.joint_friction, motion.wall)
    arm.reset(controller.reference(0.0)[0] + random.normal(0.0, _START, thought.dof))
    joints, log = JointSensors(random), ContactLog(arm)
    forces = ForceSensor(setup.force_rate, setup.force_offset, random)
    clock, torque = Clock(PERIOD, random), np.zeros(thought.dof)
    sensed = torque
    while arm.time < (DUE + PATIENCE if log.touch is None else log.touch + COAST):
        if clock(arm.time):
            measured = joints.sample(arm.time, arm.q, arm.dq, sensed)
            since = -1.0 if log.touch is None else arm.time - log.touch
            torque = controller.torque(arm.time, *measured, since)
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
