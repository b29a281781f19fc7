# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Friction in the motors and gears of an arm, before its joint torque sensors."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from impact_robots.robot import read_only
from impact_sim.exceptions import SimulationError


@dataclass(frozen=True)
class MotorFriction:
    r"""Coulomb and viscous friction of n motors, seen after the gear, arrays of shape (n,).

    .. math:: \tau_{fric} = -c\,\mathrm{sign}\,\dot\theta - d\,\dot\theta

    a motor at rest holds up to c (van Steen et al., (4)).
    """

    coulomb: np.ndarray  # c [N.m]
    viscous: np.ndarray  # d [N.m.s/rad]

    def __post_init__(self) -> None:
        """Store read-only copies.

        Raises:
            SimulationError: a number is negative or not finite, or the shapes differ.
        """
        for name in ("coulomb", "viscous"):
            values = read_only(getattr(self, name))
            if values.ndim != 1 or not np.all((values >= 0.0) & (values < np.inf)):
                raise SimulationError(f"motor friction, {name}: expected numbers from 0")
            object.__setattr__(self, name, values)
        if self.coulomb.shape != self.viscous.shape:
            raise SimulationError("motor friction: expected as many coulomb as viscous numbers")

    @classmethod
    def of(
        cls, dof: int, coulomb: float | Sequence[float], viscous: float | Sequence[float]
    ) -> MotorFriction:
        """Return the friction of ``dof`` motors from one number for all, or one each.

        Raises:
            SimulationError: another number of numbers, or one out of its range.
        """
        given = (np.asarray(coulomb, dtype=float), np.asarray(viscous, dtype=float))
        if any(each.shape not in ((), (dof,)) for each in given):
            raise SimulationError(f"motor friction: expected one number, or {dof}")
        return cls(*(np.broadcast_to(each, dof) for each in given))
