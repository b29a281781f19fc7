# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Checks of the arm's electronics that stop the arm."""

from __future__ import annotations

import numpy as np

from impact_detector.detectors.momentum import external_force
from impact_drivers.franka.arm.collision_behavior import OBSERVER_GAIN, CollisionBehavior
from impact_robots.dynamics import ArmDynamics
from impact_robots.robot import Robot
from impact_robots.state.momentum_observer import MomentumObserver

TORQUE_STEP = 1.0  # between two commands, 1000 N.m/s; libfranka refuses that, too [N.m]
ROUNDING = 1e-6  # fraction of a limit
LOST_IN_A_ROW = 20  # commands; one more stops the arm

JOINT_REFLEX, CARTESIAN_REFLEX = "joint_reflex", "cartesian_reflex"
TAU_J_RANGE, TORQUE_DISCONTINUITY = "tau_j_range_violation", "controller_torque_discontinuity"
JOINT_POSITION, JOINT_VELOCITY = "joint_position_limits_violation", "joint_velocity_violation"
COMMUNICATION = "communication_constraints_violation"


class ArmSafety:
    """Checks each cycle as the arm's electronics do.

    Attributes:
        behavior: collision behaviour in force.
        external_torque: observed, shape (7,) [N.m].
    """

    def __init__(self, robot: Robot) -> None:
        """Watch an arm with the collision behaviour of a new one."""
        self._robot, self._dynamics = robot, ArmDynamics(robot)
        self._observer = MomentumObserver(robot, OBSERVER_GAIN)
        self.behavior = CollisionBehavior.low()

    @property
    def external_torque(self) -> np.ndarray:
        """Observed external torque, shape (7,) [N.m]."""
        return self._observer.residual

    def reset(self) -> None:
        """Reset the observer."""
        self._observer.reset()

    def of_command(self, torque: np.ndarray, last: np.ndarray) -> tuple[str, ...]:
        """Return the errors of a command after the last one, shape (7,) each [N.m]."""
        step = np.abs(torque - last).max()
        return (TORQUE_DISCONTINUITY,) if not step <= TORQUE_STEP * (1.0 + ROUNDING) else ()

    def of_state(
        self, time: int, q: np.ndarray, dq: np.ndarray, tau: np.ndarray
    ) -> tuple[str, ...]:
        """Take a measurement; return why the arm must stop.

        Args:
            time: of the measurement [ns].
            q: positions, shape (7,) [rad].
            dq: velocities, shape (7,) [rad/s].
            tau: torques, gravity included, shape (7,) [N.m].
        """
        self._observer.update(time, q, dq, tau)
        limits, external = self._robot.limits, self.external_torque
        found = {
            JOINT_REFLEX: np.abs(external) > self.behavior.torque,
            CARTESIAN_REFLEX: np.abs(self.force(q, dq)) > self.behavior.force,
            TAU_J_RANGE: np.abs(tau) > limits.torque_range,
            JOINT_VELOCITY: np.abs(dq) > limits.velocity,
            JOINT_POSITION: (q < limits.position_lower) | (q > limits.position_upper),
        }
        return tuple(name for name, where in found.items() if where.any())

    def force(self, q: np.ndarray, dq: np.ndarray) -> np.ndarray:
        """Return the force at the contact point that explains the torques best, (6,) [N; N.m]."""
        return external_force(self._dynamics(q, dq).J, self.external_torque)
