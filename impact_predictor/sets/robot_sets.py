# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""All feasible sets of a robot that is about to hit a surface, by name."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

import numpy as np

from impact_predictor.exceptions import UnknownNameError
from impact_predictor.inertia.impulse_maps import (
    angular_momentum_map,
    com_velocity_map,
    joint_velocity_map,
    mean_force_factor,
)
from impact_predictor.inertia.inertia_models import named_inverse_inertia
from impact_predictor.inertia.jacobian import contact_jacobian
from impact_predictor.sets import derived_sets as derived
from impact_predictor.sets.feasible_sets import compression_set, impulse_set
from impact_predictor.sets.polytope import Polytope
from impact_robots import PointState, Robot, Surface

RIGID_SETS = (  # that follow from impulses of a rigid arm, of any robot
    "compression_impulse",
    "impulse",
    "velocity_jump",
    "velocity_after",
    "force",
    "joint_velocity_jump",
    "impulsive_torque",
    "com_velocity_jump",
    "angular_momentum_jump",
)
SETS = (*RIGID_SETS, "load")  # and the impulses of a flexible-joint arm


def robot_sets(
    state: PointState,
    surface: Surface,
    robot: Robot,
    *,
    generators: int = 8,
    circumscribed: bool = True,
    peak_factor: float = 3.0,
    duration: float = 0.018,
    inverse_inertia: str = "crb",
    names: Sequence[str] = (),
) -> tuple[Polytope, ...]:
    """Return the sets of possible impulses in ``state``, or of their effects, in order of names.

    The friction pyramid is that of the highest friction: it holds those of all lower ones. The set
    "load" is that of the flexible-joint arm, see :func:`~impact_predictor.sets.load_set.load_set`:
    it depends on surface, state and robot alone.

    Args:
        state: dynamics of the arm right before the impact.
        surface: that the contact point hits.
        robot: the arm; jumps of joint velocity are those of M + B_theta. On a floating base, of
            M + B_rho where there is no B_theta, and its centre of mass is that of all of it.
        generators: number of facets of the friction pyramid, 3 to 1000.
        circumscribed: pyramid around Coulomb's cone instead of inside it.
        peak_factor: ratio of peak to mean contact force, > 0 [-].
        duration: of the contact, > 0 [s].
        inverse_inertia: W, one of ``INVERSE_INERTIAS``.
        names: of :data:`SETS`; empty: all but "load".

    Raises:
        NotApproachingError: the contact point does not approach.
        OutOfRangeError: an argument is out of its range.
        RobotError: the set needs a figure of the robot that is unknown, or it has closed loops.
        UnboundedSetError: the friction pyramid is too wide for W.
        UnknownJointsError: "load" of a robot that does not give stiffness of its joints.
        UnknownNameError: no such set or inverse inertia.
    """
    for name in names:
        if name not in SETS:
            raise UnknownNameError("set", name, SETS)
    robot.require_no_loops("sets")
    pyramid = (generators, circumscribed)
    factor = mean_force_factor(peak_factor, duration)
    W = named_inverse_inertia(state, surface.rotation, inverse_inertia).W
    family = _Family(state, surface, robot, W, pyramid, factor)
    return tuple(getattr(family, name) for name in names or RIGID_SETS)


class _Family:
    """The sets of one impact, each computed once, on demand."""

    def __init__(
        self,
        state: PointState,
        surface: Surface,
        robot: Robot,
        W: np.ndarray,
        pyramid: tuple[int, bool],
        factor: float,
    ) -> None:
        """Store the impact; ``pyramid`` is number of facets, circumscribed."""
        self.state, self.surface, self.robot, self.W = state, surface, robot, W
        self.pyramid, self.factor = pyramid, factor
        self.J = contact_jacobian(state, surface.rotation)
        self.velocity = self.J @ state.dq
        self._joints = slice(robot.nv - robot.dof, None)  # behind a floating base's velocities

    @cached_property
    def _body(self) -> tuple[float, np.ndarray]:
        """Mass and centre of mass of the moved bodies: all of a floating robot."""
        if self.robot.base == "floating":
            return self.state.robot_state.whole()
        return self.state.mass, self.state.com

    @cached_property
    def compression_impulse(self) -> Polytope:
        speed = float(self.velocity[2])
        return compression_set(self.W, self.surface.friction[1], speed, *self.pyramid)

    @cached_property
    def impulse(self) -> Polytope:
        (_, friction), restitution = self.surface.friction, self.surface.restitution
        speed = float(self.velocity[2])
        return impulse_set(self.W, friction, restitution, speed, *self.pyramid)

    @cached_property
    def velocity_jump(self) -> Polytope:
        return derived.velocity_jump_set(self.impulse, self.W)

    @cached_property
    def velocity_after(self) -> Polytope:
        return derived.velocity_after_set(self.velocity_jump, self.velocity)

    @cached_property
    def force(self) -> Polytope:
        return derived.force_set(self.impulse, self.factor)

    @cached_property
    def joint_velocity_jump(self) -> Polytope:
        velocity_map = joint_velocity_map(self.J, self.state.M, self._motors())[self._joints]
        return derived.joint_velocity_jump_set(self.impulse, velocity_map, self.robot.joint_names)

    def _motors(self) -> np.ndarray:
        """Return the diagonal of B, shape (nv,)."""
        motors = self.robot.motor_inertias
        if self.robot.base == "floating" and "M+B_theta" not in motors:
            self.robot.require("sets", "reflected_motor_inertia")
            return motors["M+B_rho"]
        self.robot.require("sets", "apparent_motor_inertia")
        return self.robot.on_velocities(self.robot.apparent_motor_inertia)

    @cached_property
    def impulsive_torque(self) -> Polytope:
        return derived.impulsive_torque_set(
            self.force, self.J[:, self._joints], self.robot.joint_names
        )

    @cached_property
    def com_velocity_jump(self) -> Polytope:
        com_map = com_velocity_map(self._body[0], self.surface.rotation)
        return derived.com_velocity_jump_set(self.impulse, com_map)

    @cached_property
    def angular_momentum_jump(self) -> Polytope:
        place = self.state.position
        momentum_map = angular_momentum_map(place, self._body[1], self.surface.rotation)
        return derived.angular_momentum_jump_set(self.impulse, momentum_map)

    @cached_property
    def load(self) -> Polytope:
        from impact_predictor.sets.load_set import load_set  # compiled: loads slowly

        return load_set(self.state, self.surface, self.robot)
