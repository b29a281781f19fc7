# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Materials of a surface by name: stiffness of a contact with it, friction and restitution.

Elastic figures are a handbook's: J. M. Gere, Mechanics of Materials, 5th ed. 2001, appendix H
(metals; rubber's lower end); M. F. Ashby, D. R. H. Jones, Engineering Materials 1, table 3.1
(rubber's upper end); R. J. Ross (ed.), Wood Handbook, FPL-GTR-190, 2010, chapter 5 (wood, along to
across its grain). Friction and restitution are chosen, wide: dry to lubricated or dirty, and of the
contact alone, which for metals is high at a robot's speeds (K. L. Johnson, Contact Mechanics, 1985,
section 11.5). A narrower range of a better known surface allows a faster hit.
"""

from __future__ import annotations

from typing import NamedTuple

from impact_predictor.contact_force.laws import hertz_stiffness
from impact_predictor.exceptions import UnknownNameError
from impact_robots.registry import Registry
from impact_robots.validation import positive

TOOL_RADIUS = 0.03  # of the sphere at the tip of the robots of this suite [m]
MASS = (1.0, 5.0)  # that an arm has at its contact point [kg]
SPEED = (0.02, 1.0)  # of approach [m/s]

Range = tuple[float, float]


class Elasticity(NamedTuple):
    """Of a half-space or a sphere."""

    young: Range  # Young's modulus [Pa]
    poisson: Range  # Poisson's ratio [-]


STEEL, ALUMINIUM = Elasticity((190e9, 210e9), (0.27, 0.30)), Elasticity((70e9, 79e9), (0.33, 0.33))
TOOLS = (STEEL, ALUMINIUM)


class Material(NamedTuple):
    """Material of a surface: a thick homogeneous body."""

    name: str
    elasticity: Elasticity
    friction: Range  # against a metal tool [-]
    restitution: Range  # of the contact alone [-]

    def stiffness(self, radius: float = TOOL_RADIUS) -> Range:
        """Return lowest and highest stiffness of a contact with a metal tool's sphere [N/m].

        The secant stiffness of Hertz' elastic contact between ``MASS`` and ``SPEED`` at their ends.

        Args:
            radius: of the sphere [m].

        Raises:
            OutOfRangeError: the radius is not positive.
        """
        ends = [
            secant_stiffness(_hertz(radius, tool, self.elasticity, end), MASS[end], SPEED[end])
            for tool in TOOLS
            for end in (0, 1)
        ]
        return min(ends), max(ends)


def secant_stiffness(hertz: float, mass: float, speed: float) -> float:
    r"""Return peak force over depth of an elastic impact of a sphere [N/m].

    All energy is in :math:`f = k_h\delta^{3/2}` at the depth
    :math:`\delta = (5 m v^2/(4 k_h))^{2/5}` (Hertz; Johnson 1985, section 11.4), where
    :math:`f/\delta = k_h\sqrt\delta`.

    Args:
        hertz: k_h, see :func:`~impact_predictor.contact_force.laws.hertz_stiffness` [N/m^1.5].
        mass: of the body that hits [kg].
        speed: of approach [m/s].

    Raises:
        OutOfRangeError: a figure is not positive.
    """
    energy = positive(mass, "mass") * positive(speed, "speed") ** 2 / 2.0
    depth = (2.5 * energy / positive(hertz, "hertz")) ** 0.4
    return float(hertz * depth**0.5)


def _hertz(radius: float, tool: Elasticity, surface: Elasticity, end: int) -> float:
    """Return Hertz' stiffness at the lower (0) or upper (1) ends of the elastic figures."""
    figures = tool.young[end], tool.poisson[end], surface.young[end], surface.poisson[end]
    return hertz_stiffness(radius, *figures)


MATERIALS: Registry[Material] = Registry("material", UnknownNameError)
for _material in (
    Material("rubber", Elasticity((0.7e6, 0.1e9), (0.45, 0.50)), (0.3, 1.2), (0.1, 0.8)),
    Material("wood", Elasticity((0.4e9, 16e9), (0.2, 0.5)), (0.1, 0.6), (0.1, 0.7)),
    Material("aluminium", ALUMINIUM, (0.1, 0.7), (0.1, 0.9)),
    Material("steel", STEEL, (0.05, 0.8), (0.1, 0.95)),
):
    MATERIALS.register(_material)
