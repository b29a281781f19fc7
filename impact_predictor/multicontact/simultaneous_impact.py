# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
r"""Impact at any number of contacts at once, with friction, restitution and closed loops.

Moreau's and Stewart and Trinkle's nonsmooth law (van Steen et al., III; J. J. Moreau 1988;
Stewart, Trinkle 1996). The configuration is frozen, and for every contact i

    M (v^+ - v^-) = J^T iota + J_l^T lambda,      J_l (v^+ - v^-) = 0,
    0 <= iota_n  perp  v_n^+ + e min(v_n^-, 0) >= 0,
    |iota_T| <= mu iota_n,      -iota_T |v_T^+| = mu iota_n v_T^+.

Rows J_c that the impact closes (a plate that stays on what it hits, and turns with it) end at
J_c v^+ = 0, whatever they were, by bilateral impulses: van Steen's simulation of flat hands.

Only an approaching contact rebounds. One that rests or separates may be pressed by the others, and
then ends at rest: with a restitution of its own it would have to penetrate.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from impact_predictor.impact_result import ContactMode, Flag
from impact_predictor.inertia.jacobian import SINGULAR
from impact_predictor.multicontact.closed_loops import LoopedInertia
from impact_predictor.multicontact.cone_solver import solve_contacts
from impact_predictor.multicontact.simultaneous_result import SimultaneousImpact
from impact_robots.exceptions import OutOfRangeError
from impact_robots.validation import finite_array, positive

LAW = "coulomb"  # of friction, the only one that is solved here
_ROUNDING = 1e-14  # of a contact velocity, relative to the sizes that it is summed from
_NOTHING = 1e-9  # fraction of the largest impulse or slip that counts as zero


def simultaneous_impact(
    M: ArrayLike,
    J: ArrayLike,
    v: ArrayLike,
    *,
    friction: ArrayLike = 0.0,
    restitution: ArrayLike = 0.0,
    loops: ArrayLike | None = None,
    closed: ArrayLike | None = None,
    tolerance: float = 1e-10,
) -> SimultaneousImpact:
    """Return the result of an impact at k contacts of a system with nv velocities.

    Sustained contacts are contacts with v_n = 0. Velocities along the loops stay unchanged,
    not corrected: an error before is there after, in ``loop_velocity``, and can do work.

    Args:
        M: inertia of all robots (with their motors) and objects, shape (nv, nv).
        J: linear Jacobians of the relative velocities at the contacts, each in its own contact
            axes p (x, y, normal; separating is positive), shape (3k, nv); without contacts, k = 0,
            there must be rows that close.
        v: velocities before, shape (nv,).
        friction: coefficients mu >= 0, shape (k,), or one for all [-].
        restitution: Newton's coefficients, 0 to 1, shape (k,), or one for all [-].
        loops: Jacobian of closed loops, shape (l, nv); rows may repeat; None: no loops.
        closed: Jacobian of constraints closed by the impact, shape (c, nv); rows may repeat; None:
            no such constraints.
        tolerance: largest relative residual that is accepted [-].

    Raises:
        OutOfRangeError: an argument is out of its range, of the wrong shape or not finite, or a
            row contradicts a loop.
        UnsolvedImpactError: no impulses were found that satisfy the law.
    """
    M, J, v, J_l, J_c = _system(M, J, v, loops, closed)
    k, joined = len(J) // 3, np.vstack([J_l, J_c])
    mu = _coefficients(friction, k, "friction", np.inf)
    e = _coefficients(restitution, k, "restitution", 1.0)
    before = J @ v
    before[np.abs(before) <= _ROUNDING * (np.abs(J) @ np.abs(v))] = 0.0
    inertia = LoopedInertia(M, joined)
    gap = np.append(np.zeros(len(J_l)), -J_c @ v)
    joining = _joining(inertia, joined, gap)
    free = before + J @ joining
    free[2::3] += e * np.minimum(before[2::3], 0.0)
    X = inertia.whitened(J)
    G = X.T @ X
    iota, residuals, iterations = solve_contacts(G, free, mu, positive(tolerance, "tolerance"))
    v_after = v + joining + inertia.velocity_jump(X, iota)
    after = J @ v_after
    gain = float((v_after + v) @ M @ (v_after - v)) / 2
    noise = _NOTHING * float(np.abs(iota) @ (np.abs(before) + np.abs(after)))
    return SimultaneousImpact(
        v_after=v_after,
        impulses=iota.reshape(k, 3),
        modes=_modes(G, iota.reshape(k, 3), after.reshape(k, 3), free),
        velocities_before=before.reshape(k, 3),
        velocities_after=after.reshape(k, 3),
        loop_impulses=inertia.loop_impulses(J, iota) + inertia.closing_impulses(gap),
        loop_velocity=J_l @ v,
        residuals=residuals,
        iterations=iterations,
        energy_gain=gain,
        flags=_flags(J, before, gain > noise + 1e-13 * float(v @ M @ v)),
    )


def _system(
    M: ArrayLike,
    J: ArrayLike,
    v: ArrayLike,
    loops: ArrayLike | None,
    closed: ArrayLike | None,
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Return M, J, v, J_l and J_c as arrays of matching shapes."""
    nv = np.size(v)
    rows = np.shape(J)[0] if np.ndim(J) == 2 else 0
    if nv == 0:
        raise OutOfRangeError("v", "at least one velocity", v)
    J_c = _rows(closed, nv, "closed")
    if rows % 3 or (rows == 0 and (len(J_c) == 0 or np.ndim(J) != 2)):
        raise OutOfRangeError("J", f"three rows of {nv} numbers for each contact", J)
    return (
        finite_array(M, (nv, nv), "M"),
        finite_array(J, (rows, nv), "J"),
        finite_array(v, (nv,), "v"),
        _rows(loops, nv, "loops"),
        J_c,
    )


