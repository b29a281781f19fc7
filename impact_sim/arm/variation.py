# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Variation between trials of a scenario, besides the sensor noise."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from impact_sim.scenarios import Scenario

STREAM = 1  # of the random numbers of a seed; the sensors' noise has the seed itself


@dataclass(frozen=True)
class Draw:
    """The drawn values of one trial."""

    shift: np.ndarray  # of the contact point at the start, contact axes, shape (3,) [m]
    friction: float  # Coulomb's coefficient of the surface [-]


def draw(scenario: Scenario, seed: int) -> Draw:
    """Draw what a scenario's ``variation`` names; the same seed gives the same numbers.

    ``lateral``: largest displacement of the start along each tangent of the surface [m];
    ``phase``: largest time by which the start is further away, at the reference speed [s];
    ``friction``: lowest and highest coefficient. All uniform; other quantities do not vary.
    """
    limits = scenario.variation
    random = np.random.default_rng([seed, STREAM])
    sideways = limits.get("lateral", 0.0) * random.uniform(-1.0, 1.0, 2)
    further = limits.get("phase", 0.0) * scenario.reference_speed * random.uniform()
    low, high = limits.get("friction", (scenario.friction, scenario.friction))
    return Draw(np.array([*sideways, further]), float(low + (high - low) * random.uniform()))
