# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
r"""Friction judged at every instant of the impact: it opposes the slip that there is then.

With the normal impulse p as the clock, Coulomb's friction gives the slip s and the impulse iota

    ds/dp = G_TT t + G_Tn,    d iota/dp = (t, 1),    t = -mu s/|s|,

a curve in three dimensions, not two straight pieces as in a plane (`routh`). With dp = |s| dtau it
has no singularity. Where s ends, the contact sticks with t = -G_TT^-1 G_Tn if |t| <= mu, else it
slides on in the one direction in which it can, in a straight line; both are what Coulomb's law of
the slip after says of a contact without slip. Sources: Darboux (1880); Routh, Dynamics of a System
of Rigid Bodies (1905); Keller, J. Appl. Mech. 53 (1986); Batlle, J. Appl. Mech. 63 (1996).

The impact ends at Newton's v_n^+ = -e v_n^-, or by Poisson's hypothesis at (1 + e) times the normal
impulse at which v_n = 0. Newton's end can add energy, Poisson's cannot in a plane.
"""

from __future__ import annotations

from math import nan

from impact_predictor.exceptions import NoImpulseError
from impact_predictor.impact_result import ContactMode
from impact_predictor.laws.coulomb import solve_contact
from impact_predictor.laws.friction_law import FRICTION_LAWS, Answer, FrictionLaw
from impact_predictor.symmetric3 import Matrix, Triple


def path_impulse(
    G: Matrix, v: Triple, friction: float, restitution: float = 0.0, *, poisson: bool = False
) -> Answer:
    """Return the impulse on the robot in p [N.s], with mode and flags; see ``friction_law``.

    Args:
        G: Delassus matrix J M^-1 J^T in p, three rows [1/kg].
        v: velocity of the contact point in p, z component negative [m/s].
        friction: coefficient mu >= 0 [-].
        restitution: Newton's coefficient e [-].
        poisson: whether it is Poisson's, at least -1, instead.

    Raises:
        NoImpulseError: the slip ends and a contact without slip has no solution, as G is close to
            losing rank.
    """
    from impact_predictor.compiled.slip_path import slip_path  # loads slowly

    rows = tuple(tuple(map(float, row)) for row in G)
    x, y, z = map(float, v)
    unsolved = None
    try:
        ended, mode, _ = solve_contact(rows, (0.0, 0.0, -1.0), friction, 0.0)
    except NoImpulseError as error:
        ended, mode, unsolved = (nan, nan, 1.0), ContactMode.SLIDE, error
    along = ended[0] / ended[2], ended[1] / ended[2], 1.0

    def path(start: Triple, stop: float, by_impulse: bool) -> tuple[Triple, bool]:
        found = slip_path(rows, (x, y, z), float(friction), along, start, stop, by_impulse)
        if found[1] and unsolved is not None:
            raise unsolved
        return found

    impulse, still = path((0.0, 0.0, 0.0), 0.0 if poisson else -restitution * z, False)
    if poisson:
        impulse, still = path(impulse, (1.0 + restitution) * impulse[2], True)
    return impulse, mode if still else ContactMode.SLIDE, 0


FRICTION_LAWS.register(
    FrictionLaw(
        "path", path_impulse, "friction opposes the slip of every instant (Darboux, Keller, Routh)"
    )
)
