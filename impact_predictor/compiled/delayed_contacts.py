# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Contacts of one object that begin one after the other, compiled; from event to event.

Every contact has the viscoelastic law f = k x (1 + D c) of its compression x and the rate c of it,
at least 0. The rates follow dc/dt = -G f. A step ends where a contact begins, turns or ends, so the
steps are of fourth order throughout.
"""

from __future__ import annotations

from math import inf, sqrt
from typing import NamedTuple

import numpy as np

from impact_robots.compiling.compiled import cached, part

_STEPS = 30  # of the fastest oscillation's radian
_MOST = 1_000_000  # steps of an impact that does not end
_HALVINGS = 60  # of a step, to an event
_LEAST = 1e-18  # compression of a contact that has just begun [m]


class Contacts(NamedTuple):
    """What presses on one another."""

    G: np.ndarray  # effect of the contacts on one another, shape (n, n) [1/kg]
    stiffness: np.ndarray  # k, shape (n,) [N/m]
    ratio: np.ndarray  # D, of damping to stiffness, shape (n,) [s/m]


@part
def _advance(
    contacts: Contacts, state: np.ndarray, h: float, slope: np.ndarray, after: np.ndarray
) -> None:
    """Write the state after a step of Runge and Kutta.

    Args:
        contacts: that press.
        state: compressions, rates and impulses, shape (3, n).
        h: step [s].
        slope: scratch, shape (3, n).
        after: to be written, shape (3, n).
    """
    n = state.shape[1]
    after[:] = state
    slope[:] = 0.0
    for stage in range(4):
        to = 0.0 if stage == 0 else (h if stage == 3 else h / 2.0)
        for i in range(n):  # the force of each, at the point of this stage
            x, c = state[0, i] + to * slope[0, i], state[1, i] + to * slope[1, i]
            push = contacts.stiffness[i] * x * (1.0 + contacts.ratio[i] * c)
            slope[0, i], slope[2, i] = c, max(push, 0.0) if x > 0.0 else 0.0
        weight = h / 6.0 if stage in (0, 3) else h / 3.0
        for i in range(n):
            slope[1, i] = 0.0
            for j in range(n):
                slope[1, i] -= contacts.G[i, j] * slope[2, j]
            for row in range(3):
                after[row, i] += weight * slope[row, i]


@part
def _same(a: np.ndarray, b: np.ndarray, ratio: np.ndarray) -> bool:
    """Whether every contact is in the same phase in two states."""
    for i in range(len(ratio)):
        touching, closing = (a[0, i] > 0.0) == (b[0, i] > 0.0), (a[1, i] > 0.0) == (b[1, i] > 0.0)
        pushing = (1.0 + ratio[i] * a[1, i] > 0.0) == (1.0 + ratio[i] * b[1, i] > 0.0)
        if not (touching and closing and pushing):
            return False
    return True


@part
def _until_contact(state: np.ndarray) -> float:
    """Return the time until a contact begins if none is closed [s]; 0: one is, inf: none will."""
    soonest = inf
    for i in range(state.shape[1]):
        if state[0, i] > 0.0:
            return 0.0
        if state[1, i] > 0.0:
            soonest = min(soonest, -state[0, i] / state[1, i])
    return soonest


@cached()
def delayed_impulses(
    contacts: Contacts, closing: np.ndarray, gaps: np.ndarray, lasting: float
) -> tuple[np.ndarray, np.ndarray, bool]:
    """Return impulses up to the end of compression and of contact, (n,) each [N.s]; if it ended.

    Args:
        contacts: that press.
        closing: speeds, shape (n,) [m/s].
        gaps: to be closed first, shape (n,) [m].
        lasting: time that a contact opens for after the end of its compression [s].
    """
    n, fastest = len(closing), 0.0
    state, after, slope = np.zeros((3, n)), np.zeros((3, n)), np.zeros((3, n))
    compression, opening, ended = np.zeros(n), np.zeros(n), np.zeros(n)
    for i in range(n):
        state[0, i], state[1, i] = -gaps[i], closing[i]
        fastest = max(fastest, contacts.stiffness[i] * contacts.G[i, i])
    step = 1.0 / sqrt(fastest) / _STEPS
    for _ in range(_MOST):
        dt = _until_contact(state)
        if dt == inf:
            return compression, state[2], True
        if dt > 0.0:  # nothing touches
            after[:] = state
            for i in range(n):
                after[0, i] += state[1, i] * dt
                if state[1, i] > 0.0 and after[0, i] > -_LEAST:
                    after[0, i] = _LEAST
        else:
            low, high, dt = 0.0, step, step
            for trial in range(_HALVINGS + 1):
                _advance(contacts, state, dt, slope, after)
                if not _same(state, after, contacts.ratio):
                    high = dt
                elif trial == 0:
                    break
                else:
                    low = dt
                dt = (low + high) / 2.0 if trial < _HALVINGS - 1 else high
        for i in range(n):
            turns = state[0, i] > 0.0 and state[1, i] > 0.0 and after[1, i] <= 0.0
            if turns and ended[i] == 0.0:
                compression[i] = after[2, i]
            opening[i] = opening[i] + dt if after[1, i] <= 0.0 else 0.0
            if compression[i] > 0.0 and opening[i] >= lasting:
                ended[i] = 1.0
        state, after = after, state
    return compression, state[2], False
