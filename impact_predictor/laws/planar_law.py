# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Interface of laws of planar impacts, and their registry.

A law answers for any number of contacts at once. It takes the entries G_tt, G_tn, G_nn of their
Delassus matrices [1/kg], the velocities v_t and v_n of the contact points before [m/s], mu and e
[-], arrays that broadcast, and returns the impulses P_t and P_n on the body [N.s]; NaN where it
has none. Where a point does not approach, its answer is not used.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from impact_predictor.exceptions import UnknownNameError
from impact_robots.registry import Registry

Impulses = tuple[np.ndarray, np.ndarray]


class PlanarLaw(NamedTuple):
    """A law, selected by name in :func:`~impact_predictor.planar_impulse`."""

    name: str
    solve: Callable[..., Impulses]  # of G_tt, G_tn, G_nn, v_t, v_n, mu, e; see above
    description: str  # one line, for tables


PLANAR_LAWS: Registry[PlanarLaw] = Registry("planar impact law", UnknownNameError)
