# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Result of the identification of an arm's joints, with its uncertainty."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from impact_robots.description.joint_ranges import JointRanges

FAR = 2.0  # times beyond the assumed range a figure is not believed


@dataclass(frozen=True)
class JointIdentification:
    """Figures of n joints, rows stiffness, damping, motor inertia; NaN: not fitted."""

    scale: np.ndarray  # over the nominal values, shape (3, n) [-]
    low: np.ndarray  # of the 95 % intervals, shape (3, n) [-]
    high: np.ndarray  # shape (3, n) [-]
    hits: np.ndarray  # that excited a joint, shape (n,)
    misfit: np.ndarray  # squared residual over that of noise, shape (n,)
    most_misfit: np.ndarray  # up to which the model holds, shape (n,)
    assumed: JointRanges  # of the robot

    @property
    def interval(self) -> tuple[np.ndarray, np.ndarray]:
        """Ends of the 95 % intervals, shape (3, n) each [-]."""
        return self.low, self.high

    @property
    def explained(self) -> np.ndarray:
        """Joints whose hits the model explains, shape (n,).

        Noise explains the residual; no parameter is far from its assumed value, or vague and apart
        from it: rigid joints, or positions of the motors, look like springs that are very stiff.
        """
        low, high = self._assumed()
        far = (self.scale > FAR * high) | (self.scale < low / FAR)
        odd = far | (self._apart & ~self._narrow)
        return np.asarray((self.misfit <= self.most_misfit) & ~odd.any(axis=0))

    @property
    def known(self) -> np.ndarray:
        """Figures that are known better than assumed, shape (3, n)."""
        return self._narrow & self.explained

    @property
    def contradicted(self) -> np.ndarray:
        """Known figures outside of the assumed range, by intervals twice as wide, shape (3, n).

        Of many figures one in twenty is outside of its 95 % interval.
        """
        low, high = self._assumed()
        apart = (self.low**2 > high * self.scale) | (self.high**2 < low * self.scale)
        return np.asarray(self.known & apart)

    @property
    def bounds(self) -> np.ndarray:
        """Lowest and highest of each figure: identified where known, else assumed, (2, 3, n)."""
        return np.where(self.known, np.stack([self.low, self.high]), np.stack(self._assumed()))

    @property
    def values(self) -> np.ndarray:
        """Each figure over the nominal one: identified where known, else 1, shape (3, n)."""
        return np.where(self.known, self.scale, 1.0)

    @property
    def ranges(self) -> JointRanges:
        """Ranges as fractions of the nominal values."""
        return JointRanges(*np.swapaxes(self.bounds, 0, 1))

    @property
    def _narrow(self) -> np.ndarray:
        """Whether intervals are narrower than the assumed range, (3, n)."""
        low, high = self._assumed()
        return np.asarray(self.high / self.low < high / low)

    @property
    def _apart(self) -> np.ndarray:
        """Whether intervals lie outside of the assumed range, (3, n)."""
        low, high = self._assumed()
        return np.asarray((self.low > high) | (self.high < low))

    def _assumed(self) -> tuple[np.ndarray, np.ndarray]:
        """Return the robot's assumed values, (3, n) each."""
        each = self.assumed
        ranges = (each.stiffness, each.damping, each.motor_inertia)
        shape = (2, self.hits.size)
        low, high = np.stack([np.broadcast_to(one, shape) for one in ranges], axis=1)
        return low, high
