# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Measured impacts of a body on a plane, and the tosses that they are part of."""

from __future__ import annotations

from dataclasses import dataclass, fields

import numpy as np

EDGE = 2  # corners that touch at once


@dataclass(frozen=True)
class TossImpacts:
    """N impacts, in contact axes: z is the plane's normal, out of it.

    Velocities are those of the origin that was tracked, then angular ones [m/s, rad/s].
    """

    toss: np.ndarray  # number of the toss, shape (N,)
    rotation: np.ndarray  # from the body's axes to the contact's, shape (N, 3, 3)
    before: np.ndarray  # velocities before, shape (N, 6)
    after: np.ndarray  # velocities after, shape (N, 6)
    corners: np.ndarray  # 1 or 2 that touch at once, 0: between, shape (N,)

    def __len__(self) -> int:
        return len(self.before)

    def take(self, rows: np.ndarray) -> TossImpacts:
        """Return the impacts of these rows: numbers or a mask."""
        return TossImpacts(*(getattr(self, field.name)[rows] for field in fields(self)))

    @property
    def is_edge(self) -> np.ndarray:
        """Which impacts are of an edge, shape (N,)."""
        return np.asarray(self.corners == EDGE)


@dataclass(frozen=True)
class Toss:
    """One recorded toss, k frames of equal intervals, in world axes with z roughly up."""

    number: int
    position: np.ndarray  # of the origin that was tracked, shape (k, 3) [m]
    rotation: np.ndarray  # from the body's axes to the world's, shape (k, 3, 3)


@dataclass(frozen=True)
class TossFile:
    """What a file holds: impacts, or whole tosses."""

    name: str
    impacts: TossImpacts | None
    tosses: tuple[Toss, ...]  # none beside impacts


def half_of(toss: np.ndarray) -> np.ndarray:
    """Return to which half a toss belongs, 0 or 1: the parity of half its number."""
    return np.asarray(toss) // 2 % 2


def halves(file: TossFile) -> tuple[TossFile, TossFile]:
    """Return a file's two halves."""
    parts = []
    for half in (0, 1):
        impacts = file.impacts
        parts.append(
            TossFile(
                f"{file.name}, half {half}",
                None if impacts is None else impacts.take(half_of(impacts.toss) == half),
                tuple(toss for toss in file.tosses if toss.number // 2 % 2 == half),
            )
        )
    return parts[0], parts[1]
