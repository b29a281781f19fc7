# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Estimate of wall and joints from hits, and whether the model explains the hits."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from math import inf
from typing import NamedTuple

import numpy as np

from impact_predictor.exceptions import PredictionError
from impact_predictor.learning.box_fit import fit_box
from impact_predictor.learning.hit_window import AFTER, FEWEST, GAP, HitWindow, hit_window
from impact_predictor.learning.learning_box import STIFFNESS, LearningBox
from impact_predictor.recorded_hit import RecordedHit
from impact_robots.robot import read_only

CLOSE = 0.9  # of a limit, from which a hit sets a ceiling
RESERVE = 1.05  # factor of the largest load, for model errors
NEAR = 0.3  # difference of every joint's angle, up to which a hit is one of the same place [rad]


class Ceiling(NamedTuple):
    """A maximum speed for hits of one place, until a person removes it."""

    q: np.ndarray  # configuration of the hit that came near a limit, shape (n,) [rad]
    speed: float  # [m/s]


def ceiling_of(q: np.ndarray, speed: float, used: float) -> Ceiling | None:
    """Return the ceiling of a hit: its speed, reduced if it used more than 1/1.05 of a limit.

    Loads of walls that get harder with depth grow faster than the speed, so a speed scaled down in
    proportion is safe.

    Args:
        q: configuration of the hit, shape (n,) [rad].
        speed: of the hit [m/s].
        used: largest fraction of a limit that it used [-].
    """
    if used < CLOSE:
        return None
    return Ceiling(q, speed / max(1.0, RESERVE * used))


def lowest(ceilings: Iterable[Ceiling], q: np.ndarray) -> float:
    """Return the lowest ceiling of the same place, q of shape (n,) [rad]; inf: none [m/s]."""
    near = (each.speed for each in ceilings if is_near(each.q, q))
    return min(near, default=inf)


def is_near(one: np.ndarray, other: np.ndarray) -> bool:
    """Return whether two configurations, shape (n,) [rad], hit the same place."""
    return bool(np.abs(one - other).max() < NEAR)


MOST_MISFIT = 1.5  # of any hit, up to which the model explains it
SIGMAS = 3.0  # of a range that replaces an announced one
FLOOR = 0.01  # least standard deviation for it; of the stiffness' logarithm itself
MOST_HITS = 10  # stored, the last ones
MOVED, NEAR_TOUCH = (
    2,
    5e-4,
)  # rereadings of a new hit, at larger offsets from contact [s]


@dataclass(frozen=True, eq=False)
class Knowledge:
    """Estimate of p unknowns from h hits, the last hit last; before the first hit: the box."""

    box: LearningBox
    mean: np.ndarray  # unknowns, -1 to 1 in the box, shape (p,)
    covariance: np.ndarray  # of them, shape (p, p)
    windows: tuple[HitWindow, ...] = ()
    late: np.ndarray | tuple[float, ...] = ()  # contacts after their detections, shape (h,) [s]
    misfit: np.ndarray | tuple[float, ...] = ()  # of each hit, 1: noise alone, shape (h,)
    ceilings: tuple[Ceiling, ...] = ()  # of all hits that ever came near a limit

    def __post_init__(self) -> None:
        """Store read-only copies."""
        for name in ("mean", "covariance", "late", "misfit"):
            object.__setattr__(self, name, read_only(np.array(getattr(self, name), dtype=float)))

    @property
    def alarm(self) -> bool:
        """Whether the model does not explain a hit: another wall, law, normal, or a defect."""
        return bool((np.asarray(self.misfit) > MOST_MISFIT).any())

    @property
    def depth(self) -> float:
        """Largest depth of the hits in the wall; 0 before the first [m]."""
        late = self.late[len(self.late) - len(self.windows) :]
        pairs = zip(self.windows, late, strict=True)
        return max((each.depth - each.speed * t for each, t in pairs), default=0.0)

    @property
    def lifted(self) -> Knowledge:
        """The same without ceilings: for a person who knows the cause of a high load."""
        return replace(self, ceilings=())

    def used(self, window: HitWindow) -> float:
        """Return the largest used fraction of a limit, with the sensors' gain error [-]."""
        return window.used * max(1.0, window.gain / self.box.torque_gain)

    @property
    def half_width(self) -> np.ndarray:
        """Half of each unknown's range: three standard deviations, shape (p,); 1: as announced.

        Model errors are common to all hits, so standard deviations have a floor. It does not apply
        to :meth:`draws`: the load is known better than the single parameters that explain it, and
        a reserve covers model errors there.
        """
        box = self.box
        if not self.windows:
            return np.ones(box.size)
        floor = np.full(len(box.low), FLOOR)
        floor[STIFFNESS] /= max(0.5 * (box.high[STIFFNESS] - box.low[STIFFNESS]), 1.0)
        return np.asarray(SIGMAS * np.sqrt(np.diag(self.covariance) + floor[box.free] ** 2))

    @property
    def narrowed(self) -> LearningBox:
        """The box of three standard deviations about the estimate; with an alarm, the old one.

        For another wall: ``narrowed.of_another_wall()``.
        """
        if self.alarm or not self.windows:
            return self.box
        half, low, high = self.half_width, self.box.low.copy(), self.box.high.copy()
        for ends, side in ((low, -half), (high, half)):
            ends[:] = np.where(
                self.box.free, self.box.figures(np.clip(self.mean + side, -1.0, 1.0)), ends
            )
        return self.box.narrowed(low, high)

    def draws(self, number: int, spread: float, seed: int = 0) -> np.ndarray:
        """Return parameters drawn around the estimate, the estimate first; (number, 6 + 3 n).

        Parameters that are not learned are drawn from the two ends of their ranges.

        Args:
            number: of draws.
            spread: of standard deviations.
            seed: of the draws.
        """
        random, box = np.random.default_rng(seed), self.box
        root = np.linalg.cholesky(self.covariance) if box.size else np.zeros((0, 0))
        z = random.standard_normal((number, box.size))
        z[0] = 0.0
        drawn = self.mean + spread * z @ root.T
        figures = np.array([box.figures(_in_box(each, self.covariance)) for each in drawn])
        ends = np.where(random.random(figures.shape) < 0.5, box.low, box.high)
        return np.where(box.free, figures, ends)