def _rows(value: ArrayLike | None, nv: int, name: str) -> np.ndarray:
    """Return rows of nv numbers; no rows for None."""
    if value is None:
        return np.zeros((0, nv))
    if np.ndim(value) != 2:
        raise OutOfRangeError(name, f"rows of {nv} numbers", value)
    return finite_array(value, (np.shape(value)[0], nv), name)


def _joining(inertia: LoopedInertia, joined: np.ndarray, gap: np.ndarray) -> np.ndarray:
    """Return the jump, shape (nv,), that changes velocities along rows ``joined`` by ``gap``."""
    jump = inertia.closing_jump(gap)
    if np.any(np.abs(joined @ jump - gap) > _NOTHING * np.abs(gap).max(initial=0.0)):
        raise OutOfRangeError("closed", "rows along which the loops keep no velocity", gap)
    return jump


def _coefficients(value: ArrayLike, k: int, name: str, largest: float) -> np.ndarray:
    """Return k coefficients from 0 to ``largest``."""
    array = finite_array(np.full(k, value) if np.ndim(value) == 0 else value, (k,), name)
    if np.any(array < 0.0) or np.any(array > largest):
        limit = "at least 0" if np.isinf(largest) else f"from 0 to {largest:.0f}"
        raise OutOfRangeError(name, f"numbers {limit}", value)
    return array


def _modes(
    G: np.ndarray, impulses: np.ndarray, after: np.ndarray, free: np.ndarray
) -> tuple[ContactMode, ...]:
    """Return the mode of each contact; sizes are compared per root of the contact's mobility."""
    mobility = np.sqrt(np.maximum(np.diag(G).reshape(-1, 3).mean(axis=1), 1e-300))
    pressed = impulses[:, 2] * mobility
    slip = np.hypot(after[:, 0], after[:, 1]) / mobility
    still = _NOTHING * float((np.abs(free.reshape(-1, 3)).max(axis=1) / mobility).max(initial=0.0))
    slides = np.where(slip <= still, ContactMode.STICK, ContactMode.SLIDE)
    modes = np.where(pressed <= _NOTHING * pressed.max(initial=0.0), ContactMode.NONE, slides)
    return tuple(ContactMode(mode) for mode in modes)


def _flags(J: np.ndarray, before: np.ndarray, gains: bool) -> Flag:
    """Return the flags of the impact."""
    flags = Flag.ENERGY_GAIN if gains else Flag.NONE
    if np.any(before[2::3] < 0.0):
        flags |= Flag.APPROACHING
    blocks = J.reshape(-1, 3, J.shape[1])
    least = np.linalg.svd(blocks, compute_uv=False)[:, -1].min(initial=np.inf)
    if len(J) and (J.shape[1] < 3 or least <= SINGULAR):
        flags |= Flag.SINGULAR_JACOBIAN
    return flags
