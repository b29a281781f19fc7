# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Data of a run for the viewer, as arrays over its joint states."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from impact_detector.attribution.expectation import Announcement

CONTACT_FORCE = 3.0  # force above which the arm is considered in contact [N]


class PalmForce(NamedTuple):
    """Force on a contact point of a robot."""

    frame: str  # of the robot
    force: np.ndarray  # on it, base axes, shape (N, 3) [N]


class BoxTrack(NamedTuple):
    """Where a box is."""

    size: np.ndarray  # edges, shape (3,) [m]
    poses: np.ndarray  # position [m] and quaternion x, y, z, w of its centre, shape (N, 7)


@dataclass(frozen=True)
class ViewRecord:
    """N states of an arm with n joints, and data recorded with them; unknown values are NaN.

    Of a robot with a free base q and dq begin with the base's, and base axes are the world's.
    Status values of controller and detector hold from their message until the next one.
    """

    time: np.ndarray  # since the first state, shape (N,) [s]
    q: np.ndarray  # shape (N, nq) [rad]
    dq: np.ndarray  # shape (N, nv) [rad/s]
    force: np.ndarray  # on the robot, largest since the previous state, base axes, (N, 3) [N]
    impulse: np.ndarray  # of that force since the beginning, shape (N, 3) [N.s]
    normal_speed: np.ndarray  # of the contact point along the normal, shape (N,) [m/s]
    speed_bound: np.ndarray  # of the impact limits, shape (N,) [m/s]
    gap: np.ndarray  # to the announced surface, shape (N,) [m]
    mode: tuple[str, ...]  # of the controller, N of them, "" before its first status
    limits: str  # name of the impact limits in force, "" if unknown
    announced: tuple[Announcement | None, ...]  # for each state, N of them
    detections: tuple[tuple[float, str], ...]  # time [s] and description
    remarks: tuple[str, ...] = ()  # data of the recording that is not shown, and why
    palms: tuple[PalmForce, ...] = ()  # contacts on which ``force`` acts, of a robot with several
    boxes: tuple[BoxTrack, ...] = ()

    def __len__(self) -> int:
        return len(self.time)

    @property
    def duration(self) -> float:
        """From the first state to the last [s]."""
        return float(self.time[-1]) if len(self) else 0.0

    @property
    def in_contact(self) -> np.ndarray:
        """Whether the force exceeds ``CONTACT_FORCE``, shape (N,)."""
        return np.linalg.norm(self.force, axis=1) > CONTACT_FORCE

    @property
    def contact_starts(self) -> np.ndarray:
        """States in which contacts begin, indices of shape (k,)."""
        begins = np.diff(self.in_contact.astype(int), prepend=0) > 0
        return np.flatnonzero(begins)

    def index(self, time: float) -> int:
        """Return the last state that is not after ``time`` [s]; the first one before it."""
        return max(0, int(np.searchsorted(self.time, time + 1e-9, side="right")) - 1)
