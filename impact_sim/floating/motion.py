# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Motion of a robot under given motor torques, step by step."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pinocchio as pin

from impact_robots import Robot
from impact_sim.floating.contact_step import velocity_after
from impact_sim.floating.floor import Floor
from impact_sim.floating.free_step import FreeStepper


class SimulatedMotion(NamedTuple):
    """States at the samples of the torques."""

    q: np.ndarray  # shape (k, nq)
    v: np.ndarray  # shape (k, nv)


def simulate_motion(
    robot: Robot,
    start: tuple[np.ndarray, np.ndarray],
    torques: np.ndarray,
    period: float,
    floor: Floor,
    *,
    motor_inertia: np.ndarray,
    steps: int = 1,
) -> SimulatedMotion:
    """Return how a robot moves whose motors give recorded torques.

    Args:
        robot: with its contacts, springs and loops; its joints have no friction but dampers.
        start: q, shape (nq,), and v, shape (nv,), at the first sample.
        torques: of the motors, each held for one period, shape (k, n) [N.m].
        period: between samples [s].
        floor: that its contacts may touch.
        motor_inertia: diagonal of B, shape (nv,) [kg.m^2].
        steps: of the integration per period.

    Raises:
        RobotError: positions or velocities of the wrong shape.
        UnsolvedImpactError: no impulses were found that satisfy Coulomb's law.
    """
    free, h = FreeStepper(robot, motor_inertia), period / steps
    q, v = (np.array(each, dtype=float) for each in start)
    states = [(q, v)]
    for torque in torques[:-1]:
        for _ in range(steps):
            v = velocity_after(free.step(q, v, torque, h), floor)
            q = pin.integrate(robot.model, q, h * v)
        states.append((q, v))
    return SimulatedMotion(*(np.array(each) for each in zip(*states, strict=True)))
