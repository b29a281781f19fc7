# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""One contact up to separation: motion, force, energies and events."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

import numpy as np

from impact_robots.robot import read_only


class ContactEnd(Enum):
    """How a simulated contact ended."""

    SEPARATED = "separated"  # the penetration is back at zero
    FORCE_VANISHED = "force vanished"  # the robot left a surface that was still dented
    HELD = "held"  # still in contact when the time was over


@dataclass(frozen=True)
class ContactProfile:
    """Samples from contact (time 0) to the end of contact, each of shape (n,).

    Penetration, rate and force are along the contact normal: penetration and rate are positive into
    the surface, the force on the robot is positive out of it. Impulse, dissipated energy and
    external work are integrals since contact. The arrays are read-only.
    """

    mass: float  # of the free body [kg]
    approach_speed: float  # at contact [m/s]
    time: np.ndarray  # [s]
    penetration: np.ndarray  # [m]
    rate: np.ndarray  # [m/s]
    force: np.ndarray  # [N]
    impulse: np.ndarray  # of the contact force [N.s]
    potential: np.ndarray  # energy that the contact could give back at rest [J]
    dissipated: np.ndarray  # [J]
    external_work: np.ndarray  # done on the body by the external force [J]
    compression_end: float | None  # time at which the rate is first zero [s]
    end: ContactEnd

    def __post_init__(self) -> None:
        """Store read-only copies."""
        for name, value in vars(self).items():
            if isinstance(value, np.ndarray):
                object.__setattr__(self, name, read_only(value))

    @property
    def kinetic(self) -> np.ndarray:
        """Kinetic energy, shape (n,) [J]."""
        return 0.5 * self.mass * self.rate**2

    @property
    def energy_balance(self) -> np.ndarray:
        """Kinetic, potential and dissipated energy less external work, shape (n,) [J]; constant."""
        return self.kinetic + self.potential + self.dissipated - self.external_work

    @property
    def contact_end(self) -> float | None:
        """Time of the end of restitution [s], None where the contact is held."""
        return None if self.end is ContactEnd.HELD else float(self.time[-1])

    @property
    def restitution(self) -> float | None:
        """Speed of separation over speed of approach, None where the contact is held."""
        if self.end is ContactEnd.HELD:
            return None
        return float(-self.rate[-1] / self.approach_speed)

    @property
    def peak_force(self) -> float:
        """Largest force of the samples [N]."""
        return float(self.force.max())

    @property
    def peak_time(self) -> float:
        """Time of the largest force of the samples [s]."""
        return float(self.time[self.force.argmax()])

    @property
    def compression_impulse(self) -> float:
        """Impulse up to the end of compression [N.s]; all of it where compression never ends."""
        if self.compression_end is None:
            return float(self.impulse[-1])
        return float(np.interp(self.compression_end, self.time, self.impulse))
