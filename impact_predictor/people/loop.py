# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""The controller of an arm that meets something, and its reaction."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from impact_predictor.joint_load.drive import IDEAL, drive_of
from impact_predictor.joint_load.elastic_arm import ElasticArm, elastic_arm
from impact_predictor.people.aim import Aim

COASTING, IMPEDANCE, SERVO = "coasting", "impedance", "servo"


class ArmLoop(NamedTuple):
    """What moves the joints along; arrays of shape (n,)."""

    kind: str  # coasting: torques stay as they are; impedance: on link positions; servo: on motors
    motor_inertia: np.ndarray  # B_theta, of a servo B_rho [kg.m^2]
    stiffness: np.ndarray  # K_p, of a servo K_s [N.m/rad]
    damping: np.ndarray  # D_p, of a servo B_rho w_v [N.m.s/rad]

    @property
    def pushes(self) -> bool:
        """Whether it goes on pushing until the reaction."""
        return self.kind != COASTING

    @property
    def lag(self) -> float:
        """Time by which a servo follows late, 1/K_v [s]."""
        return float(np.max(self.damping / self.stiffness)) if self.kind == SERVO else 0.0

    def stiffness_along(self, aim: Aim) -> float:
        """Return k_c, of the arm as a spring in the direction; infinite: it coasts [N/m]."""
        if not self.pushes:
            return np.inf
        give = aim.j**2 / self.stiffness
        if self.kind == SERVO:
            give = give + aim.j**2 / aim.robot.joint_stiffness
        return float(1.0 / np.sum(give))

    def damping_along(self, aim: Aim) -> float:
        """Return d_c, of an impedance as a damper in the direction [N.s/m]."""
        if self.kind != IMPEDANCE:
            return 0.0
        return float(1.0 / np.sum(aim.j**2 / self.damping))

    def arm(self, aim: Aim) -> ElasticArm:
        """Return the flexible-joint arm under this controller.

        Raises:
            PredictionError: the robot's YAML does not define the required fields.
        """
        arm = elastic_arm(aim.robot, aim.state, IDEAL)._replace(motor_inertia=self.motor_inertia)
        if self.kind == SERVO:
            return arm._replace(servo_stiffness=self.stiffness, servo_damping=self.damping)
        return arm._replace(loop_stiffness=self.stiffness, loop_damping=self.damping)


def coasting(aim: Aim) -> ArmLoop:
    """Return torques that stay what they are, by a torque loop that makes B_theta of B_rho."""
    zero = np.zeros(aim.robot.dof)
    return ArmLoop(COASTING, np.array(aim.robot.apparent_motor_inertia), zero, zero)


def impedance(aim: Aim, stiffness: ArrayLike, damping: ArrayLike) -> ArmLoop:
    """Return an impedance on the link positions, shape (n,) [N.m/rad; N.m.s/rad]."""
    gains = np.array(stiffness, dtype=float), np.array(damping, dtype=float)
    return ArmLoop(IMPEDANCE, np.array(aim.robot.apparent_motor_inertia), *gains)


def servo(aim: Aim, K_v: float, w_v: float) -> ArmLoop:
    r"""Return a position loop around a velocity loop, without feed-forward.

    :math:`\tau = B_\rho w_v (K_v (q_c - \theta) - \dot\theta)`; it begins in its steady lag v/K_v.

    Args:
        aim: of the arm.
        K_v: of the position loop [1/s].
        w_v: bandwidth of the velocity loop [rad/s].
    """
    B = np.array(aim.robot.reflected_motor_inertia)
    return ArmLoop(SERVO, B, B * w_v * K_v, B * w_v)


def servo_of(aim: Aim) -> ArmLoop:
    """Return the servo of the robot's YAML.

    Raises:
        PredictionError: the YAML does not define it.
    """
    drive_of(aim.robot, "position")
    robot = aim.robot
    motors, K, D = robot.reflected_motor_inertia, robot.servo_stiffness, robot.servo_damping
    return ArmLoop(SERVO, np.array(motors), np.array(K), np.array(D))


class Reaction(NamedTuple):
    """To a contact: the low-passed contact force is compared once a period, then the arm brakes."""

    force: float  # above which contact is detected, F_det [N]
    filter_time: float  # T_f of the first-order low-pass [s]
    delay: float  # from detection until the arm begins to brake [s]
    brake: float  # deceleration of the commanded motion of the point [m/s^2]
    period: float = 0.001  # between two comparisons [s]

    def change(self, speed: float, since: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return by how much the commanded motion stays behind the uniform one [m, m/s].

        Args:
            speed: before [m/s].
            since: times since the arm begins to brake, below zero before it does [s].
        """
        stop = speed / self.brake
        braking = np.clip(since, 0.0, stop)
        still = np.maximum(since - stop, 0.0)
        return -0.5 * self.brake * braking**2 - speed * still, -self.brake * braking
