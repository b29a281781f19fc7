# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""The parts of a robot cell."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from impact_robots.cell import RobotCell
from impact_sim.checked_numbers import check_at_least
from impact_sim.exceptions import SimulationError
from impact_sim.plant.motor_friction import MotorFriction

PLATE = (0.1, 0.1)  # edges of an end-effector's plate [m]


@dataclass(frozen=True)
class PairContact:
    """Contact of two faces: a spring and a damper, and Coulomb friction.

    The spring is given by the natural frequency of the box alone on it.
    """

    friction: float  # coefficient [-]
    frequency: float = 150.0  # natural, of the box on the spring [rad/s]
    damping_ratio: float = 0.6  # of the same [-]

    def __post_init__(self) -> None:
        """Check the numbers.

        Raises:
            SimulationError: one is not finite, or too small.
        """
        check_at_least(self, friction=0.0, frequency=1.0, damping_ratio=0.0)


@dataclass(frozen=True)
class BoxObject:
    """A free homogeneous box."""

    size: tuple[float, float, float]  # edges along its axes [m]
    mass: float  # [kg]
    position: tuple[float, float, float]  # of its centre at the start, world axes [m]
    yaw: float = 0.0  # about the vertical at the start [rad]

    def __post_init__(self) -> None:
        """Check the numbers.

        Raises:
            SimulationError: no such box.
        """
        if not (len(self.size) == 3 and all(0.0 < edge < np.inf for edge in self.size)):
            raise SimulationError(f"box size: expected three numbers above 0, got {self.size}")
        if not 0.0 < self.mass < np.inf:
            raise SimulationError(f"box mass: expected a number above 0, got {self.mass:g}")
        if not (len(self.position) == 3 and np.all(np.isfinite([*self.position, self.yaw]))):
            raise SimulationError(f"box position: expected three numbers, got {self.position}")


@dataclass(frozen=True)
class Support:
    """The horizontal support of the box: a table, or a pedestal of finite size."""

    height: float  # of the top above the world's origin [m]
    half: tuple[float, float] | None = None  # half edges of a pedestal [m]; none: a table
    centre: tuple[float, float] = (0.0, 0.0)  # of a pedestal [m]

    def __post_init__(self) -> None:
        """Check the numbers.

        Raises:
            SimulationError: one is not finite, or an edge has no length.
        """
        if not np.isfinite(self.height):
            raise SimulationError(f"support height: expected a finite number, got {self.height}")
        if self.half is not None and not all(0.0 < edge < np.inf for edge in self.half):
            raise SimulationError(f"pedestal: expected two half edges above 0, got {self.half}")


@dataclass(frozen=True)
class CellLayout:
    """Arms, the box that they push or grab, and its support; world axes."""

    cell: RobotCell  # arms and their base poses
    box: BoxObject | None = None
    support: Support | None = None
    plate: tuple[float, float] = PLATE  # edges, centred at the contact point, normal to its z [m]
    plate_contact: PairContact = field(default_factory=lambda: PairContact(0.8))
    support_contact: PairContact = field(default_factory=lambda: PairContact(0.3))
    motor_friction: MotorFriction | None = None  # of every arm's motors
