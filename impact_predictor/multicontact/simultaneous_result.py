# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Result of an impact at many contacts."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from impact_predictor.impact_result import ContactMode, Flag
from impact_predictor.multicontact.friction_cone import Residuals


@dataclass(frozen=True, slots=True)
class SimultaneousImpact:
    """The state right after an impact at k contacts; p are each contact's own axes, z the normal.

    With more contacts than degrees of freedom, impulses are not unique: these are one solution,
    and only their sums (wrenches on a body) and the velocities mean something.
    """

    v_after: np.ndarray  # generalised velocities, shape (nv,)
    impulses: np.ndarray  # at the contacts, in p, shape (k, 3) [N.s]
    modes: tuple[ContactMode, ...]  # of each contact; NONE: no impulse
    velocities_before: np.ndarray  # relative, at the contacts, in p, shape (k, 3) [m/s]
    velocities_after: np.ndarray  # relative, at the contacts, in p, shape (k, 3) [m/s]
    loop_impulses: np.ndarray  # lambda, of the loops' rows, then of those closed, shape (l + c,)
    loop_velocity: np.ndarray  # J_l v before and after the impact; 0 in a closed loop, shape (l,)
    residuals: Residuals  # of Coulomb's law [-]
    iterations: int  # of pinocchio's solver
    energy_gain: float  # kinetic energy after minus before [J]
    flags: Flag
