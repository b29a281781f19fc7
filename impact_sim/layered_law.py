# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
r"""A soft skin over a hard core: the normal force law of a mat on steel.

.. math::

    f = \left(k_s\min(\delta, t) + k_c\max(0, \delta - t)\right)(1 + \lambda\dot\delta)

with the penetration :math:`\delta`, the skin's stiffness :math:`k_s` and thickness :math:`t`, the
core's stiffness :math:`k_c` and damping over stiffness :math:`\lambda`. The force has no jump, and
as with the law of Hunt and Crossley the restitution depends on :math:`\lambda v` alone.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import inf
from typing import Any, NamedTuple

import numpy as np

from impact_predictor.contact_force.contact_law import CONTACT_LAWS, RateLaw
from impact_predictor.contact_force.free_contact import rebound
from impact_predictor.contact_force.laws import ContactLaw, contact_law
from impact_robots.exceptions import ImpactError, OutOfRangeError
from impact_robots.validation import positive

NAME, KEYS = "layered", ("skin", "core", "thickness", "loss")  # in a scenario's contact


@dataclass(frozen=True)
class LayeredLaw(RateLaw):
    """A skin over a core, both with the same damping over stiffness.

    Raises:
        OutOfRangeError: a stiffness or the thickness is not positive, or the loss negative.
    """

    skin: float  # stiffness from contact on [N/m]
    core: float  # stiffness below the skin [N/m]
    thickness: float  # of the skin [m]
    loss: float  # damping over stiffness [s/m]

    def __post_init__(self) -> None:
        """Check the figures."""
        for name in KEYS[:3]:
            positive(getattr(self, name), name)
        if not 0.0 <= self.loss < inf:
            raise OutOfRangeError("loss", "a finite number, at least 0", self.loss)

    def unclipped_force(self, penetration: float, rate: float) -> float:
        """Return the force of the formula [N], a pull where negative."""
        return self.elastic_force(penetration) * (1.0 + self.loss * rate)

    def elastic_force(self, penetration: float) -> float:
        """Return the force at rest [N]."""
        depth = max(penetration, 0.0)
        return self.skin * min(depth, self.thickness) + self.core * max(0.0, depth - self.thickness)

    def elastic_energy(self, penetration: float) -> float:
        """Return the work of the force at rest [J]."""
        depth = max(penetration, 0.0)
        soft, hard = min(depth, self.thickness), max(0.0, depth - self.thickness)
        return 0.5 * self.skin * soft**2 + hard * (self.skin * soft + 0.5 * self.core * hard)

    def free_restitution(self, approach_speed: float, mass: float | None = None) -> float:
        """Return the exact restitution of a free body, of any mass [-]."""
        return rebound(self.loss * approach_speed)


class LayerRanges(NamedTuple):
    """Ranges of drawn layered walls."""

    skin: tuple[float, float] = (1e4, 5e4)  # [N/m]
    core: tuple[float, float] = (1e6, 8e6)  # [N/m]
    thickness: tuple[float, float] = (0.5e-3, 4e-3)  # [m]


DRAWN = LayerRanges()


def drawn_law(random: np.random.Generator, loss: float) -> LayeredLaw:
    """Return a drawn wall: stiffnesses by their logarithm, the thickness uniform.

    Args:
        random: draws three numbers.
        loss: damping over stiffness [s/m].
    """
    skin, core = (float(np.exp(random.uniform(*np.log(each)))) for each in (DRAWN.skin, DRAWN.core))
    return LayeredLaw(skin, core, float(random.uniform(*DRAWN.thickness)), loss)


def wall_law(entries: Mapping[str, Any]) -> ContactLaw:
    """Return the law that a scenario's ``contact`` names: a layered one, or one of the suite's.

    Args:
        entries: ``{model: layered, skin, core, thickness, loss}`` in SI units, or those of
            :func:`~impact_predictor.contact_force.laws.contact_law`.

    Raises:
        ImpactError: unknown model, or a figure that is missing or out of range.
    """
    name = entries.get("model", "")
    names = [name for name, model in CONTACT_LAWS.items() if model.keys] + [NAME]
    if name not in names:
        raise ImpactError(f"contact model: expected one of {', '.join(names)}, got {name!r}")
    if name != NAME:
        return contact_law(dict(entries))
    if missing := [key for key in KEYS if key not in entries]:
        raise ImpactError(f"contact model {name}: {', '.join(missing)} missing")
    return LayeredLaw(*(float(entries[key]) for key in KEYS))
