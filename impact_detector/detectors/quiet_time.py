# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""How long a statistic has been quiet, as far as it is known."""

from __future__ import annotations

import math

from impact_detector.signals.sample import from_seconds

LONGEST_STEP = from_seconds(0.05)  # what one pair of samples counts at most: 20 Hz and faster


class QuietTime:
    """Adds up the time between successive quiet samples, until there is enough of it.

    A sample above the threshold starts over. An unknown one, and what of a step between samples
    is longer than ``LONGEST_STEP``, says nothing: it neither counts nor starts over, so that lost
    samples delay re-arming by no more than themselves. When nothing at all was known for as long
    as quiet is needed (and for longer than ``LONGEST_STEP``), it counts as over: what is above the
    threshold then is another impact, or one that is still going on, and an arm that stops once too
    often is safer than one that is blind.
    """

    def __init__(self, needed: int) -> None:
        """Need ``needed`` [ns] of quiet."""
        self.needed = needed
        self.restart()

    def restart(self, loud: int | None = None) -> None:
        """Start over, at a sample above the threshold at ``loud`` [ns], or knowing nothing."""
        self._counted, self._enough = 0, False
        self._known = loud  # time of the last sample with a statistic
        self._before: int | None = None  # time of the last sample, if it was quiet

    @property
    def over(self) -> bool:
        """Whether there was enough quiet."""
        return self._enough

    def add(self, time: int, statistic: float, threshold: float) -> None:
        """Take the statistic at ``time`` [ns]; NaN if it is unknown."""
        if math.isnan(statistic):
            self._before = None
            return
        unknown = 0 if self._known is None else time - self._known
        self._known = time
        if unknown >= self.needed and unknown > LONGEST_STEP:
            self._enough = True
        elif statistic > threshold:
            self._counted, self._before, self._enough = 0, None, False
        else:
            step = 0 if self._before is None else time - self._before
            self._counted += min(step, LONGEST_STEP)
            self._before = time
            self._enough = self._counted >= self.needed
