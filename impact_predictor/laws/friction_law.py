# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Interface of friction laws of the impact map, and their registry.

A law answers for one contact, in contact axes p with z out of the surface: an impulse iota on the
robot changes the velocity of the contact point from v to v + G iota, G = J M^-1 J^T. It takes the
three rows of G [1/kg], v [m/s] with v_z < 0, the friction coefficient mu >= 0 [-] and the
restitution e [-], and returns iota [N.s], the contact mode, and bits of
:class:`~impact_predictor.Flag` that it alone can know. Plain floats: for three-vectors they are
faster than arrays.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from impact_predictor.exceptions import UnknownNameError
from impact_predictor.impact_result import ContactMode
from impact_predictor.symmetric3 import Matrix, Triple
from impact_robots.registry import Registry

Answer = tuple[Triple, ContactMode, int]
Answers = tuple[np.ndarray, np.ndarray, np.ndarray]


class FrictionLaw(NamedTuple):
    """A law of one contact, selected by name in :func:`~impact_predictor.predict`."""

    name: str
    solve: Callable[[Matrix, Triple, float, float], Answer]  # of G, v, mu, e; see above
    description: str  # one line
    # The same of k contacts: of G (k, 3, 3), v (k, 3) and mu, e (k, 2) impulses (k, 3), modes and
    # flags (k,); none: one after the other.
    solve_many: Callable[[np.ndarray, np.ndarray, np.ndarray], Answers] | None = None


FRICTION_LAWS: Registry[FrictionLaw] = Registry("friction law", UnknownNameError)
