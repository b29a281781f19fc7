# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""A level floor, rigid or compliant."""

from __future__ import annotations

from dataclasses import dataclass

from impact_predictor.contact_force.laws import ContactLaw


@dataclass(frozen=True)
class Floor:
    """A level floor; its normal is the world's z axis."""

    height: float  # in the world [m]
    friction: float  # mu of Coulomb's law [-]
    law: ContactLaw | None = None  # of the normal force; None: rigid, plastic (e = 0)
    stiction_speed: float = 0.01  # slip below which a compliant floor's friction is viscous [m/s]
