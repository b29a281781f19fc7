# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Knowledge after a hit of possibly another wall, and the speed after it."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from impact_predictor.joint_load.load_limits import LoadLimits
from impact_predictor.learning.knowledge import RESERVE, Knowledge, learn, nothing_known
from impact_predictor.learning.next_speed import PROVEN, SafeSpeed, next_speed
from impact_predictor.recorded_hit import RecordedHit
from impact_robots.state.state import PointState


class LearnedHit(NamedTuple):
    """Summary of a hit, or why nothing was learned from it."""

    speed: float = np.nan  # of approach at contact [m/s]
    load: float = np.nan  # largest fraction of a limit that a measured torque may have used [-]
    misfit: float = np.nan  # mean squared residual [-]
    contradicted: bool = False  # the hit contradicts the estimate: first hit of another wall
    commanded: bool = False  # the commanded torques were recorded
    skipped: str = ""  # why nothing was learned from it, "" if something was


class Learned(NamedTuple):
    """The estimate, and whether the last hit contradicted the previous one."""

    known: Knowledge
    changed: bool = False

    def last(self, *, commanded: bool) -> LearnedHit:
        """Return the summary of the last hit."""
        known, window = self.known, self.known.windows[-1]
        misfit = float(known.misfit[-1])
        return LearnedHit(window.speed, known.used(window), misfit, self.changed, commanded)


def learn_hit(before: Learned, hit: RecordedHit) -> Learned:
    """Return the estimate after one further hit.

    A hit that the model does not explain together with the previous ones is assumed to be of
    another wall: the joints' estimate stays, the wall is as announced, and this hit is its first.

    Args:
        before: the hit.
        hit: its contact time known within 1.5 ms, see :func:`aligned`.

    Raises:
        PredictionError: the hit is not sampled as needed, or nothing is unknown in the box.
        NotApproachingError: the arm moved away from the wall.
    """
    known = learn(before.known, [hit])
    if not known.alarm or not before.known.windows:
        return Learned(known, known.alarm)
    other = nothing_known(before.known.narrowed.of_another_wall(), before.known.ceilings)
    return Learned(learn(other, [hit]), changed=True)


def speed_after(
    learned: Learned,
    point: PointState,
    limits: LoadLimits | None = None,
    seed: int = 0,
    direction: np.ndarray | None = None,
) -> SafeSpeed:
    """Return the speed of the next hit: after a contradiction at most the proven speed.

    Proven is the speed of the last hit, less if its measured torques used too much of a limit.
    Arguments and errors as of :func:`next_speed`.
    """
    speed = next_speed(learned.known, point, limits, seed, direction)
    if not learned.changed:
        return speed
    last = learned.known.windows[-1]
    proven = last.speed / max(1.0, RESERVE * learned.known.used(last))
    return speed._replace(speed=min(speed.speed, proven), reason=PROVEN)
