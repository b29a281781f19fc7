# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Joint velocities before and after plates hit an object, against their limits."""

from __future__ import annotations

from dataclasses import replace
from itertools import product

import numpy as np

from impact_predictor.multicontact.object_impact import OBJECT_MAPS, Plate, object_impact
from impact_qp.object_speed.object_hit import ObjectHit, ends, joint_limits
from impact_qp.object_speed.use import ObjectUse

MARGIN = 0.02  # arms hit up to 1.5 % too fast


class VelocityUse(ObjectUse):
    """Velocity of each joint, during the approach and after the impact by both maps.

    All ends of the ranges of mass and friction count. The maps, with four contacts a plate and with
    plates that stay on the object, are of inelastic impacts; a restitution e makes their jumps
    larger, 1 + e times (Poisson).
    """

    def __init__(self, hit: ObjectHit, *, margin: float = MARGIN) -> None:
        """Store the hit; ``margin`` of every limit is kept in reserve [-]."""
        self._hit, kinds = hit, ("velocity", "velocity after")
        limits = {name: hit.robots[name].limits for name in hit.plates}
        self._limits = {name: (1.0 - margin) * each.velocity for name, each in limits.items()}
        self.names = sum((joint_limits(hit, name, kinds) for name in hit.plates), ())

    def used(self, scale: float) -> np.ndarray:
        """Return the fractions."""
        plates = self._hit.scaled(scale)
        before = {name: plate.arm.velocity() for name, plate in plates.items()}
        after, bounce = self._after(plates), self._hit.restitution[1]
        shares = []
        for name, dq in before.items():
            reached = [np.abs(each[name] + bounce * (each[name] - dq)) for each in after]
            shares += [
                scale * self._hit.highest_speeds(name) / self._limits[name],
                np.max(reached, axis=0) / self._limits[name],
            ]
        return np.concatenate(shares)

    def _after(self, plates: dict[str, Plate]) -> list[dict[str, np.ndarray]]:
        """Return the joint velocities after the impact by the maps, of all cases, (n,) per arm."""
        hit, cases = self._hit, []
        for mass, friction in product(hit.masses, ends(hit.friction)):
            rubbing = {name: replace(plate, friction=friction) for name, plate in plates.items()}
            cases += [
                object_impact(rubbing, hit.body(mass), hit.footing, kind=kind).joints
                for kind in OBJECT_MAPS
            ]
        return cases
