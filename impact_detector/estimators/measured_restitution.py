# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Restitution of an impact that was measured, from velocities and from a force profile."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from impact_detector.estimators.impulse import Impulse
from impact_detector.exceptions import EstimateError

SLOWEST = 0.01  # approach speed that a ratio can be based on [m/s]
_NAN = float("nan")


def kinematic_restitution(
    J: np.ndarray, normal: np.ndarray, before: np.ndarray, after: np.ndarray
) -> float:
    """Return -v_n^+ / v_n^- of the contact point [-]; Newton's law.

    NaN if it approaches with less than 0.01 m/s, or a velocity is unknown. Give the gross velocity
    at the release: a fit that begins at contact includes the contact and finds hardly any
    rebound.

    Args:
        J: linear Jacobian of the contact point at contact, base axes, shape (3, n).
        normal: outward unit normal of the surface, base axes, shape (3,).
        before: joint velocity before contact, shape (n,) [rad/s].
        after: and after the release, shape (n,) [rad/s].
    """
    approach = float(normal @ J @ before)
    if not approach < -SLOWEST:
        return _NAN
    return -float(normal @ J @ after) / approach


@dataclass(frozen=True)
class ForceRestitution:
    """Restitution by three definitions; equal for a frictionless contact of one free mass."""

    kinematic: float  # -v_n^+/v_n^-, Newton [-]
    impulsive: float  # impulse of restitution over that of compression, Poisson [-]
    energetic: float  # square root of the energy given back over that taken, Stronge [-]


def restitution_by_force(
    contact: Impulse, normal: np.ndarray, W: np.ndarray, approach_velocity: float
) -> ForceRestitution:
    r"""Follow the normal velocity through a contact by its measured force.

    .. math:: v_n(t) = v_n^- + z^T W \int_0^t f\, dt

    with the whole force, because friction along the surface moves the normal too. The compression
    ends where v_n is zero, not where the force has its peak: with damped contacts the peak comes
    earlier, and the ratio of the impulses around it exceeds 1.

    Args:
        contact: that has ended, as :func:`integrate_impulse` gives it.
        normal: outward unit normal z, in the axes of the force, shape (3,).
        W: inverse inertia, from impulse to velocity of the contact point, in the same axes,
            shape (3, 3) [1/kg]; J (M + B_theta)^-1 J^T for a torque-controlled arm.
        approach_velocity: v_n^-, negative [m/s].

    Raises:
        EstimateError: no approach, a contact without an end, or one that never stops the approach.
    """
    if not approach_velocity < 0.0 or np.isnan(contact.t_release):
        raise EstimateError("restitution: expected an approach and a contact that has ended")
    t = np.concatenate([[contact.t_contact], contact.times, [contact.t_release]])
    force = np.vstack([np.zeros(3), contact.force, np.zeros(3)])
    steps = 0.5 * np.diff(t)[:, None] * (force[1:] + force[:-1])
    velocity = approach_velocity + np.concatenate([[0.0], np.cumsum(steps @ (W @ normal))])
    turned = np.flatnonzero(velocity >= 0.0)
    if not turned.size:
        raise EstimateError("restitution: this impulse does not stop this approach")
    normal_steps = steps @ normal
    end = int(turned[0])
    power = normal_steps * 0.5 * (velocity[1:] + velocity[:-1])
    return ForceRestitution(
        kinematic=-float(velocity[-1]) / approach_velocity,
        impulsive=float(normal_steps[end:].sum() / normal_steps[:end].sum()),
        energetic=float(np.sqrt(max(power[end:].sum(), 0.0) / -power[:end].sum())),
    )
