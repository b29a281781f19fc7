# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Contacts that press on one another through an object, simulated, for any delay between them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from impact_predictor.contact_force.laws import Viscoelastic
from impact_predictor.exceptions import PredictionError
from impact_robots.exceptions import OutOfRangeError
from impact_robots.validation import finite_array

LONGEST_DELAY = 0.015  # of the largest impulses over delays [s]
DELAY_STEP = 2.5e-4  # [s]
LASTING = 1e-3  # a compression has ended once its contact has opened for this long [s]


class DelayedImpulses(NamedTuple):
    """Impulses of each contact, shape (n,) [N.s]."""

    compression: np.ndarray  # until the last end of closing before it opens for ``LASTING``
    total: np.ndarray  # until separation


def simulate_delayed(
    G: np.ndarray, closing: ArrayLike, laws: Sequence[Viscoelastic], delays: ArrayLike
) -> DelayedImpulses:
    """Return the impulses of contacts, each of which would begin after a delay.

    A contact's gap is its own closing speed times its delay; the object is at rest at first, and
    what hits it goes on freely.

    Args:
        G: effect of the contacts on one another, shape (n, n) [1/kg].
        closing: speeds, shape (n,) [m/s].
        laws: of the contacts.
        delays: at least 0, shape (n,) [s].

    Raises:
        OutOfRangeError: an argument is out of its range.
        PredictionError: the contacts do not end.
    """
    n = len(laws)
    G, c = finite_array(G, (n, n), "G"), finite_array(closing, (n,), "closing")
    late = finite_array(delays, (n,), "delays")
    if np.any(late < 0.0):
        raise OutOfRangeError("delays", "numbers at least 0", delays)
    return _simulated(G, c, laws, late)


def largest_over_delays(
    G: np.ndarray,
    closing: ArrayLike,
    laws: Sequence[Viscoelastic],
    step: float = DELAY_STEP,
) -> DelayedImpulses:
    """Return the largest impulses of two contacts over the delays of either one.

    Args:
        G: effect of the contacts on one another, shape (2, 2) [1/kg].
        closing: speeds, shape (2,) [m/s].
        laws: of both contacts.
        step: between delays [s].

    Raises:
        OutOfRangeError: an argument is out of its range.
        PredictionError: the contacts do not end.
    """
    G, c = finite_array(G, (2, 2), "G"), finite_array(closing, (2,), "closing")
    count = round(LONGEST_DELAY / step)
    delays = step * np.arange(-count, count + 1)
    late = np.stack([np.maximum(-delays, 0.0), np.maximum(delays, 0.0)], axis=1)
    found = [_simulated(G, c, laws, each) for each in late]
    return DelayedImpulses(*(np.max(each, axis=0) for each in zip(*found, strict=True)))


def _simulated(
    G: np.ndarray, c: np.ndarray, laws: Sequence[Viscoelastic], late: np.ndarray
) -> DelayedImpulses:
    from impact_predictor.compiled.delayed_contacts import (  # loads slowly
        Contacts,
        delayed_impulses,
    )

    stiffness = np.array([law.stiffness for law in laws])
    ratio = np.array([law.damping for law in laws]) / stiffness
    gaps = np.maximum(c, 0.0) * late
    found = delayed_impulses(Contacts(G, stiffness, ratio), c, gaps, LASTING)
    compression, total, ended = found
    if not (ended and np.all(np.isfinite(total))):
        raise PredictionError("contacts through an object: expected an end, got none")
    return DelayedImpulses(compression, total)
