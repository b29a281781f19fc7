# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Which of two overlapping references an arm followed, and which one it should have followed."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

ANTE, POST, EITHER, NEITHER = "ante", "post", "either", "neither"
ALIKE = 1e-3  # references whose velocities differ by less are equal [m/s]
NEAR = 0.02  # of their difference: largest deviation of a desired velocity that follows one of them
LASTING = 5e-3  # how long a velocity must stay nearer to a reference [s]


class Followed(NamedTuple):
    """Which reference was followed about contact; before it ante is right, from it on post.

    Times since contact [s]; NaN: that did not happen.
    """

    switch: float  # start of following the post-impact reference only
    ante_after: float  # how long the ante-impact reference was followed after contact [s]
    post_before: float  # how long the post-impact reference was followed before contact [s]
    neither: float  # how long none of both was followed [s]
    nearer_post: float  # start of the measured velocity being nearer to the post-impact one
    start: float  # of the evaluated interval
    end: float

    @property
    def wrong(self) -> float:
        """How long the wrong one of the two was followed [s]."""
        return self.ante_after + self.post_before


def which(desired: np.ndarray, ante: np.ndarray, post: np.ndarray) -> np.ndarray:
    """Return ANTE, POST, EITHER or NEITHER at each instant, "" if unknown.

    Args:
        desired: velocity of the contact point, shape (k, 3) [m/s].
        ante: by the ante-impact reference, shape (k, 3) [m/s].
        post: by the post-impact reference, shape (k, 3) [m/s].
    """
    apart = np.linalg.norm(post - ante, axis=1)
    to_ante, to_post = (np.linalg.norm(desired - each, axis=1) for each in (ante, post))
    allowed = np.maximum(NEAR * apart, ALIKE / 2)
    found = np.where(to_ante <= to_post, ANTE, POST).astype(object)
    found[np.minimum(to_ante, to_post) > allowed] = NEITHER
    found[(apart < ALIKE) & (found != NEITHER)] = EITHER
    found[~np.isfinite(to_ante + to_post)] = ""
    return found


def followed(
    t: np.ndarray, measured: np.ndarray, desired: np.ndarray, ante: np.ndarray, post: np.ndarray
) -> Followed:
    """Return which reference was followed, and for how long it was the wrong one.

    A desired velocity is valid until the next one.

    Args:
        t: times since contact, increasing, shape (k,) [s].
        measured: velocity of the contact point, shape (k, 3) [m/s].
        desired: desired one, shape (k, 3) [m/s].
        ante: that of the ante-impact reference, shape (k, 3) [m/s].
        post: that of the post-impact reference, shape (k, 3) [m/s].
    """
    found = which(desired, ante, post)
    ends = np.append(t[1:], t[-1])
    before = np.clip(np.minimum(ends, 0.0) - t, 0.0, None)
    after = np.clip(ends - np.maximum(t, 0.0), 0.0, None)
    return Followed(
        _switch(t, found),
        float(after[found == ANTE].sum()),
        float(before[found == POST].sum()),
        float((before + after)[found == NEITHER].sum()),
        _nearer(t, measured, ante, post),
        float(t[0]),
        float(t[-1]),
    )


def _switch(t: np.ndarray, found: np.ndarray) -> float:
    """Return when POST was first followed after ANTE was for the last time, NaN: never."""
    last = np.flatnonzero(found == ANTE)
    later = np.flatnonzero(found == POST)
    later = later[later > last[-1]] if last.size else later
    return float(t[later[0]]) if later.size else float("nan")


def _nearer(t: np.ndarray, measured: np.ndarray, ante: np.ndarray, post: np.ndarray) -> float:
    """Return the start of a lasting interval with velocities nearer to post; NaN: never."""
    apart = np.linalg.norm(post - ante, axis=1) > ALIKE
    nearer = np.linalg.norm(measured - post, axis=1) < np.linalg.norm(measured - ante, axis=1)
    for start in np.flatnonzero(apart & (t >= 0.0)):
        while_ = (t >= t[start]) & (t <= t[start] + LASTING)
        if nearer[while_].all() and t[-1] >= t[start] + LASTING:
            return float(t[start])
    return float("nan")
