# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Cases that are nearly the worst: one of them may be it a little further on an arm's way.

Loads of different joints, and of different friction, change differently along a way: by a fifth
within 2 cm in some poses of a Panda.
"""

from __future__ import annotations

import numpy as np

from impact_predictor.joint_load.load_case import RatedCase

CLOSE = 0.7  # use of a limit, over that of the one that is used most, from which it counts


def near_limits(used: np.ndarray) -> list[int]:
    """Return the limits of which much is used, an index each, most first; shape (m,) [s/m]."""
    order = np.argsort(-used, kind="stable")
    return [int(limit) for limit in order if used[limit] >= CLOSE * used[order[0]]]


def near_worst(cases: list[RatedCase]) -> list[RatedCase]:
    """Return the worst case of each limit at each friction, if it is near the worst, that first."""
    used = np.array([each.used for each in cases])
    friction = np.array([each.case.friction for each in cases])
    least = CLOSE * used.max()
    found: dict[int, float] = {}
    for limit in near_limits(used.max(axis=0)):
        for value in np.unique(friction):
            place = int(np.where(friction == value, used[:, limit], -1.0).argmax())
            if used[place, limit] >= least:
                found[place] = max(used[place, limit], found.get(place, 0.0))
    return [cases[place] for place in sorted(found, key=lambda place: -found[place])]
