# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""The parts of a humanoid's plant: servos, floor, boxes and their supports."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from impact_robots.robot import Robot
from impact_robots.task.palm_task import PALM_HALF
from impact_sim.cell.layout import BoxObject, Support
from impact_sim.checked_numbers import check_at_least
from impact_sim.exceptions import SimulationError


def servos_of(robot: Robot) -> Servos:
    """Return the servos of a humanoid's joints, by its YAML.

    Raises:
        SimulationError: the YAML does not give them.
    """
    if robot.servo_stiffness is None or robot.servo_damping is None:
        raise SimulationError(
            f"robot {robot.name} does not give 'servo_stiffness' and 'servo_damping'"
        )
    return Servos(robot.servo_stiffness, robot.servo_damping)


@dataclass(frozen=True)
class SpringFace:
    """Contact of a face's four corners together: a spring and a damper, and Coulomb friction."""

    friction: float  # coefficient [-]
    stiffness: float  # of the whole face [N/m]
    damping: float  # of the same [N.s/m]

    def __post_init__(self) -> None:
        """Check the numbers.

        Raises:
            SimulationError: one is not finite, or below what has a meaning.
        """
        check_at_least(self, friction=0.0, stiffness=1.0, damping=0.0)


@dataclass(frozen=True)
class WeightedBox(BoxObject):
    """A free box, whose centre of mass may be off its middle."""

    com: tuple[float, float, float] = (0.0, 0.0, 0.0)  # from its centre, own axes [m]

    def __post_init__(self) -> None:
        """Check the numbers.

        Raises:
            SimulationError: no such box, or its centre of mass is outside.
        """
        super().__post_init__()
        if not all(abs(at) < edge / 2.0 for at, edge in zip(self.com, self.size, strict=True)):
            raise SimulationError(f"box com: expected a point within the box, got {self.com}")


@dataclass(frozen=True)
class Ramp:
    """An inclined board on which boxes slide down."""

    centre: tuple[float, float, float]  # of its upper face, world axes [m]
    half: tuple[float, float] = (0.35, 0.35)  # half edges along its slope and across [m]
    heading: float = 0.0  # direction in which it goes down, about the vertical from x [rad]
    slope: float = 0.3  # angle with the level [rad]
    friction: float = 0.2  # of boxes on it: they slide down [-]


@dataclass(frozen=True)
class Servos:
    """Position servos of the motors: kp (q_d - q) + kd (dq_d - dq), within the motor limits."""

    stiffness: np.ndarray  # kp, shape (n,) [N.m/rad]
    damping: np.ndarray  # kd, shape (n,) [N.m.s/rad]


@dataclass(frozen=True)
class HumanoidLayout:
    """A robot with a floating base and its surroundings; world axes, the floor at z = 0.

    The robot's contacts are a left and a right palm, which are points, and soles, which are faces.
    """

    robot: Robot
    servos: Servos
    boxes: tuple[WeightedBox, ...] = ()
    support: Support | None = None  # a pedestal on which boxes stand
    ramp: Ramp | None = None
    palm_half: tuple[float, float] = PALM_HALF
    palm_contact: SpringFace = field(default_factory=lambda: SpringFace(0.79, 1e5, 60.0))
    floor_contact: SpringFace = field(default_factory=lambda: SpringFace(0.8, 3e5, 3e3))
    box_contact: SpringFace = field(default_factory=lambda: SpringFace(0.3, 5e4, 100.0))
    flexible: bool = False  # joints have the robot's stiffness and damping; no: they are rigid

    @property
    def palms(self) -> tuple[str, ...]:
        """Names of the contacts that are points."""
        return tuple(each.name for each in self.robot.contacts if each.half_extents is None)

    @property
    def soles(self) -> tuple[str, ...]:
        """Names of the contacts that are faces."""
        return tuple(each.name for each in self.robot.contacts if each.half_extents is not None)
