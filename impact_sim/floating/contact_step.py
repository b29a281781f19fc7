# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Velocities after a step on a floor: by an impact law, or by a contact force.

Loops are closed on the level of velocities: a step leaves no rate along them.
"""

from __future__ import annotations

import numpy as np

from impact_predictor.contact_force.laws import ContactLaw
from impact_predictor.multicontact.simultaneous_impact import simultaneous_impact
from impact_sim.floating.floor import Floor
from impact_sim.floating.free_step import FreeStep

_TOLERANCE = 1e-8  # of the impact law, relative: far below what a step's length leaves


def velocity_after(free: FreeStep, floor: Floor) -> np.ndarray:
    """Return the velocities at the end of a step, shape (nv,).

    Args:
        free: the step without floor and loops.
        floor: that the robot's contacts may touch.

    Raises:
        UnsolvedImpactError: no impulses were found that satisfy Coulomb's law.
    """
    if floor.law is None:
        return _rigid(free, floor)
    return _compliant(free, floor, floor.law)


def _rigid(free: FreeStep, floor: Floor) -> np.ndarray:
    """Return Moreau's time stepping: points at or below the floor do not penetrate further."""
    in_contact = free.contacts[free.points[:, 2] <= floor.height]
    J = in_contact.reshape(-1, len(free.velocity))  # a level floor's axes are the world's
    if not len(J) and not len(free.loops):
        return free.velocity
    solved = simultaneous_impact(
        free.inertia,
        J,
        free.velocity,
        friction=floor.friction,
        closed=free.loops,
        tolerance=_TOLERANCE,
    )
    return solved.v_after


def _compliant(free: FreeStep, floor: Floor, law: ContactLaw) -> np.ndarray:
    """Return the step under contact forces.

    The normal force is that at the step's beginning; friction is implicit, mu f_n over the slip
    times the slip to come, because at little slip it is stiffer than the contact itself.
    """
    A, push = free.inertia.copy(), free.inertia @ free.velocity
    for point, J in zip(free.points, free.contacts, strict=True):
        depth = floor.height - float(point[2])
        if depth <= 0.0:
            continue
        slip_x, slip_y, rise = (J @ free.state.dq).tolist()
        normal = law.force(depth, -rise)
        slip = max(float(np.hypot(slip_x, slip_y)), floor.stiction_speed)
        push += free.h * normal * J[2]
        A += free.h * floor.friction * normal / slip * J[:2].T @ J[:2]
    return _closed(A, push, free.loops)


def _closed(A: np.ndarray, push: np.ndarray, loops: np.ndarray) -> np.ndarray:
    """Return v of A v = push + loops^T lambda, loops v = 0, by block elimination."""
    solved = np.linalg.solve(A, np.column_stack([push, loops.T]))
    if not len(loops):
        return solved[:, 0]
    pull = np.linalg.lstsq(loops @ solved[:, 1:], loops @ solved[:, 0], rcond=None)[0]
    return solved[:, 0] - solved[:, 1:] @ pull
