# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Speed limits of Wang 2023 in closed form (H20), and joint velocities at these limits (H22)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from impact_predictor import existential_speed_bound, robust_speed_bound
from impact_predictor.inertia.impulse_maps import (
    joint_torque_map,
    joint_velocity_map,
    minimum_norm_joint_velocity_map,
)
from impact_predictor.inertia.inverse_inertia import crb
from impact_predictor.inertia.jacobian import contact_jacobian
from impact_predictor.sets.feasible_sets import friction_pyramid, unit_impulses
from impact_robots import ArmDynamics, Robot, contact_rotation
from impact_sim import Scenario, load_scenario, scenario_names
from studies.published import parameter
from studies.wall_configurations import NORMAL, approach, draw

SAMPLES = 200  # drawn wall configurations
FACETS = 8  # of the friction pyramid, not published


@dataclass(frozen=True)
class SpeedLimit:
    """The highest approach speeds at one configuration."""

    name: str
    friction: float
    existential: float  # some impulse respects the torque limits, as published [m/s]
    robust: float  # every impulse does [m/s]
    joint: str  # that the robust limit is about
    velocity_share: float  # largest |qdot^+| over its limit at the existential speed [-]
    published_velocity_share: float  # the same with the published minimum-norm map [-]


def speed_limit(
    robot: Robot, name: str, q: np.ndarray, normal: np.ndarray, friction: float
) -> SpeedLimit:
    """Return the limits at one configuration in front of a wall.

    Args:
        robot: the arm.
        name: of the configuration.
        q: joint positions, shape (n,) [rad].
        normal: of the wall, base axes, shape (3,).
        friction: coefficient [-].

    Raises:
        UnboundedSetError: friction is too large for the set of impulses to be bounded.
    """
    state, rotation = ArmDynamics(robot)(q, np.zeros(robot.dof)), contact_rotation(normal)
    restitution = *parameter("qp.cr_lower"), *parameter("qp.cr_upper")
    (peak,), (duration,) = parameter("qp.a"), parameter("qp.delta_t")
    J, W = contact_jacobian(state, rotation), crb(state, rotation)
    rows, bounds = joint_torque_map(J, peak, duration), robot.limits.impulsive_torque
    K = friction_pyramid(friction, FACETS)
    extreme = unit_impulses(W, friction, restitution, FACETS, circumscribed=True)
    existential = existential_speed_bound(W, K, rows, bounds, restitution)
    robust, binding = robust_speed_bound(rows, bounds, extreme)
    joint = "none" if binding is None else robot.joint_names[binding]
    dq = approach(state, -existential * rotation[:, 2])
    maps = (
        joint_velocity_map(J, state.M, robot.apparent_motor_inertia),
        minimum_norm_joint_velocity_map(J, W),
    )
    shares = (_share(robot, dq, velocity_map @ extreme * existential) for velocity_map in maps)
    return SpeedLimit(name, friction, existential, robust, joint, *shares)


def _share(robot: Robot, dq: np.ndarray, jumps: np.ndarray) -> float:
    """Return the largest |qdot + jump| over its limit, for jumps of shape (n, k) [rad/s]."""
    after = np.abs(dq[:, None] + jumps)
    return float((after / robot.limits.velocity[:, None]).max())


def scenario_limits(robot: Robot) -> list[SpeedLimit]:
    """Return the limits of the named scenarios."""
    scenarios = [load_scenario(name) for name in scenario_names()]
    return [_scenario_limit(robot, scenario) for scenario in scenarios]


def _scenario_limit(robot: Robot, scenario: Scenario) -> SpeedLimit:
    q, normal = np.array(scenario.q_impact), np.array(scenario.normal, dtype=float)
    return speed_limit(robot, scenario.name, q, normal, scenario.friction)


def sampled_limits(robot: Robot, seed: int) -> list[SpeedLimit]:
    """Return the limits at drawn wall configurations, with the friction of configuration one."""
    (friction,) = parameter("qp.mu_cfg1")
    poses = draw(robot, SAMPLES, seed)
    return [
        speed_limit(robot, f"drawn_{index + 1}", q, NORMAL, friction)
        for index, q in enumerate(poses)
        if bounded(robot, q, friction)
    ]


def bounded(robot: Robot, q: np.ndarray, friction: float) -> bool:
    """Return whether the impulses at the wall are bounded: z^T W K > 0 for every generator."""
    state, rotation = ArmDynamics(robot)(q, np.zeros(robot.dof)), contact_rotation(NORMAL)
    K = friction_pyramid(friction, FACETS, circumscribed=True)
    return bool(np.all(crb(state, rotation)[2] @ K > 0.0))
