# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Friction of the joints, learned from motions without an impact."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from impact_robots.exceptions import OutOfRangeError
from impact_robots.validation import finite_array

POSITION, TASKS = 3, 7  # rows of the position, and with those of orientation and first joint


@dataclass(frozen=True, eq=False)
class FrictionFeedforward:
    """Accelerations a_fric over time that replace the feedback against friction."""

    time: np.ndarray  # increasing, shape (k,) [s]
    acceleration: np.ndarray  # of position, orientation, first joint, (k, 7) [m/s^2], [rad/s^2]

    def __call__(self, time: float) -> np.ndarray:
        """Return a_fric at a time, shape (7,); constant beyond the ends."""
        times, known = self.time, self.acceleration
        after = int(times.searchsorted(time, side="right"))
        if not 0 < after < len(times):
            return known[min(after, len(times) - 1)].copy()
        fraction = (time - times[after - 1]) / (times[after] - times[after - 1])
        between: np.ndarray = known[after - 1] + fraction * (known[after] - known[after - 1])
        return between


def learn_friction(time: ArrayLike, feedback: Sequence[ArrayLike]) -> FrictionFeedforward:
    r"""Return the mean feedback of trials without an impact (van Steen et al., 30, 31).

    :math:`a_{fric}(t) = \frac1N\sum_i 2\sqrt{k_p}(\dot p_d - \dot p_i) + k_p(p_d - p_i)`, of trials
    measured with a_fric = 0; for the ante- and the post-impact reference separately. The published
    one is that of the position alone. It is sufficient if the plate may rotate; an arm that holds
    an object also needs the rotational part, because its rotation moves the object.

    Args:
        time: of the samples, increasing, shape (k,) [s].
        feedback: of each trial, as the controller reports it: of all tasks, shape (k, 7), or of
            the position alone, shape (k, 3) [m/s^2], [rad/s^2].

    Raises:
        OutOfRangeError: no trial, times that do not increase, or arrays that do not match.
    """
    t = finite_array(time, (np.size(time),), "time")
    if not feedback:
        raise OutOfRangeError("feedback", "at least one trial", "none")
    if len(t) < 2 or np.any(np.diff(t) <= 0.0):
        raise OutOfRangeError("time", "at least two times that increase", time)
    alone = np.shape(feedback[0])[1:] == (POSITION,)
    rows = POSITION if alone else TASKS
    trials = [finite_array(each, (len(t), rows), "feedback") for each in feedback]
    known = np.zeros((len(t), TASKS))
    known[:, :rows] = np.mean(trials, axis=0)
    return FrictionFeedforward(t, known)
