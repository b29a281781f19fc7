# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""A model of planar impacts that can be fitted: an impact law with a restitution and a pose.

The body has mass 1, which cancels in velocities; its inertia is I/m [m^2].
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

import numpy as np

from impact_analysis.planar.planar_impacts import PlanarImpacts

INERTIA = "inertia_per_mass_m2"
Values = dict[str, np.ndarray]  # parameters by name, each of shape (..., 1)
# impulse in (t, n), shape (..., N, 2), from G (..., N, 2, 2), contact velocity, values, e (..., N)
Law = Callable[[np.ndarray, np.ndarray, Values, np.ndarray], np.ndarray]

Pose = Callable[[PlanarImpacts, Values], PlanarImpacts]


@dataclass(frozen=True)
class Parameter:
    """One number that is fitted."""

    name: str  # ends in its unit
    starts: tuple[float, ...]  # where searches begin
    low: float
    high: float


def as_given(impacts: PlanarImpacts, values: Values) -> PlanarImpacts:
    """Return the impacts with the contact rows that were measured."""
    return impacts


@dataclass(frozen=True)
class Model:
    """What is fitted, and what it predicts."""

    name: str
    summary: str
    parameters: tuple[Parameter, ...]
    law: Law
    # e, shape (..., N), from the impacts and their approach speeds (..., N) [m/s]
    restitution: Callable[[PlanarImpacts, np.ndarray, Values], np.ndarray]
    pose: Pose = as_given
    fixed: Mapping[str, float] = field(default_factory=dict)  # values that are not fitted

    def predict(self, parameters: np.ndarray, impacts: PlanarImpacts) -> np.ndarray:
        """Return velocities after (vx, vy, w), shape (..., N, 3).

        Args:
            parameters: in the order of ``self.parameters``, shape (..., m).
            impacts: N impacts.
        """
        columns = np.moveaxis(np.asarray(parameters), -1, 0)[..., None]
        values = {item.name: column for item, column in zip(self.parameters, columns, strict=True)}
        values |= {name: np.full(columns.shape[1:], x) for name, x in self.fixed.items()}
        impacts = self.pose(impacts, values)
        J = np.stack(np.broadcast_arrays(impacts.tangent, impacts.normal), axis=-2)
        effect = J * _inverse_mass(values[INERTIA])  # (M^-1 J^T)^T, shape (..., N, 2, 3)
        G = effect @ J.swapaxes(-1, -2)
        velocity = (J @ impacts.before[:, :, None])[..., 0]
        e = self.restitution(impacts, -velocity[..., 1], values)
        impulse = self.law(G, velocity, values, e)
        return impacts.before + (impulse[..., None, :] @ effect)[..., 0, :]

    def errors(self, parameters: np.ndarray, impacts: PlanarImpacts) -> np.ndarray:
        """Return the absolute errors of the prediction in (vx, vy, w), shape (..., N, 3)."""
        return np.abs(self.predict(parameters, impacts) - impacts.after)


def _inverse_mass(inertia: np.ndarray) -> np.ndarray:
    """Return diag(1, 1, m/I), shape (..., 1, 1, 3)."""
    ones = np.ones_like(inertia)
    return np.stack([ones, ones, 1 / inertia], axis=-1)[..., None, :]
