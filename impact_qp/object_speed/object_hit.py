# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Robots with plates that are about to hit a box, and the ranges of the box."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import product

import numpy as np
from numpy.typing import ArrayLike

from impact_predictor.multicontact.bodies import FreeBody, box
from impact_predictor.multicontact.object_impact import Footing, Plate
from impact_robots import ArmDynamics, Robot
from impact_robots.exceptions import OutOfRangeError
from impact_robots.validation import (
    finite_array,
    friction_range,
    positive,
    restitution_range,
    stiffness_range,
)

Range = tuple[float, float]
ArmForces = Mapping[str, ArrayLike]  # wrench of each arm on the object, world axes, (6,) [N; N.m]


@dataclass(frozen=True)
class ObjectHit:
    """Arms at the contact with the velocities that a scale multiplies, and a box in ranges.

    The box is homogeneous, and may move already.
    """

    robots: Mapping[str, Robot]  # by the arm's name
    plates: Mapping[str, Plate]  # by the arm's name
    size: ArrayLike  # of the box, shape (3,) [m]
    position: ArrayLike  # of its centre in the world, shape (3,) [m]
    mass: Range  # lowest and highest [kg]
    friction: Range  # of plates on the box [-]
    restitution: Range  # of the same [-]
    stiffness: Range  # of a plate's contact, finite [N/m]
    velocity: ArrayLike = (0.0, 0.0, 0.0)  # of the box before, world axes, shape (3,) [m/s]
    forces: ArmForces | None = None  # after the impact; None: no forces
    run_up: Mapping[str, ArrayLike] | None = None  # highest joint speeds before, (n,) [rad/s]
    footing: Footing | None = None  # support on which the box stays; None: it is lifted
    rotation: ArrayLike = field(default_factory=lambda: np.eye(3))  # axes of the box, (3, 3)
    interface: str = "torque"  # by which the joints are commanded

    def __post_init__(self) -> None:
        """Check the ranges.

        Raises:
            OutOfRangeError: a range is invalid, empty or unbounded, or no arm.
        """
        if not self.plates:
            raise OutOfRangeError("plates", "at least one arm", "none")
        low, high = (positive(value, "mass") for value in self.mass)
        if low > high:
            raise OutOfRangeError("mass", "low,high", list(self.mass))
        friction_range(self.friction)
        restitution_range(self.restitution)
        if not np.isfinite(stiffness_range(self.stiffness)).all():
            raise OutOfRangeError("stiffness", "finite numbers", self.stiffness)
        finite_array(self.velocity, (3,), "velocity")

    @cached_property
    def dynamics(self) -> dict[str, ArmDynamics]:
        """Of the arms, by name."""
        return {name: ArmDynamics(robot) for name, robot in self.robots.items()}

    @property
    def moves(self) -> bool:
        """Tell whether the box moves before the impact."""
        return bool(np.any(np.asarray(self.velocity)))

    @property
    def masses(self) -> tuple[float, ...]:
        """Ends of the range of the mass, each once [kg]."""
        return ends(self.mass)

    def corners(self) -> list[tuple[float, float, float]]:
        """Return stiffness, restitution and friction at all ends of their ranges.

        Of the stiffness also the middle, on its logarithm.
        """
        middle = float(np.sqrt(self.stiffness[0] * self.stiffness[1]))
        stiffness = sorted({*self.stiffness, middle})
        return list(product(stiffness, ends(self.restitution), ends(self.friction)))

    def body(self, mass: float) -> FreeBody:
        """Return the box with a mass [kg]."""
        state = {"rotation": self.rotation, "linear_velocity": self.velocity}
        return box(mass, self.size, self.position, **state)

    def force(self, name: str) -> np.ndarray:
        """Return the wrench of an arm on the box after the impact, world axes, (6,) [N; N.m]."""
        wrench = (self.forces or {}).get(name, np.zeros(6))
        return finite_array(wrench, (6,), "force")

    def highest_speeds(self, name: str) -> np.ndarray:
        """Return the highest joint speeds of an arm up to the impact, shape (n,) [rad/s]."""
        at_impact = np.abs(self.plates[name].arm.state.dq)
        before = (self.run_up or {}).get(name, np.zeros(self.robots[name].dof))
        return np.maximum(at_impact, finite_array(before, at_impact.shape, "run_up"))

    def scaled(self, scale: float) -> dict[str, Plate]:
        """Return the plates with their arms' velocities multiplied."""
        plates = {}
        for name, plate in self.plates.items():
            state = self.dynamics[name](plate.arm.state.q, scale * plate.arm.state.dq)
            plates[name] = replace(plate, arm=replace(plate.arm, state=state))
        return plates

    def only(self, names: Sequence[str]) -> ObjectHit:
        """Return the hit by some of the arms."""
        return replace(self, plates={name: self.plates[name] for name in names})


def joint_limits(hit: ObjectHit, name: str, kinds: Sequence[str]) -> tuple[str, ...]:
    """Return the names of limits of each joint of an arm, whose own name may be empty."""
    joints = hit.robots[name].joint_names
    return tuple(f"{name} {joint} {kind}".lstrip() for kind in kinds for joint in joints)


def ends(bounds: Range) -> tuple[float, ...]:
    """Return the ends of a range, each once."""
    return tuple(sorted(set(bounds)))
