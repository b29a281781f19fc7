# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""What the fake arm's collision detection saw in a run."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from impact_drivers.fake_fr3.safety import ArmSafety
from impact_drivers.franka.arm.collision_behavior import CollisionBehavior
from impact_robots.robot import Robot
from impact_sim.driver.simulation import Measurement


def observed_peaks(robot: Robot, log: Iterable[Measurement]) -> CollisionBehavior:
    """Return the largest observed external torques and forces of a run.

    Args:
        robot: the arm.
        log: of the run, from its beginning.
    """
    safety = ArmSafety(robot)
    torque, force = np.zeros(robot.dof), np.zeros(6)
    for each in log:
        safety.of_state(each.time_ns, each.q, each.dq, each.tau)
        np.maximum(torque, np.abs(safety.external_torque), out=torque)
        np.maximum(force, np.abs(safety.force(each.q, each.dq)), out=force)
    return CollisionBehavior(torque, force)