def _at_touch(hits: Sequence[RecordedHit], late: np.ndarray) -> list[RecordedHit] | None:
    """Return hits with time relative to the fitted contact; None if it was already.

    If the contact time is wrong by milliseconds, so is the command, and the free motion contains
    part of the hit. A hit is not shifted if too few samples are recorded.

    Args:
        hits: the new ones, the last of those that were fitted.
        late: contact times after their detections, shape (h,) [s].
    """
    off = np.append(np.zeros(max(0, len(hits) - len(late))), late[-len(hits) :])
    moved = [replace(hit, time=hit.time - t) for hit, t in zip(hits, off, strict=True)]
    far = [
        abs(t) > NEAR_TOUCH and each.time[-1] >= AFTER and each.time[FEWEST - 1] < -GAP
        for each, t in zip(moved, off, strict=True)
    ]
    if not any(far):
        return None
    return [m if away else hit for m, hit, away in zip(moved, hits, far, strict=True)]


def _in_box(x: np.ndarray, covariance: np.ndarray) -> np.ndarray:
    """Return the nearest unknowns from -1 to 1, by the covariance; x of shape (p,).

    Correlated unknowns move together: a law at the bound of its exponent does not make the wall
    stiffer.
    """
    for _ in range(2 * len(x)):
        over = np.clip(x, -1.0, 1.0) - x
        worst = int(np.abs(over).argmax()) if len(x) else 0
        if not over.any():
            break
        x = x + covariance[:, worst] * (over[worst] / covariance[worst, worst])
    return np.clip(x, -1.0, 1.0)


def nothing_known(box: LearningBox, ceilings: tuple[Ceiling, ...] = ()) -> Knowledge:
    """Return the knowledge before the first hit: the whole box.

    Args:
        box: of the unknowns.
        ceilings: that hold at this place from before.
    """
    prior = np.eye(box.size) / 3.0
    return Knowledge(box, np.zeros(box.size), prior, ceilings=ceilings)


def learn(known: Knowledge, hits: Sequence[RecordedHit]) -> Knowledge:
    """Return the knowledge after further hits of the same wall, at any poses.

    All hits are fitted together, the last ten at most. It takes tenths of a second to seconds.

    Args:
        known: before, see :func:`nothing_known`.
        hits: in order of time; without any, nothing changes.

    Raises:
        PredictionError: a hit is not sampled as needed, or nothing is unknown in the box.
        NotApproachingError: a hit in which the arm moved away from the wall.
    """
    box = known.box
    if not hits:
        return known
    if not box.size:
        raise PredictionError("learn: expected at least one unknown with a range, got none")
    start, fit, kept, count = known.mean if known.windows else None, None, known.windows, len(hits)
    for _ in range(1 + MOVED):
        new = [hit_window(box.robot, box.surface, hit) for hit in hits]
        windows = (*known.windows, *new)[-MOST_HITS:]
        found = fit_box(box, windows, start)
        if fit is not None and found.misfit[-1] > fit.misfit[-1]:
            break  # the previous reading was better
        fit, kept = found, windows
        moved = _at_touch(hits, fit.late)
        if moved is None:
            break
        start, hits = fit.x, moved
    assert fit is not None  # at least one fit was made
    return replace(
        known,
        mean=fit.x,
        covariance=fit.covariance,
        windows=kept,
        late=fit.late,
        misfit=fit.misfit,
        ceilings=(*known.ceilings, *_ceilings(known, kept[-count:])),
    )


def _ceilings(known: Knowledge, windows: tuple[HitWindow, ...]) -> list[Ceiling]:
    """Return the ceilings that new hits set."""
    found = [ceiling_of(each.point.q, each.speed, known.used(each)) for each in windows]
    return [each for each in found if each is not None]
